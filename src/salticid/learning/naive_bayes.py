"""Multinomial naive Bayes with contexts, learning one document at a time."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from salticid.columns import grow
from salticid.exact import logs, logs_of_counts, shares
from salticid.learning.rarity import background
from salticid.model import Area, Floats, Ints, Page
from salticid.protocols import Table
from salticid.snapshots import in_snapshot, rows
from salticid.text import STOP, letter_runs, rules, stop_words

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


# Words as they are, without stems: word ids to the numbers of one learner.

STOP_NUMBER = 0
"""The number of every stop word: no word at all."""
_UNKNOWN = -1


@in_snapshot("_words", "_stop", "_world_stems", _of=np.int32, _number_of_text=dict[str, int], _next=int)
class WordNumbers:
    """Word id -> number, and text -> number for words that no page has used yet.

    A learner may know words, of a language or of another world, long before the crawl's table does. They
    get their numbers here, so that learning adds nothing to the table that all others share.

    >>> from salticid.tables import Texts
    >>> words = Texts()
    >>> vocabulary = WordNumbers(words, "en")
    >>> vocabulary.numbers(["spiders", "the"])
    [1, 0]
    >>> vocabulary.of(np.array([words.intern(w) for w in ("the", "spider", "spiders")])).tolist()
    [0, 2, 1]
    """

    def __init__(self, words: Table, code: str) -> None:
        self._words = words
        self._stop = stop_words(code)
        self._world_stems = words.stems(rules(code))
        self._of = np.full(1024, _UNKNOWN, np.int32)
        self._number_of_text: dict[str, int] = {}
        self._next = STOP_NUMBER + 1

    def of(self, words: Ints) -> Ints:
        """The number of each word; STOP for stop words."""
        self._of = grow(self._of, len(self._words), _UNKNOWN)
        numbers: Ints = self._of[words]
        if numbers.size and numbers.min() == _UNKNOWN:
            self._meet(np.unique(words[numbers == _UNKNOWN]))
            numbers = self._of[words]
        return numbers

    def numbers(self, texts: Sequence[str]) -> list[int]:
        """The number of each text, whether or not the table of words has seen it."""
        ids = [self._words.find(text) for text in texts]
        numbers = iter(self.of(np.array([at for at in ids if at >= 0], np.int32)).tolist())
        return [next(numbers) if at >= 0 else self._expect(text) for text, at in zip(texts, ids, strict=True)]

    def texts(self) -> dict[int, str]:
        """Every number given, with its text."""
        words = np.flatnonzero(self._of > STOP_NUMBER)
        texts = zip(self._of[words].tolist(), self._words.spell(words.tolist()), strict=True)
        return {**dict(texts), **{number: text for text, number in self._number_of_text.items()}}

    def _meet(self, words: Ints) -> None:
        """Give numbers to new word ids; only those are spelled that the world has no stem for."""
        split = 0 if self._world_stems is None else int(words.searchsorted(len(self._world_stems.of)))
        numbers = np.full(len(words), _UNKNOWN, np.int32)
        if self._world_stems is not None:
            numbers[:split][self._world_stems.of[words[:split]] == STOP] = STOP_NUMBER
        stop, number_of_text = self._stop, self._number_of_text
        texts = self._words.spell(words[split:].tolist())
        numbers[split:] = [STOP_NUMBER if text in stop else number_of_text.pop(text, _UNKNOWN) for text in texts]
        new = numbers == _UNKNOWN
        numbers[new] = np.arange(self._next, self._next + np.count_nonzero(new))
        self._next += int(np.count_nonzero(new))
        self._of[words] = numbers

    def _expect(self, text: str) -> int:
        if text in self._stop:
            return STOP_NUMBER
        if text not in self._number_of_text:
            self._number_of_text[text] = self._next
            self._next += 1
        return self._number_of_text[text]


# Pages by class, with a vocabulary for each area of a page.

OFF, ON = 0, 1
"""The classes of a crawl: off topic, on topic."""
KEYWORD_TIMES = 50
"""Without examples each keyword counts as if a page had said it so often, or it would drown."""


@in_snapshot("most_words", vocabulary=WordNumbers, bayes=MultinomialBayes)
class TaggedPages:
    """Naive Bayes with the areas META, TITLE and H1, and the rest as contexts; no stems, no stop words.

        P(c | page) ~ P(c) * product over areas k and words w of the page in k of P(w in k | c)

    Words of a page hang together, which naive Bayes does not know: long pages come out at 0 or 1. With
    `most_words` the logarithm of the product is scaled down, for a longer page, as if it had so many words.

    Paper: Passerini, Frasconi, Soda, "Evaluation methods for focused crawling", AI*IA 2001.
    """

    def __init__(self, vocabulary: WordNumbers, classes: int, most_words: int = 0) -> None:
        self.vocabulary = vocabulary
        self.most_words = most_words
        self.bayes = MultinomialBayes(classes, len(Area))

    def add(self, page: Page, label: int) -> None:
        """One more page of a class."""
        self.bayes.add(self.vocabulary.of(page.tokens), label, page.areas)

    def posterior(self, page: Page) -> Floats:
        """P(c | page) of each class."""
        return shares(self.bayes.log_prior() + self.weigh(page)[0])

    def weigh(self, page: Page) -> tuple[Floats, int]:
        """log P(page | c) of each class, a long page counted as one of `most_words`; how many words counted."""
        evidence, words = self.bayes.weigh(self.vocabulary.of(page.tokens), page.areas)
        scale = self.most_words / words if 0 < self.most_words < words else 1.0
        return evidence * scale, words

    def teach(self, on: Sequence[Page], off: Sequence[Page], keywords: str, code: str) -> None:
        """Two classes from known pages; where either is missing, the language helps out.

        For want of pages on topic, the keywords are one. For want of either, every page is thought to use
        words as the language does, and the pages known of a class to add theirs: the background is counted
        in both classes. So a usual word that is absent from the examples speaks softly against a page, and
        a word of theirs for it, the more so the rarer it is. For want of pages off topic, there are thought
        to be as many as on.
        """
        for page in on:
            self.add(page, ON)
        for page in off:
            self.add(page, OFF)
        if not on:
            self._add_text(keywords)
        if not on or not off:
            count_background(self.bayes, self.vocabulary, code)
        if not off:
            self.bayes.documents[OFF] = self.bayes.documents[ON]

    def _add_text(self, keywords: str) -> None:
        numbers = np.array(self.vocabulary.numbers(list(letter_runs(keywords))), np.int32)
        words, times = np.unique(numbers, return_counts=True)
        for area in (Area.HEADING, Area.REST):
            self.bayes.add_counts(words, times * KEYWORD_TIMES, ON, area)
        self.bayes.documents[ON] += 1


def count_background(bayes: MultinomialBayes, vocabulary: WordNumbers, code: str) -> None:
    """Count the usual words of a language in every class and context alike."""
    usual = background(code)
    numbers = np.array(vocabulary.numbers([word for word, _ in usual]), np.int32)
    times = np.array([times for _, times in usual], np.int64)
    for label in range(bayes.classes):
        for context in range(bayes.contexts):
            bayes.add_counts(numbers, times, label, context)
