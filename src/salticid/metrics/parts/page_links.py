"""The links between the pages of a world, as arrays."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from salticid.model import Ints, Outcome
from salticid.webs.recorded import MAX_REDIRECTS, NOFOLLOW, OUTCOMES, REDIRECT, RecordedWeb
from salticid.webs.world_arrays import LINK, PAGE, ROW, URL


@dataclass(frozen=True, slots=True, eq=False)
class PageLinks:
    """The links between the pages of a world that a crawl may follow, redirects resolved.

    The pages that page `p` leads to are page[start[p]:start[p + 1]], in reading order, with repetitions.
    `page_at[url]` is the page that answers at a URL of the world, -1 where none does.

    Four pages, of which 0 leads to 1 and 2, both of these lead to 3, and 3 to itself:

    >>> links = PageLinks(np.array([0, 2, 3, 4, 5]), np.array([1, 2, 3, 3, 3]), page_at=np.arange(4))
    >>> links.of(0).tolist(), links.distances(np.array([1])).tolist()
    ([1, 2], [-1, 0, -1, 1])
    """

    start: npt.NDArray[np.int64]
    page: Ints
    page_at: Ints

    @classmethod
    def between(cls, web: RecordedWeb) -> PageLinks:
        """Those of a world: no link that is nofollow, or on a page that is, and none that leads to no page."""
        page_at = _page_at(web)
        ends = web.arrays[LINK.end].astype(np.int64)
        begins = np.concatenate([np.zeros(1, np.int64), ends])
        page = page_at[web.arrays[LINK.url]]
        on_nofollow = np.repeat((web.arrays[PAGE.flags] & NOFOLLOW) > 0, np.diff(begins))
        usable = (page >= 0) & ~web.arrays[LINK.nofollow] & ~on_nofollow
        counts = np.concatenate([np.zeros(1, np.int64), np.cumsum(usable)])
        return cls(counts[begins], page[usable], page_at)

    def __len__(self) -> int:
        return len(self.start) - 1

    def of(self, page: int) -> Ints:
        """The pages that a page leads to."""
        return self.page[self.start[page] : self.start[page + 1]]

    def answering(self, urls: Ints) -> Ints:
        """The pages that answer at these URLs, in their order; URLs without a page are passed over."""
        valid_urls = urls[(urls >= 0) & (urls < len(self.page_at))]
        pages: Ints = self.page_at[valid_urls]
        return pages[pages >= 0]

    def distances(self, seeds: Ints) -> Ints:
        """For each page the least number of links from one of the seeds, URL ids; -1 where no way leads."""
        away = np.full(len(self), -1, np.int32)
        away[self.answering(seeds)] = steps = 0
        while len(level := np.flatnonzero(away == steps)):
            steps += 1
            neighbours = gather(self.start, self.page, level)
            away[neighbours[away[neighbours] < 0]] = steps
        return away

    def among(self, pages: Ints) -> tuple[npt.NDArray[np.int64], Ints]:
        """The links of some pages, as `cohesiveness` takes them.

        Page number i of them leads to link[start[i]:start[i + 1]], places in `pages`; -1 is none of them.
        """
        place = np.full(len(self), -1, np.int32)
        place[pages] = np.arange(len(pages))
        lengths = self.start[pages + 1] - self.start[pages]
        start = np.concatenate([np.zeros(1, np.int64), np.cumsum(lengths)])
        return start, place[gather(self.start, self.page, pages)]


def gather(start: npt.NDArray[np.int64], values: Ints, rows: npt.NDArray[np.signedinteger[Any]]) -> Ints:
    """The values of several rows, one after the other; row r is values[start[r]:start[r + 1]].

    >>> gather(np.array([0, 2, 2, 3]), np.array([7, 8, 9]), np.array([2, 0, 1])).tolist()
    [9, 7, 8]
    """
    begins = start[rows]
    lengths = start[rows + 1] - begins
    shifts = np.repeat(begins - (np.cumsum(lengths) - lengths), lengths)
    return values[shifts + np.arange(len(shifts))]


def _page_at(web: RecordedWeb) -> Ints:
    """For each URL of the world the page that `fetch` would give, -1 for none."""
    arrays = web.arrays
    row, kind = arrays[URL.row], arrays[ROW.kind]
    page_at = _column_by_url(row, np.where(kind == OUTCOMES.index(Outcome.OK), arrays[ROW.page], -1))
    redirects = _column_by_url(row, np.where(kind == REDIRECT, arrays[ROW.target], -1))
    from_urls = np.flatnonzero(redirects >= 0)
    at: npt.NDArray[np.int64] = from_urls
    for _ in range(MAX_REDIRECTS):
        at = np.where(redirects[at] >= 0, redirects[at], at)
    page_at[from_urls] = page_at[at]
    return page_at


def _column_by_url(row: Ints, of_row: Ints) -> Ints:
    """A column of the rows for each URL, -1 for a URL without a row."""
    column = np.append(of_row, np.int32(-1)).astype(np.int32, copy=False)
    by_url: Ints = column[row]
    return by_url
