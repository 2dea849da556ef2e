"""How high the pages fetched stand, as SMART ranks them."""

from salticid.metrics.parts.judged_crawl import JudgedCrawl
from salticid.metrics.parts.measure import Better, Group, Measure, Need
from salticid.metrics.parts.similarity import mean_so_far
from salticid.model import Floats


@Measure(
    title="mean SMART rank", better=Better.LOWER, group=Group.WORDS, unit="rank",
    claim="gets the pages that SMART ranks best", digits=0, needs=(Need.PAGES,),
)  # fmt: skip
def smart_rank(crawl: JudgedCrawl) -> Floats:
    """Mean rank of the fetched pages when SMART (atc) ranks the pool of all crawls of the topic by its description; 1
    is the best.

    Paper: Menczer, Pant, Ruiz, Srinivasan, "Evaluating topic-driven web crawlers", SIGIR 2001.
    """
    return mean_so_far(crawl.topic.smart[crawl.places])
