"""Stems as a map over word ids, so that a system that wants none uses none."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import sqrt
from typing import Any

import numpy as np
import numpy.typing as npt

from salticid.columns import distinct, grow
from salticid.model import Bools, Ints, Page
from salticid.native import NOTHING, at, lib
from salticid.native import at as address
from salticid.protocols import Brief, Table
from salticid.snapshots import in_snapshot
from salticid.text import language
from salticid.text.tokens import letter_runs

STOP = 0
"""The stem id of every stop word, and of the empty one: no term at all."""
UNKNOWN = -1


@in_snapshot(
    "rules", "_words", "_stop", "_stem", "_world_texts", _of=np.int32, first_new=int, _ids=dict[str, int],
    _texts=list[str], _word_of=dict[int, str],
)  # fmt: skip
class Stems:
    """Word id -> stem id, filled in as words turn up, or taken over from a world that prepared them.

    >>> from salticid.tables import Texts
    >>> words = Texts()
    >>> ids = [words.intern(w) for w in ("the", "spiders", "spider")]
    >>> stems = Stems(words, "en")
    >>> stems.of(np.array(ids)).tolist(), stems.text(1), stems.terms("Spiders and flies")
    ([0, 1, 1], 'spider', [1, 2])
    """

    def __init__(self, words: Table, code: str, telling: frozenset[str] = frozenset()) -> None:
        self.rules = language.rules(code)
        self._words = words
        self._stop = (language.stop_words(code) - telling) | {""}
        self._stem = language.stemmer(code)
        world_stems = words.stems(self.rules)
        self._of = np.full(1024, UNKNOWN, np.int32) if world_stems is None else np.array(world_stems.of)
        self._world_texts = None if world_stems is None else world_stems.texts
        self.first_new = 1 if self._world_texts is None else len(self._world_texts)
        self._ids: dict[str, int] = {}
        self._texts: list[str] = []
        self._word_of: dict[int, str] = {}
        for word in map(words.find, sorted(telling)):
            if 0 <= word < len(self._of):
                self._of[word] = UNKNOWN

    @classmethod
    def of_brief(cls, brief: Brief, every_keyword: bool = False, only_function_words: bool = False) -> Stems:
        """The stems of a crawl's words.

        Where a topic is named by stop words alone, such as "c", they are none; with `every_keyword` no keyword is one,
        as in "random numbers" and "group theory". The most usual words of all are stop words even so.
        With `only_function_words` all other words are terms.
        """
        tokens, stop = frozenset(letter_runs(brief.topic.keywords)), language.stop_words(brief.language)
        counts = every_keyword or tokens <= stop
        telling = language.telling_words(tokens & stop, brief.language) if counts else frozenset()
        if only_function_words:
            telling = stop - language.function_words(brief.language)
        return cls(brief.words, brief.language, telling)

    def __len__(self) -> int:
        """How many stems there are, STOP among them."""
        return self.first_new + len(self._texts)

    def of(self, words: Ints) -> Ints:
        """The stem of each word; STOP for stop words."""
        self.learn(words)
        stems: Ints = self._of[words]
        return stems

    def learn(self, words: Ints, own: Bools | None = None) -> None:
        """Make sure that the `table` has a stem for each of these words, or of those that are a page's own."""
        self._of = grow(self._of, len(self._words), UNKNOWN)
        news = self._unknown(words, own)
        if len(news):
            self._of[news] = self._ids_of(self._words.spell(news.tolist()))

    def _unknown(self, words: Ints, own: Bools | None) -> Ints:
        if lib is None or words.dtype != np.int32 or words.ndim != 1:
            some = words if own is None else words[own]
            return distinct(some[self._of[some] == UNKNOWN])
        size, news = len(words), np.empty(len(words), np.int32)
        mine = NOTHING if own is None else address(own)
        many = lib.words_without_stem(address(words), size, mine, address(self._of), len(self._of), address(news))
        return news[:many]

    @property
    def table(self) -> Ints:
        """The stem of every word by its id, UNKNOWN for words that nobody asked for."""
        return self._of

    def terms(self, text: str) -> list[int]:
        """The stems of a text typed by a person, stop words left out, repeats kept."""
        return [stem for stem in self.of_written(list(letter_runs(text))) if stem != STOP]

    def of_written(self, tokens: list[str]) -> list[int]:
        """The stem of each token as people write it, by which it is shown from now on; STOP for stop words."""
        stems = self._ids_of(tokens)
        for stem, token in zip(stems, tokens, strict=True):
            self._word_of.setdefault(stem, token)
        return stems

    def of_tokens(self, tokens: list[str]) -> list[int]:
        """The stem of each token, as a tokenizer cuts and writes them; STOP for stop words."""
        return self._ids_of(tokens)

    def phrase(self, first: int, second: int) -> int:
        """Two stems that stand side by side, as one more stem."""
        text = f"{self.text(first)} {self.text(second)}"
        stem = self._ids[text] if text in self._ids else self._meet(text)
        self._word_of.setdefault(stem, f"{self.word(first)} {self.word(second)}")
        return stem

    def word(self, stem: int) -> str:
        """A word with this stem as people write it: the one a person typed, else the first that was met."""
        if stem not in self._word_of:
            words = np.flatnonzero(self._of == stem)[:1].tolist()
            self._word_of[stem] = self._words.spell(words)[0] if words else self.text(stem)
        return self._word_of[stem]

    def text(self, stem: int) -> str:
        """The stem as text; empty for STOP."""
        if stem >= self.first_new:
            return self._texts[stem - self.first_new]
        return self._world_texts[stem] if self._world_texts is not None else ""

    def new_texts(self, first: int) -> list[str]:
        """The texts of all stems from this one on, none of which a world prepared: that begins at `first_new`."""
        return self._texts[first - self.first_new :]

    def texts(self, stems: list[int]) -> list[str]:
        """The same for many stems at once."""
        if self._world_texts is None:
            own = self._texts
            return [own[stem - 1] if stem else "" for stem in stems]
        of_world = [stem for stem in stems if stem < self.first_new]
        spelled = dict(zip(of_world, self._world_texts.spell(of_world), strict=True))
        return [spelled[stem] if stem in spelled else self.text(stem) for stem in stems]

    def _ids_of(self, tokens: list[str]) -> list[int]:
        """The stem of each token; STOP for stop words, the next free id for a stem never seen."""
        stop, known = self._stop, self._ids.get
        ids = []
        for token, stem in zip(tokens, self._stem(tokens), strict=True):
            number = STOP if token in stop else known(stem)
            ids.append(self._meet(stem) if number is None else number)
        return ids

    def _meet(self, stem: str) -> int:
        """The id of a stem that is not among those met before: that of the world, or the next free one."""
        number = -1 if self._world_texts is None else self._world_texts.find(stem)
        if number < 0:
            number = len(self)
            self._texts.append(stem)
        self._ids[stem] = number
        return number


