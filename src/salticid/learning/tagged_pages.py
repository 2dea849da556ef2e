"""Pages by class, with a vocabulary for each area of a page."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from salticid.exact import shares
from salticid.learning.background import background
from salticid.learning.multinomial_bayes import MultinomialBayes
from salticid.learning.word_numbers import WordNumbers
from salticid.model import Area, Floats, Page
from salticid.snapshots import in_snapshot
from salticid.text.tokens import letter_runs

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
