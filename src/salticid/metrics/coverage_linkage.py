"""How many of the best pages a crawl got, best by their keywords and links."""

from salticid.metrics.parts.judged_crawl import JudgedCrawl
from salticid.metrics.parts.measure import Better, Group, Measure
from salticid.metrics.parts.ranks import TOP, TOPS, coverage_curve
from salticid.model import Floats


@Measure(
    title="coverage by links", better=Better.HIGHER, group=Group.LINKS, unit="share",
    claim="gets most of the best pages by keywords and PageRank", of="of the best 100", tops=TOPS, top=TOP,
)  # fmt: skip
def coverage_linkage(crawl: JudgedCrawl) -> Floats:
    """Share of the pool's 100 best pages by keywords and PageRank that the crawl fetched.

    Paper: Pant, Srinivasan, Menczer, "Exploration versus exploitation in topic driven crawlers", 2002.
    """
    ranks = crawl.topic.linkage
    return coverage_curve(ranks[crawl.places], TOPS, ranks)
