"""Precision as estimated from a description of relevant pages."""

from salticid.metrics.parts.judged_crawl import JudgedCrawl
from salticid.metrics.parts.measure import Better, Group, Measure, Need
from salticid.metrics.parts.similarity import mean_so_far
from salticid.model import Floats


@Measure(
    title="estimated precision", better=Better.HIGHER, group=Group.WORDS, unit="cosine", digits=3,
    needs=(Need.PAGES,),
)  # fmt: skip
def est_precision(crawl: JudgedCrawl) -> Floats:
    """Mean cosine of the fetched pages, start pages left out, and a text about known relevant pages.

    Paper: Menczer, "Complementing search engines with online web mining agents", Decision Support Systems 35,
    2003.
    """
    return mean_so_far(crawl.topic.likeness[crawl.places[~crawl.is_seed]])
