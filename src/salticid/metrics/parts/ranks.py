"""Pages of a pool by rank, and how high the pages of a crawl stand."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from scipy.stats import rankdata

from salticid.model import Floats

TOPS = (1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000)
"""For how many best pages of a pool coverage is looked at."""
TOP = 100
"""The number of them that sums it up."""
_DIGITS = 12
"""Scores are compared to so many digits of the best one. What lies beyond comes from the order of sums."""


def ranks(scores: Floats) -> Floats:
    """The rank of each score, 1 the highest; equals share the mean of the places they take.

    >>> ranks(np.array([0.2, 0.9, 0.2, 0.0])).tolist()
    [2.5, 1.0, 2.5, 4.0]
    """
    best = float(np.abs(scores).max(initial=0.0)) or 1.0
    places: Floats = rankdata(-np.round(scores / best, _DIGITS), "average")
    return places


def mean_ranks(*several: Floats) -> Floats:
    """The ranks by the mean of the ranks that several retrieval systems gave.

    Means 1.5, 1.5 and 3: the first two share places 1 and 2.

    >>> mean_ranks(np.array([1.0, 2.0, 3.0]), np.array([2.0, 1.0, 3.0])).tolist()
    [1.5, 1.5, 3.0]
    """
    return ranks(-np.sum(several, axis=0))


def coverage_curve(crawl_ranks: Floats, ns: Sequence[int], pool: Floats) -> Floats:
    """Which share of the pool's n best pages a crawl got, each page given once, for each n of `ns`.

    `pool` holds the ranks of all pages of the pool. Where the n-th place falls among equals, each of them counts
    in part: of three that share places 2 to 4, with n = 3, two thirds. A pool of fewer than n pages is
    covered by having them all.

    >>> coverage_curve(np.array([1.0, 3.0]), [3], pool=np.array([1.0, 3.0, 3.0, 3.0])).tolist()  # (1 + 2/3) / 3
    [0.5555555555555555]

    Paper: Pant, Srinivasan, Menczer, "Exploration versus exploitation in topic driven crawlers", 2002.
    """
    tops = np.minimum(np.array(ns, np.float64), len(pool))
    groups, sizes = np.unique(pool, return_counts=True)
    equals = sizes[groups.searchsorted(crawl_ranks)].astype(np.float64)
    first = crawl_ranks - (equals - 1) / 2
    inside = np.clip((tops[:, np.newaxis] - first + 1) / equals, 0.0, 1.0)
    shares: Floats = inside.sum(axis=1) / tops
    return shares
