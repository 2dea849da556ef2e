"""The links of downloaded pages, by page and by the URL they lead to."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from salticid.model import Ints
from salticid.snapshots import in_snapshot
from salticid.strategies.parts.rank_urls import NONE, OpenUrls


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
