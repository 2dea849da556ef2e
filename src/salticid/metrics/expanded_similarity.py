"""How near the pages fetched are to a description in more words."""

from salticid.metrics.parts.judged_crawl import JudgedCrawl
from salticid.metrics.parts.measure import Better, Group, Measure, Need
from salticid.metrics.parts.similarity import mean_so_far


@Measure(
    title="similarity, expanded", better=Better.HIGHER, group=Group.WORDS, unit="cosine",
    claim="stays nearest to the known relevant pages", digits=3, needs=(Need.EXAMPLES, Need.PAGES),
)  # fmt: skip
def expanded_similarity(crawl: JudgedCrawl) -> float:
    """Mean similarity of the fetched pages and a query expanded by known relevant pages, which credits pages that say
    it in other words.

    Paper: Menczer, Pant, Ruiz, Srinivasan, "Evaluating topic-driven web crawlers", SIGIR 2001.
    """
    return float(mean_so_far(crawl.topic.expanded_similarity[crawl.places])[-1])
