"""Pages that a Rocchio classifier calls positive, which no crawler has seen."""

import numpy as np

from salticid.metrics.parts.judged_crawl import JudgedCrawl
from salticid.metrics.parts.measure import Better, Group, Measure, Need
from salticid.metrics.parts.similarity import mean_so_far
from salticid.model import Floats


@Measure(
    title="Rocchio", better=Better.HIGHER, group=Group.CLASSIFIERS, unit="share",
    claim="convinces the Rocchio classifier most often", of="of all it fetched", needs=(Need.CLASSIFIERS,),
)  # fmt: skip
def classifier_rocchio(crawl: JudgedCrawl) -> Floats | float:
    """Share of the fetched pages that a Rocchio classifier, trained on known relevant pages, calls positive.

    Paper: Menczer, Pant, Ruiz, Srinivasan, "Evaluating topic-driven web crawlers", SIGIR 2001.
    """
    positive = crawl.topic.called_positive["rocchio"][crawl.places]
    return mean_so_far(positive.astype(np.float64)) if len(positive) else 0.0
