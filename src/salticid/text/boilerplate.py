"""What is there on every page of a site: menus, slogans, footers, notices."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from salticid.columns import distinct, distinct_counts
from salticid.model import Bools, Ints, Page
from salticid.native import at as address
from salticid.native import lib
from salticid.protocols import UrlTable
from salticid.text.word_marks import WordMarks

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
        size = len(page.tokens)
        site = self._sites.get(self._urls.host(page.url))
        if site is None or not len(site.repeated):
            return np.zeros(size, np.bool_)
        at, rows = self._rows(page)
        if lib is None:
            return _repeated(at, rows, site.repeated, size)
        marks, known = np.empty(size, np.bool_), site.repeated
        lib.repeated_marks(
            address(at), address(rows), len(at), address(known), len(known), ROW, address(marks), size
        )
        return marks

    def _rows(self, page: Page) -> tuple[Ints, Rows]:
        """The rows of words that are looked for: where they begin, and a number for the words of each.

        Those of the last page are kept.
        """
        if self._last is None or self._last[0] is not page:
            self._last = page, *self._rows_of(page.tokens)
        return self._last[1:]

    def _rows_of(self, tokens: Ints) -> tuple[Ints, Rows]:
        size = len(tokens)
        if size <= 2 * EDGE:
            return self._chosen_rows(tokens, 0)
        first, last = self._chosen_rows(tokens[:EDGE], 0), self._chosen_rows(tokens[-EDGE:], size - EDGE)
        return np.concatenate((first[0], last[0])), np.concatenate((first[1], last[1]))

    def _chosen_rows(self, tokens: Ints, offset: int) -> tuple[Ints, Rows]:
        marks = self._marks
        if lib is None:
            marks.learn(tokens)
            return _chosen_rows(marks.number[tokens], offset)
        size = len(tokens)
        at, rows = np.empty(size, np.int32), np.empty(size, np.uint32)
        many = -1
        while many < 0:
            many = lib.chosen_rows(
                address(tokens), size, offset, address(marks.number), address(marks.known), len(marks.known),
                address(_FACTORS), ROW, ONE_IN, address(at), address(rows),
            )  # fmt: skip
            if many < 0:
                marks.learn(tokens)
        return at[:many], rows[:many]


def _chosen_rows(marks: Rows, offset: int) -> tuple[Ints, Rows]:
    many = max(len(marks) - ROW + 1, 0)
    rows = np.zeros(many, np.uint32)
    for place, factor in enumerate(_FACTORS):
        rows += marks[place : place + many] * factor
    rows ^= rows >> np.uint32(16)
    at = np.flatnonzero(rows % np.uint32(ONE_IN) == 0).astype(np.int32)
    return at + np.int32(offset), rows[at]


def _repeated(at: Ints, rows: Rows, known: Rows, size: int) -> Bools:
    depth = np.zeros(size + 1, np.int32)
    is_known = known[np.minimum(np.searchsorted(known, rows), len(known) - 1)] == rows
    both = is_known[1:] & is_known[:-1]
    np.add.at(depth, at[is_known], 1)
    np.add.at(depth, at[is_known] + ROW, -1)
    np.add.at(depth, at[:-1][both], 1)
    np.add.at(depth, at[1:][both], -1)
    repeated: Bools = np.cumsum(depth[:-1]) > 0
    return repeated


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
        self._news.append(distinct(rows))
        if len(self._news) > self._pages // 8:
            self._settle()

    def _settle(self) -> None:
        news, times = distinct_counts(np.concatenate(self._news))
        rows, counts = self._rows, self._counts
        place = rows.searchsorted(news)
        is_known = np.append(rows, news[-1:])[place] == news if len(rows) else np.zeros(len(news), np.bool_)
        is_known &= place < len(rows)
        counts[place[is_known]] += times[is_known]
        rows = np.insert(rows, place[~is_known], news[~is_known])
        counts = np.insert(counts, place[~is_known], times[~is_known])
        self._pages += len(self._news)
        self._news = []
        self.repeated = rows[counts >= max(LEAST_PAGES, LEAST_SHARE * self._pages)]
        if self._pages >= MOST_PAGES:
            several = counts > 1
            rows, counts, self._pages = rows[several], counts[several] // 2, self._pages // 2
        self._rows, self._counts = rows, counts