# Bags of terms, and the cosine between two of them.


@in_snapshot()
@dataclass(frozen=True, slots=True, eq=False)
class Bag:
    """How often each term occurs: `terms` ascending and distinct, `counts` beside them.

    >>> query, page = Bag.of([3, 5]), Bag.of([3, 3, 9, 0])
    >>> page.terms.tolist(), page.counts.tolist(), round(query.cosine(page), 4)
    ([3, 9], [2, 1], 0.6325)
    """

    terms: Ints
    counts: npt.NDArray[np.integer[Any]]
    norm: float

    @classmethod
    def of(cls, stems: Ints | list[int]) -> Bag:
        """Count the stems of a text; stop words are dropped."""
        terms = np.sort(np.asarray(stems, np.int32))
        terms = terms[terms.searchsorted(STOP, "right") :]
        if not len(terms):
            return cls(terms, terms, 0.0)
        first = np.concatenate(([0], np.flatnonzero(terms[1:] != terms[:-1]) + 1))
        counts = np.concatenate((first[1:], [len(terms)])) - first
        return cls(terms[first], counts, sqrt(int(counts @ counts)))

    def cosine(self, other: Bag) -> float:
        """sum f_k g_k / (|f| |g|) on raw frequencies; 0 when either is empty. Quick for a small self."""
        if not self.norm or not other.norm:
            return 0.0
        at = other.terms.searchsorted(self.terms)
        at[at == len(other.terms)] = 0
        is_shared = other.terms[at] == self.terms
        product = int(self.counts[is_shared] @ other.counts[at[is_shared]])
        return min(1.0, product / (self.norm * other.norm))

    def cosine_by(self, product: int, square: int) -> float:
        """The same, given sum f_k g_k and |g| squared."""
        return min(1.0, product / (self.norm * sqrt(square))) if self.norm and square else 0.0


# How often a page says each stem.

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
        times = [np.count_nonzero((said[:-1] == first) & (said[1:] == second)) for first, second in self._phrases]
        return np.concatenate((words, np.repeat(self._phrase_stems, times)))
