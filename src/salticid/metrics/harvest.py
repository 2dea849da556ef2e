"""Harvest: the share of fetched pages that are on the topic."""

from collections.abc import Sequence
from itertools import accumulate

from salticid.metrics.parts.judged_crawl import JudgedCrawl
from salticid.metrics.parts.measure import Better, Group, Measure, Need


@Measure(
    better=Better.HIGHER, group=Group.TARGETS, unit="share", of="of all it fetched", needs=(Need.TARGETS,),
)  # fmt: skip
def harvest(crawl: JudgedCrawl) -> list[float] | float:
    """Share of the fetched pages that are targets; seeds and examples count neither for nor against."""
    return harvest_curve(crawl.relevant) or 0.0


def harvest_curve(relevant: Sequence[bool]) -> list[float]:
    """h(n) = relevant pages among the first n / n, for n = 1, 2, ...

    >>> harvest_curve([True, False, True])
    [1.0, 0.5, 0.6666666666666666]
    """
    return [hits / n for n, hits in enumerate(accumulate(map(int, relevant)), start=1)]
