"""Pages that an exponentiated-gradient classifier calls positive, which no crawler has seen."""

from salticid.metrics.parts.judged_crawl import JudgedCrawl
from salticid.metrics.parts.measure import Better, Group, Measure, Need


@Measure(
    title="exponentiated gradient", better=Better.HIGHER, group=Group.CLASSIFIERS, unit="share",
    claim="convinces the exponentiated-gradient classifier most often", of="of all it fetched",
    needs=(Need.CLASSIFIERS,),
)  # fmt: skip
def classifier_eg(crawl: JudgedCrawl) -> float:
    """Share of the fetched pages that an exponentiated-gradient classifier, trained on known relevant pages, calls
    positive.

    Paper: Menczer, Pant, Ruiz, Srinivasan, "Evaluating topic-driven web crawlers", SIGIR 2001.
    """
    positive = crawl.topic.called_positive["eg"][crawl.places]
    return float(positive.mean()) if len(positive) else 0.0
