"""The area under the recall curve: how soon targets are found, and how many."""

from __future__ import annotations

from collections.abc import Sequence

from salticid.metrics.target_recall import recall_curve


def recall_auc(relevant: Sequence[bool], targets: int, length: int) -> float:
    """The mean of r(n) over n = 1..length; a crawl that ended sooner keeps its last value.

    1 would be all targets on the first page; no crawl gets there.

    >>> recall_auc([True, False, True], 4, length=3)
    0.3333333333333333
    >>> recall_auc([True, False, True], 4, length=5)
    0.4
    """
    curve = recall_curve(relevant, targets)[:length]
    if not len(curve):
        return 0.0
    return float(curve.sum() + curve[-1] * (length - len(curve))) / length
