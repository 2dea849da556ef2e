"""Recency as estimated from the dates of pages."""

import numpy as np

from salticid.metrics.parts.estimates import estimated_recency
from salticid.metrics.parts.judged_crawl import JudgedCrawl
from salticid.metrics.parts.measure import Better, Group, Measure, Need
from salticid.model import Floats


@Measure(
    title="estimated recency", better=Better.HIGHER, group=Group.WORDS, unit="share",
    claim="gets the most recent pages", digits=3, needs=(Need.DATES,),
)  # fmt: skip
def est_recency(crawl: JudgedCrawl) -> Floats:
    """Mean of 1 / (1 + days between the indexing of a page and its later change).

    A crawl has just read its pages, so that only an older index can be behind.

    Paper: Menczer, "Complementing search engines with online web mining agents", Decision Support Systems 35,
    2003.
    """
    return estimated_recency(crawl.topic.dates(crawl.pages), np.inf)
