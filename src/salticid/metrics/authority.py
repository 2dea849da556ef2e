"""How much authority the pages fetched have."""

from salticid.metrics.parts.judged_crawl import JudgedCrawl
from salticid.metrics.parts.measure import Better, Group, Measure, Need
from salticid.metrics.parts.similarity import mean_so_far
from salticid.model import Floats


@Measure(
    title="authority", better=Better.HIGHER, group=Group.LINKS, unit="times the pool's mean",
    claim="gets the pages of most authority", digits=2, needs=(Need.PAGES,),
)  # fmt: skip
def authority(crawl: JudgedCrawl) -> Floats:
    """Mean PageRank of the fetched pages, whatever they are about, as a multiple of the mean of the topic's pool.

    PageRank is by the links among all pages that the crawls of all topics fetched.

    Paper: none has it; authority is named as wanted in Menczer, Pant, Ruiz, Srinivasan, "Evaluating topic-driven web
    crawlers", SIGIR 2001.
    """
    pool = crawl.topic.pagerank
    return mean_so_far(pool[crawl.places] / pool.mean())
