"""Harvest: the share of fetched pages that are on the topic."""

from salticid.metrics.parts.hits import harvest_curve
from salticid.metrics.parts.judged_crawl import JudgedCrawl
from salticid.metrics.parts.measure import Better, Group, Measure, Need


@Measure(
    better=Better.HIGHER, group=Group.TARGETS, unit="share", of="of all it fetched", needs=(Need.TARGETS,),
)  # fmt: skip
def harvest(crawl: JudgedCrawl) -> list[float] | float:
    """Share of the fetched pages that are targets; seeds and examples count neither for nor against."""
    return harvest_curve(crawl.relevant) or 0.0
