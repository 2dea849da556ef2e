"""How well a page answers the keywords: all of them, near each other, in the title, more than its site says anyway."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from math import fsum
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from salticid.columns import grow
from salticid.exact import logs
from salticid.learning.stem_vectors import StemVector
from salticid.model import Bools, Floats, Ints, Page, RepeatedRows
from salticid.protocols import OwnWords, Table
from salticid.snapshots import in_snapshot
from salticid.text import STOP, Stems, letter_runs, tokens_of

Counts = npt.NDArray[np.int64]
LONGEST_PATH = 200
MOST_TERMS = 32
"""So many different keywords are looked for at most."""
HEADING, ADDRESS = 6.0, 3.0
"""A keyword in the title or a heading counts as so many in the text; one in the path of the URL likewise."""
ENOUGH = 3.0
"""A keyword that a page of usual length says so many times has said half of what it can."""
USUAL_LENGTH, LONG_PAGES = 300, 0.5
"""So many words is the usual length. On a page with twice as many a word in the text counts 1 / (1 + LONG_PAGES)."""
LONGEST_ENDING, OTHER_FORM = 3, 0.5
"""A word whose ending differs from the keyword's in more letters ("program" for "programming") counts only so much."""
NEAR = 3
"""Two neighboring keywords that are no more than so many words apart, in their order, are a phrase."""
PHRASE = 0.5
"""A phrase counts so much as the less telling of its two words."""
PRIOR_PAGES = 20
"""The frequency of a word in the language counts as so many pages read, and that in the crawl as so many of a host."""
LEAST_TOLD = 0.003
"""What a word on all pages tells, as a share of what it tells by the language."""
SAYS = 0.25
"""A page that says every keyword at least so fully is what is looked for, and no sign of what is usual."""
MOST_HOSTS = 1024
"""So many hosts are known, those read last."""


@in_snapshot()
class PageWords(NamedTuple):
    """A page as the judge reads it: its words by rarity, how fully it says each keyword and phrase, and its host."""

    vector: StemVector
    said: Floats
    host: int


