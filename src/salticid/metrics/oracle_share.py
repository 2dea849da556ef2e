"""Oracle share: how near a crawl came to one that knows all links and all targets."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np


def oracle_share(found: Sequence[bool], oracle: Sequence[bool], length: int) -> float | None:
    """The area under the crawl's curve of targets found against pages fetched, divided by the oracle's.

        share = sum of f(n) over n = 1..length / the same of the oracle, f(n) = targets among the first n pages

    Both sequences hold one entry for every good page, seeds and examples among them: they cost a page as any
    other does, but are never found. `length` is the number of pages that all crawls compared were allowed; one
    that ended sooner, the oracle too, keeps what it has found. None when the oracle finds nothing.

    The oracle (`salticid.lab.oracle`) is greedy, so that a lucky crawl may pass it: the share can exceed 1.

    >>> oracle_share([False, False, True, True], [False, True, True], length=4)
    0.6
    """
    best = _area(oracle, length)
    return _area(found, length) / best if best else None


def _area(found: Sequence[bool], length: int) -> int:
    """A target found on page n counts on that page and on all after it."""
    return int((length - np.flatnonzero(found[:length])).sum())
