"""PageRank over everything that the crawls of an experiment fetched, of all topics."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from salticid.lab.material import oracle_of
from salticid.metrics.linkage import pool_pagerank
from salticid.model import Floats, Ints

Ranked = tuple[Ints, Floats]
"""Pages of the world, ascending, and the PageRank of each."""


def pool_ranks(world: str, crawled: Iterable[list[int]]) -> Ranked:
    """The PageRank of all pages crawled, by the links among them."""
    pages = np.unique(
        np.concatenate([np.zeros(0, np.int32), *(np.array(each, np.int32) for each in crawled)])
    )
    start, link = oracle_of(world).links.among(pages)
    return pages, pool_pagerank(start.astype(np.int32), link)
