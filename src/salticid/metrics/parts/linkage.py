"""How good pages are by their links: rank_KW,PR, keywords first and PageRank among equals."""

from __future__ import annotations

import numpy as np
from scipy.sparse import csr_array

from salticid.metrics.parts.ranks import ranks
from salticid.model import Floats, Ints

_MOST_ROUNDS = 1000


def keyword_hits(counts: csr_array, query: Floats) -> Ints:
    """How many distinct stems of the query each page has.

    >>> keyword_hits(csr_array([[5, 0, 1], [1, 1, 0]]), np.array([2.0, 1.0, 0.0])).tolist()
    [1, 2]
    """
    there = csr_array((counts.data > 0, counts.indices, counts.indptr), counts.shape)
    hits: Ints = there @ (query > 0).astype(np.int32)
    return hits


def keyword_pagerank_ranks(keyword_hits: Ints, pagerank: Floats) -> Floats:
    """rank_KW,PR: 1 for the page with the most keywords, among equals the one of highest PageRank.

    Pages equal in both share the mean of their places. The hits are of one topic's pool, the PageRanks of its
    pages worked out over the pages of all topics and crawlers.

    >>> keyword_pagerank_ranks(np.array([1, 2, 1, 1]), np.array([0.5, 0.1, 3.0, 0.5])).tolist()
    [3.5, 1.0, 2.0, 3.5]

    Paper: Pant, Srinivasan, Menczer, "Exploration versus exploitation in topic driven crawlers", 2002.
    """
    return ranks(keyword_hits - ranks(pagerank) / (len(pagerank) + 1))


def pool_pagerank(indptr: Ints, targets: Ints, damping: float = 0.85, tolerance: float = 1e-9) -> Floats:
    """The PageRank of each page of a pool by the links among them; 1 in the mean.

        PR(p) = (1 - g) + g * sum of PR(d) / |out(d)| over the pages d of the pool that link to p

    Page number i links to the pages `targets[indptr[i]:indptr[i + 1]]` of the pool, a number below 0 being a
    page outside it. Links to outside, to the page itself, and second links to a page are passed over. A page
    that then has none counts as linking to every page, itself too. Rounds go on until all ranks together
    move by less than `tolerance`.

    Both pages link to the first, the first to none, so to both: with g = 0.5, PR(1) = 0.5 + 0.5 * PR(0) / 2 and
    PR(0) + PR(1) = 2, so PR(0) = 1.2.

    >>> pool_pagerank(np.array([0, 0, 1]), np.array([0]), damping=0.5).round(6).tolist()
    [1.2, 0.8]

    Papers: Brin, Page, "The anatomy of a large-scale hypertextual web search engine", 1998; Haveliwala,
    "Efficient computation of PageRank", 1999.
    """
    size = len(indptr) - 1
    source = np.repeat(np.arange(size), np.diff(indptr))
    inside = (targets >= 0) & (targets != source)
    links = np.unique(source[inside] * size + targets[inside])
    source, target = np.divmod(links, max(size, 1))
    out = np.bincount(source, minlength=size)
    dead_ends = out == 0
    shares = csr_array((1 / out[source], (target, source)), (size, size))
    pagerank = np.ones(size)
    for _ in range(_MOST_ROUNDS):
        before = pagerank
        pagerank = 1 - damping + damping * (shares @ before + before[dead_ends].sum() / max(size, 1))
        if np.abs(pagerank - before).sum() < tolerance:
            break
    return pagerank
