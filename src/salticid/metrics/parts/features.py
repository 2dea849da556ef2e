"""What a classifier of pages reads: the terms that mark a topic, and pages as vectors of them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from scipy.sparse import csr_array

from salticid.metrics.parts.similarity import idf, scale_columns
from salticid.model import Bools, Floats, Ints

FEATURES = 50
_DIGITS = 12
"""Shares of text that agree in so many decimals are equal: what is left is the order in which they were added."""


def correlation(counts: csr_array, positive: Bools) -> Floats:
    """The correlation coefficient of each term with the positive pages, the signed root of chi-squared.

        C = (a d - b c) sqrt(N) / sqrt((a + c) (b + d) (a + b) (c + d))

    a positive and b negative pages have the term, c and d have it not; N = a + b + c + d. How often a page
    has it does not matter. 0 for a term on all pages or on none. `counts` (pages x terms) has each entry once.

    >>> counts = csr_array(np.array([[3, 1, 0], [1, 0, 0], [0, 1, 0], [0, 0, 2]]))
    >>> correlation(counts, np.array([True, True, False, False])).round(4).tolist()
    [2.0, 0.0, -1.1547]

    Paper: Ng, Goh, Low, "Feature selection, perceptron learning, and a usability case study for text
    categorization", SIGIR 1997.
    """
    pages, terms = counts.shape
    there = counts.data > 0
    on = there & positive[_rows(counts)]
    with_term = np.bincount(counts.indices[there], minlength=terms).astype(np.float64)
    positive_with_term = np.bincount(counts.indices[on], minlength=terms)
    many = int(positive.sum())
    coefficients: Floats = np.zeros(terms)
    spread = many * (pages - many) * with_term * (pages - with_term)
    varies = spread > 0
    excess = pages * positive_with_term - many * with_term  # a d - b c
    coefficients[varies] = excess[varies] * np.sqrt(pages / spread[varies])
    return coefficients


def best_features(counts: csr_array, positive: Bools, k: int = FEATURES) -> Ints:
    """The columns of the `k` terms that most mark the positive pages, best first, by their correlation.

    One-sided: a term that marks the negatives is none of them, so there may be fewer. Terms of one
    correlation, and with ten positives there are many, go by their share of the positive pages' text, the
    larger first, then of the negative pages', the smaller first. Those alike in all that and too many for the
    places left are left out together, for only their numbers could tell them apart; they are all taken when
    there would be no feature otherwise.

    >>> counts = csr_array(np.array([[3, 1, 0, 2], [3, 0, 0, 2], [0, 2, 1, 0], [0, 0, 2, 1]]))
    >>> best_features(counts, np.array([True, True, False, False])).tolist()
    [0, 3]
    """
    marks = correlation(counts, positive)
    candidates = np.flatnonzero(marks > 0)
    keys = np.stack(
        [-marks, -_share_of_text(counts, positive), _share_of_text(counts, ~positive)],
    )[:, candidates]
    order = np.lexsort(keys[::-1])
    if len(order) > k:
        order = order[: _clear_cut(keys[:, order], k)]
    best: Ints = candidates[order].astype(np.int32)
    return best


def _clear_cut(keys: Floats, k: int) -> int:
    """Where to cut sorted columns of keys, at `k` or before, so that no two equal ones are parted."""
    new = np.append(np.flatnonzero((keys[:, 1:] != keys[:, :-1]).any(axis=0)) + 1, keys.shape[1])
    before = new[new <= k]
    return int(before[-1] if len(before) else new[0])


def _share_of_text(counts: csr_array, pages: Bools) -> Floats:
    """The share of each term in the text of the chosen pages, the mean over pages, rounded."""
    rows = _rows(counts)
    lengths = np.bincount(rows, counts.data, counts.shape[0])
    on = pages[rows] & (counts.data > 0)
    shares = np.bincount(counts.indices[on], counts.data[on] / lengths[rows[on]], counts.shape[1])
    means: Floats = (shares / max(1, int(pages.sum()))).round(_DIGITS)
    return means


def unit_vectors(counts: csr_array, weights: Floats) -> csr_array:
    """Pages as vectors of length 1, a term weighing its count times its weight; an empty page stays empty.

    A page's vector is the same bit for bit whatever other pages come with it.

    >>> unit_vectors(csr_array(np.array([[3, 2], [0, 0]])), np.array([1.0, 2.0])).toarray().tolist()
    [[0.6, 0.8], [0.0, 0.0]]
    """
    rows, long = _rows(counts), scale_columns(counts, weights)
    norms = np.sqrt(np.bincount(rows, long.data * long.data, counts.shape[0]))
    norms[norms == 0] = 1.0
    return csr_array((long.data / norms[rows], long.indices, long.indptr), shape=counts.shape)


@dataclass(frozen=True, slots=True, eq=False)
class Vectorizer:
    """How pages become vectors: tf * idf over the terms of the training pages, length 1, then the features of it.

    So a feature weighs little on a long page about something else. The idf is 1 + ln(N / n_k) over the training
    pages; a term that none of them has weighs nothing.
    """

    features: Ints
    idf: Floats

    @classmethod
    def of(cls, counts: csr_array, positive: Bools) -> Vectorizer:
        """The one that training pages call for."""
        return cls(best_features(counts, positive), idf(counts))

    def vectors(self, counts: csr_array) -> Floats:
        """One row a page, one column a feature."""
        dense: Floats = unit_vectors(counts, self.idf)[:, self.features].toarray()
        return dense


def _rows(counts: csr_array) -> npt.NDArray[np.int64]:
    """The row of each stored entry."""
    return np.repeat(np.arange(counts.shape[0]), np.diff(counts.indptr))
