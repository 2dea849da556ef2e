"""How high the pages fetched stand, as two retrieval systems rank them together."""

from salticid.metrics.parts.judged_crawl import JudgedCrawl
from salticid.metrics.parts.measure import Better, Group, Measure, Need
from salticid.metrics.parts.similarity import mean_so_far


@Measure(
    title="mean averaged rank", better=Better.LOWER, group=Group.WORDS, unit="rank",
    claim="gets the pages that SMART and BM25 together rank best", digits=0, needs=(Need.PAGES,),
)  # fmt: skip
def averaged_rank(crawl: JudgedCrawl) -> float:
    """Mean rank of the fetched pages when the ranks of SMART and of BM25 are averaged; 1 is the best.

    Paper: Menczer, Pant, Ruiz, Srinivasan, "Evaluating topic-driven web crawlers", SIGIR 2001.
    """
    return float(mean_so_far(crawl.topic.smart_and_bm25[crawl.places])[-1])
