"""Measures by classifiers that no crawl has seen: the share of fetched pages they call positive."""

from __future__ import annotations

import numpy as np

from salticid.metrics.parts.judged import JudgedCrawl
from salticid.metrics.parts.measure import Better, Group, Measure, Need
from salticid.metrics.parts.retrieval import mean_so_far
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


# Pages that a Widrow-Hoff classifier calls positive, which no crawler has seen.


@Measure(
    title="Widrow-Hoff", better=Better.HIGHER, group=Group.CLASSIFIERS, unit="share",
    claim="convinces the Widrow-Hoff classifier most often", of="of all it fetched", needs=(Need.CLASSIFIERS,),
)  # fmt: skip
def classifier_widrow_hoff(crawl: JudgedCrawl) -> float:
    """Share of the fetched pages that a Widrow-Hoff classifier, trained on known relevant pages, calls positive.

    Paper: Menczer, Pant, Ruiz, Srinivasan, "Evaluating topic-driven web crawlers", SIGIR 2001.
    """
    positive = crawl.topic.called_positive["widrow_hoff"][crawl.places]
    return float(positive.mean()) if len(positive) else 0.0


# Pages that an exponentiated-gradient classifier calls positive, which no crawler has seen.


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
