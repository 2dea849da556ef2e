"""How near the pages fetched are to the topic's description."""

from salticid.metrics.parts.judged_crawl import JudgedCrawl
from salticid.metrics.parts.measure import Better, Group, Measure, Need
from salticid.metrics.parts.similarity import mean_so_far
from salticid.model import Floats


@Measure(
    better=Better.HIGHER, group=Group.WORDS, unit="cosine", claim="stays nearest to the topic's description",
    digits=3, needs=(Need.PAGES,),
)  # fmt: skip
def mean_similarity(crawl: JudgedCrawl) -> Floats:
    """Mean tf-idf cosine of the fetched pages and the topic's description.

    Paper: Menczer, Pant, Ruiz, Srinivasan, "Evaluating topic-driven web crawlers", SIGIR 2001.
    """
    return mean_so_far(crawl.topic.similarity[crawl.places])
