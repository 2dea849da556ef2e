"""Target recall: how many of the known relevant pages were found."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from salticid.model import Floats


def recall_curve(relevant: Sequence[bool], targets: int) -> Floats:
    """r(n) = targets among the first n pages / all targets, for n = 1, 2, ... (spec 4, task 2).

    A topic without targets leaves nothing to find: 0 throughout.

    >>> recall_curve([True, False, True], 4).tolist()
    [0.25, 0.25, 0.5]
    """
    found: Floats = np.cumsum(np.asarray(relevant, np.bool_), dtype=np.float64)
    return found / max(targets, 1)


def target_recall(relevant: Sequence[bool], targets: int) -> float:
    """The share of all targets that the whole crawl found.

    >>> target_recall([True, False, True], 4)
    0.5
    """
    return sum(relevant) / max(targets, 1)