@in_snapshot(
    "_words", _stems=Stems, _typed=dict[int, list[str]], _by_form=dict[int, float], terms=np.int32,
    _pairs=dict[tuple[int, int], int], _compounds=dict[int, tuple[int, int]], _place=np.int32, _usual=np.float64,
    _pages=np.int64, _hosts=dict[int, np.int64], _told=dict[int, np.float64], _told_elsewhere=np.float64,
)  # fmt: skip
class KeywordMatch:
    """The share, 0..1, of what the keywords ask for that a page gives.

    Each keyword k counts by how rare it is: tells_k = -log P_k, where P_k is the share of pages that have it, by the
    pages of the host, of the crawl and by the language, the less is known the more of the next:

        P_k = (pages of the host with k + 20 p_k) / (pages of the host + 20)
        p_k = (pages of the crawl with k + 20 in the language) / (pages of the crawl + 20)
        match = sum of tells_k * said_k / sum of tells_k,    said_k = f / (f + 3)

    f counts k in the text, by its length, in headings and in the address; other forms of the word count less.
    Neighboring keywords are phrases, which are asked for as well; written as one word they are both. What is counted
    has a say from the next `settle` on.

    Paper: Robertson, Zaragoza, Taylor, "Simple BM25 extension to multiple weighted fields", CIKM 2004.
    """

    def __init__(self, stems: Stems, words: Table, keywords: str, shares: Callable[[Ints], Floats]) -> None:
        content = [token for token in letter_runs(keywords) if stems.of_tokens([token]) != [STOP]]
        order = stems.of_written(content)
        self._stems, self._words = stems, words
        self._typed: dict[int, list[str]] = {}
        self._by_form: dict[int, float] = {}
        self.terms = np.array(list(dict.fromkeys(order))[:MOST_TERMS], np.int32)
        places = {stem: place for place, stem in enumerate(self.terms.tolist())}
        self._pairs: dict[tuple[int, int], int] = {}
        self._compounds: dict[int, tuple[int, int]] = {}
        for (one, first), (two, second) in pairwise(zip(content, order, strict=True)):
            if first != second and first in places and second in places:
                pair = places[first], places[second]
                self._pairs.setdefault(pair, len(self._pairs))
                self._compounds.setdefault(stems.of_tokens([one + two])[0], pair)
        for stem in (STOP, *places):
            self._compounds.pop(stem, None)
        written = [*content, *(one + two for one, two in pairwise(content))]
        for text, stem in zip(written, stems.of_tokens(written), strict=True):
            self._typed.setdefault(stem, []).append(text)
        several = [*places, *[STOP] * len(self._pairs), *self._compounds]
        self._place = grow(np.zeros(1024, np.int32), len(stems))
        self._place[several] = np.arange(1, len(several) + 1)
        self._place[STOP] = 0
        self._usual = shares(self.terms)
        self._pages = np.zeros(1 + len(places), np.int64)
        self._hosts: dict[int, Counts] = {}
        self._told: dict[int, Floats] = {}
        self.settle()

    def said(self, page: Page, own: Bools, address: str) -> Floats:
        """How fully a page says each keyword and each phrase, 0..1, by its own words and its address."""
        tokens, headings = page.tokens[own], page.in_headings[own]
        stems = self._stems.of(tokens)
        length = np.count_nonzero(stems) - np.count_nonzero(stems[headings])
        by_length = 1.0 / (1.0 - LONG_PAGES + LONG_PAGES * length / USUAL_LENGTH)
        at = self._found(stems)
        weights = np.where(headings[at], HEADING, by_length) * self._forms(stems[at], tokens[at])
        counts = self._counts(stems, at, weights)
        path = list(tokens_of(address.partition("://")[2].partition("/")[2][-LONGEST_PATH:]))
        stems = np.array(self._stems.of_tokens(path), np.int32)
        at = self._found(stems)
        there = [self._form(stem, path[place]) for stem, place in zip(stems[at].tolist(), at.tolist(), strict=True)]
        counts = counts + ADDRESS * np.minimum(self._counts(stems, at, np.array(there)), 1.0)
        said: Floats = counts / (counts + ENOUGH)
        return said

    def _found(self, stems: Ints) -> Counts:
        """Where keywords stand."""
        self._place = grow(self._place, len(self._stems))
        return np.flatnonzero(self._place[stems])

    def _forms(self, stems: Ints, words: Ints) -> Floats:
        """What each word counts by its form."""
        known = self._by_form
        for stem, word in zip(stems.tolist(), words.tolist(), strict=True):
            if word not in known:
                known[word] = self._form(stem, self._words[word])
        return np.array([known[word] for word in words.tolist()])

    def _form(self, stem: int, text: str) -> float:
        """What a word counts that has the stem of a keyword, by whether it is the keyword itself."""
        return 1.0 if any(_same(text, typed) for typed in self._typed[stem]) else OTHER_FORM

    def _counts(self, stems: Ints, at: Counts, weights: Floats) -> Floats:
        """How often each keyword is there, each time by its weight, and after them each phrase."""
        many, places = len(self.terms), self._place[stems[at]] - 1
        counts = np.zeros(many + len(self._pairs) + len(self._compounds))
        np.add.at(counts, places, weights)
        for number, pair in enumerate(self._compounds.values(), many + len(self._pairs)):
            counts[[*pair, many + self._pairs[pair]]] += counts[number]
        if self._pairs:
            near = np.flatnonzero(at[1:] - at[:-1] <= NEAR)
            for one, two, weight in zip(
                places[near].tolist(), places[near + 1].tolist(), weights[near].tolist(), strict=True
            ):
                if (one, two) in self._pairs:
                    counts[many + self._pairs[one, two]] += weight
        return counts[: many + len(self._pairs)]

    def says_all(self, page: PageWords) -> bool:
        """Whether a page says every keyword. Crawls read many such: their words would seem to be usual."""
        return bool((page.said[: len(self.terms)] >= SAYS).all())

    def count(self, page: PageWords) -> None:
        """The crawl has read a page."""
        if self.says_all(page):
            return
        has = np.concatenate(([True], page.said[: len(self.terms)] > 0.0))
        host = self._hosts[page.host] = self._hosts.pop(page.host, np.zeros_like(self._pages))
        self._pages += has
        host += has
        if len(self._hosts) > MOST_HOSTS:
            del self._hosts[next(iter(self._hosts))]

    def settle(self) -> None:
        """Weigh words by what was counted so far."""
        crawl = (self._pages[1:] + PRIOR_PAGES * self._usual) / (self._pages[0] + PRIOR_PAGES)
        self._told_elsewhere = self._tells(crawl)
        self._told = {
            host: self._tells((pages[1:] + PRIOR_PAGES * crawl) / (pages[0] + PRIOR_PAGES))
            for host, pages in self._hosts.items()
        }

    def _tells(self, shares: Floats) -> Floats:
        """What each keyword and each phrase counts, all together 1."""
        tells = np.maximum(-logs(shares), -LEAST_TOLD * logs(self._usual))
        phrases = [PHRASE * min(tells[one], tells[two]) for one, two in self._pairs]
        both = np.concatenate((tells, phrases))
        return both / (fsum(both.tolist()) or 1.0)

    def of(self, page: PageWords) -> float:
        """How well a page answers."""
        told = self._told.get(page.host, self._told_elsewhere)
        return fsum((told * page.said).tolist())


