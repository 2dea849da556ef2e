"""Where to draw the line between positive and negative scores."""

from __future__ import annotations

import numpy as np

from salticid.model import Bools, Floats


def best_threshold(scores: Floats, positive: Bools) -> float:
    """The line of largest F1 = 2 tp / (called positive + truly positive); a page on it is called positive.

    The line lies halfway between the lowest score called positive and the next lower one, on the lowest score
    when all are called positive. Of equally good lines the highest is taken, which calls the fewest pages
    positive. There has to be a positive page.

    >>> scores = np.array([0.9, 0.8, 0.6, 0.2])
    >>> best_threshold(scores, np.array([True, False, True, False]))    # F1: 2/3, 1/2, 4/5, 2/3
    0.4
    """
    levels, which = np.unique(-scores, return_inverse=True)
    totals = np.cumsum(np.bincount(which))
    right = np.cumsum(np.bincount(which, positive))
    best = int(np.argmax(2 * right / (totals + right[-1])))
    lowest = -float(levels[best])
    if best + 1 == len(levels):
        return lowest
    halfway = (lowest - float(levels[best + 1])) / 2
    return halfway if halfway > -levels[best + 1] else lowest
