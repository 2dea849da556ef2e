"""Precision, recall and recency as estimated from a description of pages known to be relevant.

Paper, all of it: Menczer, "Complementing search engines with online web mining agents", 2003.
"""

from __future__ import annotations

import numpy as np

from salticid.model import Floats

_DAY = 86_400.0


def estimated_recall(similarities: Floats) -> Floats:
    """R(n) = P(n) * n, recall up to a factor nobody knows: how many relevant pages there are.

    P(n) is the mean of sim(r_q, p) over the first n pages p, for n = 1, 2, ...; sim is the cosine on raw counts
    (`similarity.cosines`), r_q the text that describes relevant pages. Start pages are not among those given.

    >>> estimated_recall(np.array([0.4, 0.2])).round(4).tolist()
    [0.4, 0.6]
    """
    sums: Floats = np.cumsum(similarities, dtype=np.float64)
    return sums


def estimated_recency(dates: Floats, index_time: float | Floats) -> Floats:
    """T(n) = the mean of 1 / (1 + delta) over the first n pages, for n = 1, 2, ...

    delta is the days from indexing to the last modification when the page was modified after it was indexed,
    else 0. Both are in seconds since 1970. A page with an unknown date (nan) is left out of the mean; T is
    nan until there is one whose dates are known.

    The first page has no date, the second changed a day after it was indexed, the third before.

    >>> estimated_recency(np.array([np.nan, 186400.0, 50.0]), 100000.0).tolist()
    [nan, 0.5, 0.75]
    """
    current = 1 / (1 + np.maximum(dates - index_time, 0.0) / _DAY)
    has_date = ~np.isnan(current)
    total, count = np.cumsum(np.where(has_date, current, 0.0)), np.cumsum(has_date)
    means: Floats = np.divide(total, count, out=np.full(len(has_date), np.nan), where=count > 0)
    return means


def product(recency: Floats, recall: Floats) -> Floats:
    """T * R, point by point: of one crawl, or of the means over topics.

    >>> product(np.array([0.5, 0.75]), np.array([0.4, 0.8])).round(4).tolist()
    [0.2, 0.6]
    """
    return recency * recall


def product_se(recency: Floats, recency_se: Floats, recall: Floats, recall_se: Floats) -> Floats:
    """The standard error of T * R as the paper estimates it: mean T * se R + mean R * se T.

    >>> product_se(np.array([0.5]), np.array([0.1]), np.array([4.0]), np.array([0.2])).tolist()
    [0.5]
    """
    return recency * recall_se + recall * recency_se
