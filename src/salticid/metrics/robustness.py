"""Robustness: how far two crawls from different halves of the seeds end up on the same pages."""

import numpy as np

from salticid.metrics.parts.judged_crawl import JudgedCrawl
from salticid.metrics.parts.measure import Better, Measure, Need
from salticid.model import Ints


@Measure(
    better=Better.HIGHER, unit="share", claim="depends least on where it starts", of="of the pages in common",
    needs=(Need.HALVES,),
)  # fmt: skip
def robustness(crawl: JudgedCrawl) -> float | None:
    """Share of pages that two crawls have in common when they start from either half of the seeds.

    Paper: Chakrabarti, van den Berg, Dom, "Focused crawling: a new approach to topic-specific web resource discovery",
    WWW8, 1999.
    """
    return None if crawl.halves is None else overlap(*crawl.halves)


def overlap(a: Ints, b: Ints) -> float | None:
    """|A and B| / max(|A|, |B|): the share of the larger crawl that the other one has too; None without pages.

    `a` and `b` are what two crawls fetched: repeated pages count once.
    The papers name the overlap without a formula. Crawls of one budget are mostly of one size, and then this
    is the plain share of common pages; the larger one is the measure when sizes differ, for a crawl that ends
    after its first page is not robust.

    >>> overlap(np.array([3, 1, 4, 1]), np.array([1, 3]))
    0.6666666666666666
    """
    larger = max(len(np.unique(a)), len(np.unique(b)))
    return len(np.intersect1d(a, b)) / larger if larger else None
