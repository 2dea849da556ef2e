"""Search length: the pages that have to be fetched until a share of the targets is found."""

from collections.abc import Sequence

import numpy as np

from salticid.metrics.parts.judged_crawl import JudgedCrawl
from salticid.metrics.parts.measure import Better, Group, Measure, Need

_ROUNDING = 1e-9
"""Three tenths of ten targets are three of them, though the product of the two floats is a little more."""


@Measure(
    better=Better.LOWER, group=Group.TARGETS, unit="pages", claim="needs fewest pages to find half of the targets",
    of="pages", digits=0, needs=(Need.TARGETS,),
)  # fmt: skip
def search_length(crawl: JudgedCrawl) -> float:
    """Pages fetched until half of the targets are found; where they never are, one page more than the budget, so that
    the mean is a lower bound.

    To leave out the topics on which a crawler fails would make its mean the better the more often it fails. So
    every topic counts, and one that was not solved counts as solved on the first page that nobody paid for: the
    least it can have been. That flatters those who fail, but no failure comes before a success.

    Paper: Menczer, Pant, Ruiz, Srinivasan, "Evaluating topic-driven web crawlers", SIGIR 2001, section 3.2.
    """
    topic = crawl.topic
    pages = pages_until(crawl.relevant[: topic.length], len(topic.targets))
    return topic.length + 1.0 if pages is None else pages


def pages_until(relevant: Sequence[bool], targets: int, share: float = 0.5) -> float | None:
    """The least n for which the first n pages hold `share` of all targets; None if the crawl never got there.

    >>> pages_until([False, True, False, True], targets=4)
    4.0
    >>> pages_until([False, True, False, True], targets=4, share=0.75) is None
    True
    """
    if not targets:
        return None
    hits = np.cumsum(np.asarray(relevant, np.bool_))
    n = int(hits.searchsorted(share * targets - _ROUNDING)) + 1
    return float(n) if n <= len(hits) else None
