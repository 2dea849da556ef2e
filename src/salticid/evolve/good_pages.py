"""Which pages of a world are good: what the judge calls positive, or its best, so that there is enough to find."""

from __future__ import annotations

import numpy as np

from salticid.model import Bools, Floats


def good_pages(scores: Floats, line: float, least: int = 0) -> Bools:
    """Those that reach the line; where these are fewer than `least`, so many of the best, and all as good as the last.

    A page that scores nothing is never good. A judge that knows five pages calls few others positive, and every
    crawl finds those few: then none would be better than another.

    >>> scores = np.array([0.9, 0.4, 0.4, 0.1, 0.0])
    >>> [good_pages(scores, 0.5, least).astype(int).tolist() for least in (1, 2, 5)]
    [[1, 0, 0, 0, 0], [1, 1, 1, 0, 0], [1, 1, 1, 1, 0]]
    """
    least = min(least, len(scores))
    if least:
        line = min(line, float(np.partition(scores, -least)[-least]))
    good: Bools = (scores >= line) & (scores > 0)
    return good
