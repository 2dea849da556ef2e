"""Where curves are looked at: after how many pages, among how many best ones, at which recall."""

from __future__ import annotations

import numpy as np

POINTS = 100
"""Values a curve along the crawl is shown with."""
TOPS = (1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000)
"""For how many best pages of a pool coverage is looked at."""
RECALLS = tuple(round(0.05 * step, 2) for step in range(1, 21))
"""Recall at which precision is looked at."""


def grid(max_pages: int) -> list[int]:
    """After how many pages a curve is looked at.

    >>> grid(3)
    [1, 2, 3]
    """
    found: list[int] = np.unique(np.rint(np.linspace(1, max_pages, POINTS)).astype(np.int64)).tolist()
    return found
