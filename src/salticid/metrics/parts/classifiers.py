"""Assessment by classifiers that no crawler has seen: the share of fetched pages they call positive."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from scipy.sparse import csr_array

from salticid.exact import shares
from salticid.metrics.parts.retrieval import idf, scale_columns
from salticid.model import Bools, Floats, Ints

# Exponentiated gradient: weights that are multiplied, not moved, one page at a time.


def exponentiated_gradient(x: Floats, positive: Bools, order: Ints) -> Floats:
    """Weights that start equal, sum to 1 and stay above 0; their mean over the whole pass.

        w_j <- w_j exp(-2 eta (w.x - y) x_j), over the sum of all;   y = 1 for a positive page, else 0
        eta = 2 / (3 R^2)

    R is the largest range of features within one page, max_j x_j - min_j x_j. One pass, in `order`; the mean
    takes in the weights before the first page. The weights stay equal when no page tells features apart.

    >>> x = np.array([[1.0, 0.0], [0.0, 1.0]])    # eta = 2/3; 1 / (1 + exp(-2/3)) = 0.6608
    >>> exponentiated_gradient(x, np.array([True, False]), np.array([0])).round(4).tolist()
    [0.5804, 0.4196]

    Papers: Lewis, Schapire, Callan, Papka, "Training algorithms for linear text classifiers", SIGIR 1996;
    Kivinen, Warmuth, "Exponentiated gradient versus gradient descent for linear predictors", Information and
    Computation 132, 1997.
    """
    if not x.size:
        return np.zeros(x.shape[1])
    widest = float(np.ptp(x, axis=1).max())
    rate = 2 / (3 * widest * widest) if widest else 0.0
    exponents = np.zeros(x.shape[1])
    weights = shares(exponents)
    total = weights.copy()
    for row, y in zip(x[order], positive[order].tolist(), strict=True):
        exponents = exponents - 2 * rate * (float((weights * row).sum()) - y) * row
        weights = shares(exponents)
        total += weights
    mean: Floats = total / (len(order) + 1)
    return mean


# Rocchio: the middle of the positive pages, pushed away from the middle of the negative ones.


def rocchio(x: Floats, positive: Bools, beta: float = 16, gamma: float = 4) -> Floats:
    """The weights w = beta * mean of positives - gamma * mean of negatives, those below 0 cut to 0.

    `x` has a row a page. A class without a page adds nothing.

    >>> x = np.array([[1.0, 0.0], [0.5, 0.5], [0.0, 1.0], [0.0, 4.0]])
    >>> rocchio(x, np.array([True, True, False, False])).tolist()    # 16 (0.75, 0.25) - 4 (0, 2.5)
    [12.0, 0.0]

    Paper: Lewis, Schapire, Callan, Papka, "Training algorithms for linear text classifiers", SIGIR 1996.
    """
    weights: Floats = np.maximum(beta * _mean(x[positive]) - gamma * _mean(x[~positive]), 0.0)
    return weights


def _mean(x: Floats) -> Floats:
    mean: Floats = x.sum(axis=0) / max(1, len(x))
    return mean


# Widrow-Hoff: least mean squares, one page at a time.


def widrow_hoff(x: Floats, positive: Bools, order: Ints) -> Floats:
    """Weights that start at 0 and move against each page's error; their mean over the whole pass.

        w <- w - 2 eta (w.x - y) x,   y = 1 for a positive page, else 0,   eta = 1 / (4 X^2)

    X is the largest norm of a row of `x`. One pass, in `order`; the mean takes in the weights before the
    first page. All weights are 0 when no page has a feature.

    >>> x = np.array([[1.0, 0.0], [0.0, 1.0]])
    >>> widrow_hoff(x, np.array([True, False]), np.array([0, 1, 0]))    # (0, 0), (.5, 0), (.5, 0), (.75, 0)
    array([0.4375, 0.    ])

    Paper: Lewis, Schapire, Callan, Papka, "Training algorithms for linear text classifiers", SIGIR 1996.
    """
    longest = float((x * x).sum(axis=1).max(initial=0.0))
    rate = 1 / (4 * longest) if longest else 0.0
    weights = np.zeros(x.shape[1])
    total = weights.copy()
    for row, y in zip(x[order], positive[order].tolist(), strict=True):
        weights = weights - 2 * rate * (float((weights * row).sum()) - y) * row
        total += weights
    mean: Floats = total / (len(order) + 1)
    return mean


# Where to draw the line between positive and negative scores.


def best_threshold(scores: Floats, positive: Bools) -> float:
    """The line of largest F1 = 2 tp / (called positive + truly positive); a page on it is called positive.

    The line lies halfway between the lowest score called positive and the next lower one, on the lowest score
    when all are called positive. Of equally good lines the highest is taken, which calls the fewest pages
    positive. There has to be a positive page.

    >>> scores = np.array([0.9, 0.8, 0.6, 0.2])
    >>> best_threshold(scores, np.array([True, False, True, False]))    # F1: 2/3, 1/2, 4/5, 2/3
    0.4
    """
    levels, which = np.unique(-scores, return_inverse=True)
    totals = np.cumsum(np.bincount(which))
    right = np.cumsum(np.bincount(which, positive))
    best = int(np.argmax(2 * right / (totals + right[-1])))
    lowest = -float(levels[best])
    if best + 1 == len(levels):
        return lowest
    halfway = (lowest - float(levels[best + 1])) / 2
    return halfway if halfway > -levels[best + 1] else lowest


# What a classifier of pages reads: the terms that mark a topic, and pages as vectors of them.

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


MIN_POSITIVES = 3


@dataclass(frozen=True, slots=True, eq=False)
class TopicClassifiers:
    """Rocchio, Widrow-Hoff and exponentiated gradient for one topic, each with its own line.

    Pages are vectors of the 50 best features by the correlation coefficient, tf * idf, cosine-normalised
    (`features.Vectorizer`; the paper names the selection and is silent about the weights). The line is that of
    the best F1 on the training pages.

    >>> counts = csr_array(np.array([[2, 1, 0], [3, 0, 1], [1, 1, 0], [0, 2, 1], [0, 1, 3]]))
    >>> positive = np.array([True, True, True, False, False])
    >>> classifiers = TopicClassifiers.train(counts, positive, np.random.default_rng(0))
    >>> pages = csr_array(np.array([[5, 1, 1], [0, 5, 1]]))
    >>> {name: flags.tolist() for name, flags in classifiers.positives(pages).items()}
    {'rocchio': [True, False], 'widrow_hoff': [True, False], 'eg': [True, False]}

    Paper: Menczer, Pant, Ruiz, Srinivasan, "Evaluating topic-driven web crawlers", SIGIR 2001.
    """

    vectorizer: Vectorizer
    weights: Mapping[str, Floats]
    lines: Mapping[str, float]

    @classmethod
    def train(cls, counts: csr_array, positive: Bools, rng: np.random.Generator) -> TopicClassifiers | None:
        """Learn from known pages (raw counts of stems), the positive ones the topic's, the others other topics'.

        Columns that no training page has change nothing, so those of the training pages are enough.
        None when there are fewer than 3 positives, no negatives, or no term that marks the positives.
        """
        if positive.sum() < MIN_POSITIVES or positive.all():
            return None
        vectorizer = Vectorizer.of(counts, positive)
        if not len(vectorizer.features):
            return None
        x = vectorizer.vectors(counts)
        order = training_order(positive, rng)
        weights = {
            "rocchio": rocchio(x, positive),
            "widrow_hoff": widrow_hoff(x, positive, order),
            "eg": exponentiated_gradient(x, positive, order),
        }
        lines = {name: best_threshold(_scores(x, each), positive) for name, each in weights.items()}
        return cls(vectorizer, weights, lines)

    def positives(self, counts: csr_array) -> dict[str, Bools]:
        """By classifier, which of these pages it calls positive; columns as in training."""
        x = self.vectorizer.vectors(counts)
        return {name: _scores(x, each) >= self.lines[name] for name, each in self.weights.items()}


def training_order(positive: Bools, rng: np.random.Generator) -> Ints:
    """An order of training: either class shuffled, and the two spread evenly through each other.

    >>> training_order(np.array([True, False, False, False, False, False]), np.random.default_rng(0)).tolist().index(0)
    2
    """
    order, place = [], []
    for members in (np.flatnonzero(positive), np.flatnonzero(~positive)):
        order.append(rng.permutation(members))
        place.append((np.arange(len(members)) + 0.5) / max(1, len(members)))
    spread: Ints = np.concatenate(order)[np.argsort(np.concatenate(place), kind="stable")].astype(np.int32)
    return spread


def _scores(x: Floats, weights: Floats) -> Floats:
    """w.x of each page, added up alike for a page in training and the same page in a crawl."""
    scores: Floats = (x * weights).sum(axis=1)
    return scores
