"""What is there on every page of a site: menus, slogans, footers, notices."""

from __future__ import annotations

from zlib import crc32

import numpy as np
import numpy.typing as npt

from salticid.columns import distinct, grow
from salticid.model import Bools, Ints, Page, RepeatedRows
from salticid.native import at as address
from salticid.native import lib
from salticid.protocols import Table, UrlTable
from salticid.snapshots import in_snapshot
from salticid.text import language

# What is asked of every word again and again: a number made of its text, and whether it is a stop word at home.


@in_snapshot("_words", "_stop", number=np.uint32, is_stop=np.bool_, known=np.bool_)
class WordMarks:
    """For each word a number that its text alone decides, and whether a language calls it a stop word.

    >>> from salticid.tables import Texts
    >>> words = Texts()
    >>> ids = np.array([words.intern(word) for word in ("the", "spider")])
    >>> marks = WordMarks(words, "en")
    >>> marks.learn(ids)
    >>> marks.number[ids].tolist() == [crc32(b"the"), crc32(b"spider")], marks.is_stop[ids].tolist()
    (True, [True, False])
    """

    def __init__(self, words: Table, code: str) -> None:
        self._words, self._stop = words, language.stop_words(code)
        self.number: npt.NDArray[np.uint32] = np.zeros(1024, np.uint32)
        self.is_stop: Bools = np.zeros(1024, np.bool_)
        self.known: Bools = np.zeros(1024, np.bool_)

    def learn(self, tokens: Ints) -> None:
        """Make sure that these are known; before anything is asked about them."""
        if len(self._words) > len(self.known):
            size = len(self._words)
            self.number, self.is_stop = grow(self.number, size), grow(self.is_stop, size)
            self.known = grow(self.known, size)
        news = self._unknown(tokens)
        if not len(news):
            return
        texts = self._words.spell(news.tolist())
        self.number[news] = list(map(crc32, map(str.encode, texts)))
        self.is_stop[news] = list(map(self._stop.__contains__, texts))
        self.known[news] = True

    def _unknown(self, tokens: Ints) -> Ints:
        if lib is None or tokens.dtype != np.int32:
            return distinct(tokens[~self.known[tokens]])
        news = np.empty(len(tokens), np.int32)
        many = lib.words_without_marks(
            address(tokens), len(tokens), address(self.known), len(self.known), address(news)
        )
        return news[:many]


ROW = 4
"""So many words one after the other are looked for on the other pages of a site."""
ONE_IN = 4
"""One in so many of these rows is looked for; which, their words decide."""
EDGE = 1500
"""It is looked for among so many words at the beginning and at the end of a page, where menus and footers are."""
LEAST_PAGES = 4
"""What fewer pages of a site say is no boilerplate,"""
LEAST_SHARE = 0.5
"""nor what a smaller share of them says."""
MOST_PAGES = 64
"""When so many pages of a site were read, all counts are halved, and what one page alone said is forgotten."""
MOST_SITES = 1024
"""So many sites are known, those read last."""

Rows = npt.NDArray[np.uint32]
_FACTORS = np.array([0x9E3779B1, 0x85EBCA77, 0xC2B2AE3D, 0x27D4EB2F], np.uint32)
_NOTHING: Rows = np.zeros(0, np.uint32)


@in_snapshot("_urls", _marks=WordMarks, _sites="dict[int, _Site]", _last=tuple[Page, np.int32, np.uint32] | None)
class Boilerplate:
    """Which words of a page the pages of its site repeat, by the pages read so far.

    A word is repeated if it stands in a row of `ROW` words, or between two such rows, that at least `LEAST_PAGES` pages
    of the host hold, and at least a `LEAST_SHARE` of them. Rows are known by the texts of their words, so that it does
    not matter in which order words were met.

    >>> from salticid.testing.small import SmallWeb
    >>> text = "<title>About {0}</title><p>All rights are reserved by the {0} society"
    >>> web = SmallWeb({name: text.format(name) for name in "abcdefgh"})
    >>> boilerplate = Boilerplate(web.urls, WordMarks(web.words, "en"))
    >>> pages = [web.page(web.id(name)) for name in "abcdefgh"]
    >>> [int(boilerplate.repeated(page).sum()) for page in pages if boilerplate.read(page) is None]
    [0, 0, 0, 4, 4, 4, 4, 4]
    """

    def __init__(self, urls: UrlTable, marks: WordMarks) -> None:
        self._urls, self._marks = urls, marks
        self._sites: dict[int, _Site] = {}
        self._last: tuple[Page, Ints, Rows] | None = None

    def read(self, page: Page) -> None:
        """The crawl has read a page."""
        host = self._urls.host(page.url)
        site = self._sites[host] = self._sites.pop(host) if host in self._sites else _Site()
        site.read(self._rows(page)[1])
        if len(self._sites) > MOST_SITES:
            del self._sites[next(iter(self._sites))]

    def repeated(self, page: Page) -> Bools:
        """For each token of a page whether its site repeats it, as far as the site is known by now."""
        at, basis = self.basis(page)
        return _repeated(at, basis.is_known, len(page.tokens))

    def basis(self, page: Page) -> tuple[Ints, RepeatedRows]:
        """Where the rows of a page begin that are looked for, and which of them its site repeats."""
        at, rows = self._rows(page)
        host = self._urls.host(page.url)
        return at, RepeatedRows(host, rows, self._known(host, rows))

    def holds(self, basis: RepeatedRows) -> bool:
        """Whether the site of a page repeats the same of its words as it did."""
        return bool((self._known(basis.host, basis.rows) == basis.is_known).all())

    def _known(self, host: int, rows: Rows) -> Bools:
        known = self._sites[host].repeated if host in self._sites else _NOTHING
        if lib is None:
            return _is_among(rows, known)
        is_known = np.empty(len(rows), np.bool_)
        lib.known_rows(address(rows), len(rows), address(known), len(known), address(is_known))
        return is_known

    def _rows(self, page: Page) -> tuple[Ints, Rows]:
        """The rows of words that are looked for: where they begin, and a number for the words of each.

        Those of the last page are kept.
        """
        if self._last is None or self._last[0] is not page:
            self._last = page, *self._rows_of(page.tokens)
        return self._last[1:]

    def _rows_of(self, tokens: Ints) -> tuple[Ints, Rows]:
        marks, size = self._marks, len(tokens)
        if lib is None:
            return _chosen_rows(marks, tokens)
        at, rows = np.empty(size, np.int32), np.empty(size, np.uint32)
        many = -1
        while many < 0:
            many = lib.chosen_rows(
                address(tokens), size, EDGE, address(marks.number), address(marks.known), len(marks.known),
                address(_FACTORS), ROW, ONE_IN, address(at), address(rows),
            )  # fmt: skip
            if many < 0:
                marks.learn(tokens)  # those between the edges, too: the newest words are spelled soonest
        return at[:many].copy(), rows[:many].copy()


