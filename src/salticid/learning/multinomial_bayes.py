"""Multinomial naive Bayes with contexts, learning one document at a time."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from salticid.columns import grow
from salticid.exact import logs, logs_of_counts
from salticid.model import Floats, Ints
from salticid.snapshots import in_snapshot, rows

Whole = npt.NDArray[np.int64]


@in_snapshot(
    "classes", "contexts", documents=np.int64, _counts=rows(np.int64), _logs=rows(np.float64),
    _vocabulary=np.bool_, _words=rows(np.int64), _sizes=np.int64, _log_totals=rows(np.float64),
)  # fmt: skip
class MultinomialBayes:
    """Documents are words, each in one of `contexts`; every context has a vocabulary of its own.

        P(w in k | c) = (n_kwc + 1) / (n_kc + |V_k|)        P(c) = documents of c / documents

    n_kwc counts word w in context k of class c, n_kc all words there, V_k are the words ever counted in
    context k in any class. A word outside V_k says nothing: it has no probability, and is passed over.

    Words are the numbers of a `WordNumbers`; 0, the stop words, is passed over too. What has been counted
    is a sum of whole numbers, and a document's logarithms are added up in reading order, so that neither
    the order of learning nor the numbering of words changes the last bit of a result.

    >>> bayes = MultinomialBayes(classes=2)
    >>> bayes.add(np.array([1, 2, 1]), label=1)
    >>> bayes.add(np.array([3]), label=0)
    >>> np.exp(bayes.evidence(np.array([1, 1, 9]))).round(4).tolist()     # (1/4)^2, (3/6)^2
    [0.0625, 0.25]
    """

    def __init__(self, classes: int, contexts: int = 1) -> None:
        self.classes, self.contexts = classes, contexts
        self.documents: Whole = np.zeros(classes, np.int64)
        self._counts: Whole = np.zeros((classes, 1024), np.int64)
        self._logs: Floats = np.zeros((classes, 1024))
        self._vocabulary = np.zeros(1024, np.bool_)
        self._words: Whole = np.zeros((classes, contexts), np.int64)
        self._sizes: Whole = np.zeros(contexts, np.int64)
        self._log_totals: Floats = np.zeros((classes, contexts))

    def add(self, words: Ints, label: int, context: Ints | int = 0) -> None:
        """One more document of a class; `context` says of each word, or of all, where it stands."""
        features, times = np.unique(self._features(words, context), return_counts=True)
        self._count(features, times, label)
        self.documents[label] += 1

    def add_counts(self, words: Ints, times: npt.NDArray[np.integer[Any]], label: int, context: int) -> None:
        """Words that were counted elsewhere, each named once; no document."""
        self._count(self._features(words, context), times[words > 0], label)

    def log_prior(self) -> Floats:
        """log P(c); nothing is likelier than anything else before the first document."""
        total = int(self.documents.sum())
        return logs(self.documents / total) if total else np.zeros(self.classes)

    def evidence(self, words: Ints, context: Ints | int = 0) -> Floats:
        """log P(document | c) of each class."""
        return self.weigh(words, context)[0]

    def weigh(self, words: Ints, context: Ints | int = 0) -> tuple[Floats, int]:
        """log P(document | c) of each class, and how many of the words had a probability."""
        features = self._features(words, context)
        features = features[self._knows(features)]
        evidence: Floats = self._log_likely(features).sum(axis=1)
        return evidence, len(features)

    def evidence_of_each(self, words: Ints, owner: Ints, documents: int) -> Floats:
        """The same for many short documents at once, a row each; `owner` says whose each word is."""
        features = self._features(words, 0)
        owner = owner[words > 0]
        is_known = self._knows(features)
        likely, owner = self._log_likely(features[is_known]), owner[is_known]
        return np.stack([np.bincount(owner, row, documents) for row in likely], axis=1)

    def counts(self, context: int) -> dict[int, list[int]]:
        """How often each word of a context was counted, by class."""
        features = np.flatnonzero(self._vocabulary)
        features = features[features % self.contexts == context]
        words = (features // self.contexts).tolist()
        return dict(zip(words, self._counts[:, features].T.tolist(), strict=True))

    def _features(self, words: Ints, context: Ints | int) -> Ints:
        """A number for each word in its context, stop words left out."""
        features: Ints = (words * self.contexts + context)[words > 0]
        return features

    def _knows(self, features: Ints) -> npt.NDArray[np.bool_]:
        if features.size and features.max() >= len(self._vocabulary):
            self._make_room(int(features.max()))
        return self._vocabulary[features]

    def _log_likely(self, features: Ints) -> Floats:
        """log P(w | c), a row for each class, a column for each word in reading order."""
        totals = self._log_totals[:, features % self.contexts] if self.contexts > 1 else self._log_totals
        likely: Floats = self._logs.take(features, axis=1) - totals
        return likely

    def _count(self, features: Ints, times: npt.NDArray[np.integer[Any]], label: int) -> None:
        fresh = features[~self._knows(features)]
        self._vocabulary[fresh] = True
        self._sizes += np.bincount(fresh % self.contexts, minlength=self.contexts)
        np.add.at(self._words[label], features % self.contexts, times)
        counts = self._counts[label]
        counts[features] += times
        self._logs[label][features] = logs_of_counts(counts[features] + 1)
        self._log_totals = logs(self._words + self._sizes)

    def _make_room(self, feature: int) -> None:
        self._vocabulary = grow(self._vocabulary, feature + 1)
        self._counts = grow(self._counts, feature + 1, axis=1)
        self._logs = grow(self._logs, feature + 1, axis=1)
