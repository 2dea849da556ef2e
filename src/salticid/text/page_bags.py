"""How often a page says each stem."""

from __future__ import annotations

from collections.abc import Mapping
from math import sqrt

import numpy as np

from salticid.columns import grow
from salticid.model import Bools, Ints, Page
from salticid.native import NOTHING, at, lib
from salticid.snapshots import in_snapshot
from salticid.text.bags import Bag
from salticid.text.stems import STOP, Stems

Phrases = Mapping[tuple[int, int], int]
"""Two stems side by side -> the stem that stands for both."""


@in_snapshot(
    "_heading_times", _stems=Stems, _phrases=dict[tuple[int, int], int], _phrase_stems=np.int32,
    _triples=np.int32, _scratch=np.int32,
)  # fmt: skip
class PageBags:
    """Counts the stems of a page's words, or of those that are asked for.

    A word in a title, a heading or a description counts `heading_times`. Two stems of `phrases` that stand side by
    side, stop words aside, count as a third as well.

    >>> from salticid.testing import spider_web
    >>> web = spider_web()
    >>> page, stems = web.page(web.id("a11")), Stems(web.words, "en")    # More birds | Sparrows and starlings
    >>> bag = PageBags(stems, heading_times=3).of(page)
    >>> {stems.text(term): int(times) for term, times in zip(bag.terms, bag.counts)}
    {'bird': 3, 'sparrow': 1, 'starl': 1}
    """

    def __init__(self, stems: Stems, heading_times: int = 1, phrases: Phrases | None = None) -> None:
        self._stems, self._heading_times, self._phrases = stems, heading_times, dict(phrases or {})
        self._phrase_stems = np.array(list(self._phrases.values()), np.int32)
        self._triples = np.array([(*pair, stem) for pair, stem in self._phrases.items()], np.int32).ravel()
        self._scratch = np.zeros(1024, np.int32)

    def of(self, page: Page, own: Bools | None = None) -> Bag:
        """The stems of a page's own words, or of all of them."""
        return self._with_numpy(page, own) if lib is None else self._compiled(page, own)

    def cosine(self, query: Bag, page: Page) -> float:
        """The cosine of a query with all words of a page."""
        if lib is None or self._phrases or self._heading_times > 1:
            return query.cosine(self.of(page))
        tokens, sums = page.tokens, np.empty(2, np.int64)
        terms, size = np.empty(len(tokens) + 1, np.int32), len(tokens)
        while True:
            stem_of = self._stems.table
            self._scratch = grow(self._scratch, len(self._stems))
            if lib.count_alike(
                at(tokens), size, at(stem_of), len(stem_of), at(self._scratch), len(self._scratch), at(terms),
                at(query.terms), at(query.counts), len(query.terms), at(sums),
            ):  # fmt: skip
                return query.cosine_by(*sums.tolist())
            self._stems.learn(tokens)

    def _compiled(self, page: Page, own: Bools | None) -> Bag:
        tokens, size = page.tokens, len(page.tokens)
        terms = np.empty(size + len(self._phrases) + 1, np.int32)
        counts = np.empty(len(terms), np.int64)
        headings = at(page.in_headings) if self._heading_times > 1 else NOTHING
        mine = NOTHING if own is None else at(own)
        many = -1
        while many < 0:
            stem_of = self._stems.table
            self._scratch = grow(self._scratch, len(self._stems))
            many = lib.word_counts(
                at(tokens), size, mine, headings, self._heading_times, at(stem_of), len(stem_of),
                at(self._triples), len(self._phrases), at(self._scratch), len(self._scratch), at(terms), at(counts),
            )  # fmt: skip
            if many < 0:
                self._stems.learn(tokens, own)
        terms, counts = terms[:many].copy(), counts[:many].copy()
        return Bag(terms, counts, sqrt(int(counts @ counts)))

    def _with_numpy(self, page: Page, own: Bools | None) -> Bag:
        own = np.ones(len(page.tokens), np.bool_) if own is None else own
        words = self._stems.of(page.tokens[own])
        headings = self.with_phrases(words[page.in_headings[own]])
        return Bag.of(np.concatenate((self.with_phrases(words), *[headings] * (self._heading_times - 1))))

    def with_phrases(self, words: Ints) -> Ints:
        """The stems of a text in reading order, and after them the phrases it holds."""
        if not self._phrases:
            return words
        said = words[words != STOP]
        times = [
            np.count_nonzero((said[:-1] == first) & (said[1:] == second)) for first, second in self._phrases
        ]
        return np.concatenate((words, np.repeat(self._phrase_stems, times)))
