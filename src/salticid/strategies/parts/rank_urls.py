"""What is known of URLs that nobody has visited, gathered from the pages that link to them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from salticid.columns import grow
from salticid.model import Floats, Ints
from salticid.snapshots import in_snapshot, rows
from salticid.strategies.parts.rank_terms import (
    ANCHOR,
    AUTHORITY,
    COMM_IN,
    COMM_OUT,
    CONTEXT,
    HOST,
    HUB,
    LEVELS,
    PARENT_1,
    TERMS,
)

NONE = -1
_SEEN, _IN_COMMUNITY, _CLOSED = 1, 2, 4
_PARENTS, _LINKS, _INSIDE, _OUT, _ANCHOR, _CONTEXT, _PAIRS = range(7)
"""Columns of a row: how many pages link there; their links, added up; how many of them are in the community; the
sum of the shares of their links that lead into it; the best anchor and context; then the pairs."""


class Pairs(NamedTuple):
    """The highest and the lowest signed score of the pages 1, 2, ... links above a page."""

    most: Floats
    least: Floats


class Parent(NamedTuple):
    """What a downloaded page says about what it links to: how many links, which share of them leads into the
    community, whether it is in there itself, and the scores of itself and of the pages above it.
    """

    links: int
    share: float
    inside: bool
    above: Pairs


@in_snapshot(pages=int, links=int, urls=int)
class Totals:
    """Counts of the crawl so far: pages downloaded, links on them, and URLs seen."""

    def __init__(self) -> None:
        self.pages = self.links = self.urls = 0


@in_snapshot(
    totals=Totals, _flags=np.uint8, _slot=np.int32, _rows=rows(np.float64), head=np.int64, depth=np.int32,
    _url=np.int32, _free=list[int],
)  # fmt: skip
class OpenUrls:
    """A row of numbers for each URL that was seen and not visited, found by the URL's id.

    Of others one byte is kept. `head` is the last link to a URL that `PastLinks` keeps, `depth` how many links from the
    seeds it was when it began to wait.
    """

    def __init__(self, size: int) -> None:
        self.totals = Totals()
        self._flags = np.zeros(max(size, 1024), np.uint8)
        self._slot = np.full(len(self._flags), NONE, np.int32)
        self._rows = np.zeros((1024, _PAIRS + 2 * LEVELS))
        self.head = np.full(len(self._rows), NONE, np.int64)
        self.depth = np.zeros(len(self._rows), np.int32)
        self._url = np.full(len(self._rows), NONE, np.int32)
        self._free: list[int] = list(range(len(self._rows)))

    def __len__(self) -> int:
        """How many are open."""
        return len(self._rows) - len(self._free)

    def see(self, urls: Ints) -> None:
        """These URLs, each once, are known to exist."""
        self._make_room(urls)
        self.totals.urls += int(np.count_nonzero(self._flags[urls] & _SEEN == 0))
        self._flags[urls] |= _SEEN

    def open(self, urls: Ints) -> Ints:
        """The slots of those of these seen URLs, each once, that nobody has visited."""
        urls = urls[self._flags[urls] & _CLOSED == 0]
        self._open(urls[self._slot[urls] == NONE])
        return self._slot[urls]

    def slots(self, urls: Ints) -> Ints:
        """The slots of these seen URLs; NONE for those that have none."""
        return self._slot[urls]

    def slot(self, url: int) -> int:
        """The slot of a URL, or NONE."""
        return int(self._slot[url]) if url < len(self._slot) else NONE

    def close(self, url: int) -> None:
        """A URL was visited: nothing need be known of it any more."""
        self._make_room(np.array([url], np.int32))
        self._flags[url] |= _CLOSED
        self.forget(url)

    def forget(self, url: int) -> None:
        """Drop what is known of a URL; if it is linked to again, that begins anew."""
        if (slot := self.slot(url)) != NONE:
            self._slot[url] = self._url[slot] = NONE
            self._free.append(slot)

    def urls(self) -> list[int]:
        """All open ones."""
        urls: list[int] = self._url[self._url != NONE].tolist()
        return urls

    def in_community(self, urls: Ints) -> int:
        """How many of these seen URLs are in the community."""
        return int(np.count_nonzero(self._flags[urls] & _IN_COMMUNITY))

    def join_community(self, url: int) -> bool:
        """Put a URL into the community; False when it is there already."""
        self._make_room(np.array([url], np.int32))
        new = not self._flags[url] & _IN_COMMUNITY
        self._flags[url] |= _IN_COMMUNITY
        return bool(new)

    def add_parent(self, slots: Ints, parent: Parent) -> None:
        """A page that was just downloaded links to these."""
        rows = self._rows[slots]
        rows[:, _PARENTS] += 1
        rows[:, _LINKS] += parent.links
        rows[:, _INSIDE] += parent.inside
        rows[:, _OUT] += parent.share
        most, least = _pairs(rows)
        np.maximum(most, parent.above.most, out=most)
        np.minimum(least, parent.above.least, out=least)
        self._rows[slots] = rows

    def add_share(self, slots: Ints, share: float) -> None:
        """Of the links of a page that links to these, a larger share leads into the community now."""
        self._rows[slots, _OUT] += share

    def add_words(self, slots: Ints, anchor: npt.NDArray[np.float32], context: npt.NDArray[np.float32]) -> None:
        """How the words of links to these, and those around them, match the topic; the best match counts."""
        np.maximum.at(self._rows[:, _ANCHOR], slots, anchor)
        np.maximum.at(self._rows[:, _CONTEXT], slots, context)

    def above(self, url: int) -> Pairs:
        """The pairs of a URL as they are; of one that no page links to, empty ones."""
        slot = self.slot(url)
        if slot == NONE:
            return Pairs(np.full(LEVELS, -np.inf), np.full(LEVELS, np.inf))
        most, least = _pairs(self._rows[slot])
        return Pairs(most.copy(), least.copy())

    def set_parents(self, slot: int, most: float, least: float) -> None:
        """The scores of the pages that link to a URL are others now."""
        self._rows[slot, _PAIRS] = most
        self._rows[slot, _PAIRS + LEVELS] = least

    def has_parents(self, slot: int) -> bool:
        """Whether a downloaded page links there."""
        return bool(self._rows[slot, _PARENTS])

    def terms(self, slots: Ints, hosts: Floats) -> Floats:
        """The score of each term (rows) for each of these URLs (columns), some page linking to each of them."""
        rows, totals = self._rows[slots], self.totals
        parents = rows[:, _PARENTS]
        scores = np.empty((len(TERMS), len(slots)))
        scores[HUB] = rows[:, _LINKS] / parents / (totals.links / totals.pages)
        scores[AUTHORITY] = parents / (totals.links / totals.urls)
        scores[COMM_IN] = rows[:, _INSIDE] / parents
        scores[COMM_OUT] = rows[:, _OUT]
        most, least = _pairs(rows)
        telling = np.where(most >= 0, most, np.where(np.isneginf(most), 0.0, least))
        scores[PARENT_1 : PARENT_1 + LEVELS] = telling.T
        scores[ANCHOR], scores[CONTEXT] = rows[:, _ANCHOR], rows[:, _CONTEXT]
        scores[HOST] = hosts
        return scores

    def _open(self, urls: Ints) -> None:
        while len(self._free) < len(urls):
            self._grow()
        first = len(self._free) - len(urls)
        slots = np.array(self._free[first:], np.int32)
        del self._free[first:]
        self._slot[urls], self._url[slots], self.head[slots], self.depth[slots] = slots, urls, NONE, 0
        self._rows[slots, :_PAIRS] = 0.0
        self._rows[slots, _PAIRS : _PAIRS + LEVELS] = -np.inf
        self._rows[slots, _PAIRS + LEVELS :] = np.inf

    def _grow(self) -> None:
        size = len(self._rows)
        self._rows = grow(self._rows, 2 * size)
        self.head, self._url = grow(self.head, 2 * size, NONE), grow(self._url, 2 * size, NONE)
        self.depth = grow(self.depth, 2 * size)
        self._free += range(size, 2 * size)

    def _make_room(self, urls: Ints) -> None:
        size = int(urls.max(initial=0)) + 1
        self._flags, self._slot = grow(self._flags, size), grow(self._slot, size, NONE)


def _pairs(rows: Floats) -> Pairs:
    """The pairs in some rows, or in one: a view."""
    return Pairs(rows[..., _PAIRS : _PAIRS + LEVELS], rows[..., _PAIRS + LEVELS :])


# The links of downloaded pages, by page and by the URL they lead to.


@in_snapshot()
class _Past(NamedTuple):
    begin: int
    size: int
    score: float


@in_snapshot(
    _limit=int, _pages="dict[int, _Past]", _url=np.int32, _step=np.int32, _before=np.int64, _start=int,
    _end=int,
)  # fmt: skip
class PastLinks:
    """The links of the last pages downloaded, at most `limit` of these (None: of all).

    Links are numbered as they come. Each knows the one before it that leads to the same URL, so that going
    back from the last one meets all; those of forgotten pages are the oldest and end the way.
    """

    def __init__(self, limit: int | None) -> None:
        self._limit = limit
        self._pages: dict[int, _Past] = {}
        self._url = np.zeros(1024, np.int32)
        self._step = np.zeros(1024, np.int32)
        self._before = np.zeros(1024, np.int64)
        self._start = self._end = 0

    def add(self, step: int, score: float, urls: Ints, open_urls: OpenUrls) -> None:
        """The page of visit `step`, its signed score, and the URLs it links to, each once."""
        begin, size = self._end, len(urls)
        if self._limit == 0:
            return
        self._make_room(size)
        at = begin - self._start
        self._url[at : at + size] = urls
        self._step[at : at + size] = step
        before = np.full(size, NONE, np.int64)
        slots = open_urls.slots(urls)
        is_open = slots != NONE
        before[is_open] = open_urls.head[slots[is_open]]
        open_urls.head[slots[is_open]] = begin + np.flatnonzero(is_open)
        self._before[at : at + size] = before
        self._pages[step] = _Past(begin, size, score)
        self._end += size
        if self._limit is not None and len(self._pages) > self._limit:
            del self._pages[next(iter(self._pages))]

    def __contains__(self, step: int) -> bool:
        return step in self._pages

    def of(self, step: int) -> Ints:
        """The URLs that a page links to, each once."""
        page = self._pages[step]
        return self._url[page.begin - self._start : page.begin - self._start + page.size]

    def score(self, step: int) -> float:
        """The signed score of a page."""
        return self._pages[step].score

    def rescore(self, step: int, score: float) -> None:
        """Give a page another score."""
        self._pages[step] = self._pages[step]._replace(score=score)

    def leading_to(self, slot: int, open_urls: OpenUrls) -> Iterator[int]:
        """The pages that link to the URL of a slot, by their visits, the last one first."""
        first = next(iter(self._pages.values())).begin if self._pages else self._end
        at = int(open_urls.head[slot])
        while at >= first:
            yield int(self._step[at - self._start])
            at = int(self._before[at - self._start])

    def _make_room(self, more: int) -> None:
        """Drop what is forgotten when room is needed, and grow when that does not give much."""
        if self._end - self._start + more <= len(self._url):
            return
        first = next(iter(self._pages.values())).begin if self._pages else self._end
        rows = slice(first - self._start, self._end - self._start)
        size = max(2 * (self._end - first + more), 1024)
        self._url, self._step, self._before = (
            _resize(column[rows], size) for column in (self._url, self._step, self._before)
        )
        self._start = first


def _resize(rows: npt.NDArray[np.signedinteger], size: int) -> npt.NDArray[np.signedinteger]:
    column = np.zeros(size, rows.dtype)
    column[: len(rows)] = rows
    return column
