"""How well a judge ranks pages: average precision of its scores, given what is relevant."""

import numpy as np

from salticid.metrics.parts.judged_crawl import JudgedCrawl
from salticid.metrics.parts.measure import Better, Group, Measure, Need
from salticid.model import Bools, Floats


@Measure(
    title="judge's average precision", better=Better.HIGHER, group=Group.CLASSIFIERS, unit="share",
    claim="has the judge that knows targets best", needs=(Need.FOUND,),
)  # fmt: skip
def judge_ap(crawl: JudgedCrawl) -> float | None:
    """Average precision of the crawl's pages ranked by the judge's scores: how well the crawler knew what it had."""
    return average_precision(crawl.scores[crawl.is_counted], crawl.is_target[crawl.is_counted])


def average_precision(scores: Floats, relevant: Bools) -> float | None:
    """AP = sum over the distinct scores, from the highest, of (R_k - R_k-1) P_k; None if nothing is relevant.

    P_k and R_k are precision and recall of all pages with at least the k-th highest score, so that pages of
    equal score come all at once and their order has no say. scikit-learn's average_precision_score agrees.

    Of three pages the best and the last two, which tie, hold one relevant page each: 1/2 * 1 + 1/2 * 2/3.

    >>> average_precision(np.array([0.9, 0.1, 0.1]), np.array([True, False, True]))
    0.8333333333333333
    """
    if not relevant.any():
        return None
    order = np.argsort(-scores, kind="stable")
    last_of_score = np.append(np.flatnonzero(np.diff(scores[order])), len(order) - 1)
    hits = np.cumsum(relevant[order])[last_of_score]
    precision = hits / (last_of_score + 1)
    return float((np.diff(hits, prepend=0) * precision).sum() / hits[-1])
