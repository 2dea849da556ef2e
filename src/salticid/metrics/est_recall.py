"""Recall as estimated from a description of relevant pages."""

from salticid.metrics.parts.estimates import estimated_recall
from salticid.metrics.parts.judged_crawl import JudgedCrawl
from salticid.metrics.parts.measure import Better, Group, Measure, Need
from salticid.model import Floats


@Measure(
    title="estimated recall", better=Better.HIGHER, group=Group.WORDS, unit="pages' worth", digits=1,
    needs=(Need.PAGES,),
)  # fmt: skip
def est_recall(crawl: JudgedCrawl) -> Floats:
    """Estimated precision times the number of pages fetched.

    Paper: Menczer, "Complementing search engines with online web mining agents", Decision Support Systems 35,
    2003.
    """
    return estimated_recall(crawl.topic.likeness[crawl.places[~crawl.is_seed]])
