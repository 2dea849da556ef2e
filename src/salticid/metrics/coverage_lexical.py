"""How many of the best pages a crawl got, best by their words."""

from salticid.metrics.parts.judged_crawl import JudgedCrawl
from salticid.metrics.parts.measure import Better, Group, Measure
from salticid.metrics.parts.ranks import TOP, TOPS, coverage_curve
from salticid.model import Floats


@Measure(
    title="coverage by words", better=Better.HIGHER, group=Group.WORDS, unit="share",
    claim="gets most of the pages that SMART ranks best", of="of the best 100", tops=TOPS, top=TOP,
)  # fmt: skip
def coverage_lexical(crawl: JudgedCrawl) -> Floats:
    """Share of the pool's 100 pages of best SMART rank that the crawl fetched.

    Paper: Pant, Srinivasan, Menczer, "Exploration versus exploitation in topic driven crawlers", 2002.
    """
    ranks = crawl.topic.smart
    return coverage_curve(ranks[crawl.places], TOPS, ranks)
