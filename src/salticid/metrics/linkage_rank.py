"""How high the pages fetched stand by their keywords and links."""

from salticid.metrics.parts.judged_crawl import JudgedCrawl
from salticid.metrics.parts.measure import Better, Group, Measure, Need
from salticid.metrics.parts.similarity import mean_so_far
from salticid.model import Floats


@Measure(
    title="mean linkage rank", better=Better.LOWER, group=Group.LINKS, unit="rank",
    claim="gets the pages ranked best by keywords and PageRank", digits=0, needs=(Need.PAGES,),
)  # fmt: skip
def linkage_rank(crawl: JudgedCrawl) -> Floats:
    """Mean rank of the fetched pages in the pool: by number of the topic's keywords, ties by PageRank; 1 is the best.

    Paper: Pant, Srinivasan, Menczer, "Exploration versus exploitation in topic driven crawlers", 2002.
    """
    return mean_so_far(crawl.topic.linkage[crawl.places])