def _same(text: str, typed: str) -> bool:
    """Whether two words with one stem differ in their endings alone.

    >>> _same("queries", "query"), _same("threading", "thread"), _same("program", "programming")
    (True, True, False)
    """
    pairs = enumerate(zip(text, typed, strict=False))
    common = next((at for at, (one, other) in pairs if one != other), min(len(text), len(typed)))
    return max(len(text), len(typed)) - common <= LONGEST_ENDING


# The newest pages as vectors, for a judge that changes its mind and scores them again.

MOST_BYTES = 16 << 20
"""So much is kept, of the newest pages: 1,500 of some thousand words each."""
_OBJECTS = 1000
"""What is taken besides the numbers."""


class KeptVectors:
    """What pages were read as, by URL, as long as they would be read as the same by now.

    A page's vector changes only when its site repeats other words of it than before. It is a cache: what is not kept
    is read again.
    """

    def __init__(self, own_words: OwnWords) -> None:
        self._own_words = own_words
        self._kept: dict[int, tuple[PageWords, RepeatedRows]] = {}
        self._bytes = 0

    def __len__(self) -> int:
        return len(self._kept)

    def of(self, url: int) -> PageWords | None:
        """The vector of the page of a URL, if it is kept and still holds."""
        kept = self._kept.get(url)
        return kept[0] if kept is not None and self._own_words.holds(kept[1]) else None

    def keep(self, url: int, words: PageWords, basis: RepeatedRows) -> None:
        """Keep the vector of a page that has just been visited; the oldest make room for it."""
        self._bytes += _size(words, basis) - self._size_at(url)
        self._kept[url] = words, basis
        while self._bytes > MOST_BYTES:
            oldest = next(iter(self._kept))
            self._bytes -= self._size_at(oldest)
            del self._kept[oldest]

    def renew(self, url: int, words: PageWords, basis: RepeatedRows) -> None:
        """The vector of a page as it was read again: it is kept if the one before was."""
        if url in self._kept:
            self.keep(url, words, basis)

    def _size_at(self, url: int) -> int:
        return _size(*self._kept[url]) if url in self._kept else 0


def _size(words: PageWords, basis: RepeatedRows) -> int:
    return (
        _OBJECTS
        + words.vector.stems.nbytes
        + words.vector.weights.nbytes
        + words.said.nbytes
        + basis.rows.nbytes
        + basis.is_known.nbytes
    )