def _chosen_rows(marks: WordMarks, tokens: Ints) -> tuple[Ints, Rows]:
    size = len(tokens)
    if size > 2 * EDGE:
        first, last = _chosen_rows(marks, tokens[:EDGE]), _chosen_rows(marks, tokens[-EDGE:])
        at = np.concatenate((first[0], last[0] + np.int32(size - EDGE)))
        return at, np.concatenate((first[1], last[1]))
    marks.learn(tokens)
    numbers, many = marks.number[tokens], max(size - ROW + 1, 0)
    rows = np.zeros(many, np.uint32)
    for place, factor in enumerate(_FACTORS):
        rows += numbers[place : place + many] * factor
    rows ^= rows >> np.uint32(16)
    at = np.flatnonzero(rows % np.uint32(ONE_IN) == 0).astype(np.int32)
    return at, rows[at]


def _is_among(rows: Rows, known: Rows) -> Bools:
    if not len(known):
        return np.zeros(len(rows), np.bool_)
    among: Bools = known[np.minimum(known.searchsorted(rows), len(known) - 1)] == rows
    return among


def _repeated(at: Ints, is_known: Bools, size: int) -> Bools:
    depth = np.zeros(size + 1, np.int32)
    both = is_known[1:] & is_known[:-1]
    np.add.at(depth, at[is_known], 1)
    np.add.at(depth, at[is_known] + ROW, -1)
    np.add.at(depth, at[:-1][both], 1)
    np.add.at(depth, at[1:][both], -1)
    repeated: Bools = np.cumsum(depth[:-1]) > 0
    return repeated


@in_snapshot(_counts=np.int32, _news=list[np.uint32], _pages=int, _rows=np.uint32, repeated=np.uint32)
class _Site:
    """The rows of words on the pages of a site, and on how many pages each was found."""

    __slots__ = ("_counts", "_news", "_pages", "_rows", "repeated")

    def __init__(self) -> None:
        self._rows: Rows = np.zeros(0, np.uint32)
        self._counts = np.zeros(0, np.int32)
        self._pages = 0
        self._news: list[Rows] = []
        self.repeated: Rows = self._rows

    def read(self, rows: Rows) -> None:
        """A page holds these rows. What is repeated is settled anew when the pages have grown by an eighth."""
        self._news.append(_distinct(rows))
        if len(self._news) > self._pages // 8:
            self._settle()

    def _settle(self) -> None:
        news, times = self._news[0], np.ones(len(self._news[0]), np.int32)
        for page in self._news[1:]:
            news, times = _merged(news, times, page, np.ones(len(page), np.int32))
        rows, counts = _merged(self._rows, self._counts, news, times)
        self._pages += len(self._news)
        self._news = []
        self.repeated = rows[counts >= max(LEAST_PAGES, LEAST_SHARE * self._pages)]
        if self._pages >= MOST_PAGES:
            several = counts > 1
            rows, counts, self._pages = rows[several], counts[several] // 2, self._pages // 2
        self._rows, self._counts = rows, counts


def _distinct(rows: Rows) -> Rows:
    """The different ones, ascending."""
    if lib is None:
        return distinct(rows)
    rows, spare = rows.copy(), np.empty_like(rows)
    return rows[: lib.distinct_rows(address(rows), len(rows), address(spare))]


def _merged(rows: Rows, counts: Ints, news: Rows, times: Ints) -> tuple[Rows, Ints]:
    """What was counted before and what is new, as one."""
    if lib is not None:
        both, sums = np.empty(len(rows) + len(news), np.uint32), np.empty(len(rows) + len(news), np.int32)
        many = lib.merged_counts(
            address(rows), address(counts), len(rows), address(news), address(times), len(news), address(both),
            address(sums),
        )  # fmt: skip
        return both[:many], sums[:many]
    place, is_known, counts = rows.searchsorted(news), _is_among(news, rows), counts.copy()
    counts[place[is_known]] += times[is_known]
    new_places = place[~is_known]
    return np.insert(rows, new_places, news[~is_known]), np.insert(counts, new_places, times[~is_known])
