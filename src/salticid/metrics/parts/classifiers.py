"""Assessment by classifiers that no crawler has seen: the share of fetched pages they call positive."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from scipy.sparse import csr_array

from salticid.metrics.parts.exponentiated_gradient import exponentiated_gradient
from salticid.metrics.parts.features import Vectorizer
from salticid.metrics.parts.rocchio import rocchio
from salticid.metrics.parts.threshold import best_threshold
from salticid.metrics.parts.widrow_hoff import widrow_hoff
from salticid.model import Bools, Floats, Ints

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
