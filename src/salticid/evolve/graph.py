"""A world as a crawl sees it, without words: what answers at a URL, and where the links of a page lead."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
from numba import njit

from salticid.evolve.array_cache import ArrayCache
from salticid.metrics.parts.page_links import gather
from salticid.model import NO_URL, Ints, Outcome
from salticid.urls import site
from salticid.webs.recorded import MAX_REDIRECTS, NOFOLLOW, OUTCOMES, REDIRECT, RecordedWeb
from salticid.webs.world_arrays import LINK, PAGE, ROW, URL

ANSWERS = (*OUTCOMES, Outcome.NOT_RECORDED, Outcome.REDIRECT_LOOP, Outcome.DUPLICATE)
"""The outcomes of a visit, by code."""
NOT_RECORDED, REDIRECT_LOOP = ANSWERS.index(Outcome.NOT_RECORDED), ANSWERS.index(Outcome.REDIRECT_LOOP)

Starts = npt.NDArray[np.int64]
Codes = npt.NDArray[np.uint8]


@dataclass(frozen=True, slots=True, eq=False)
class Graph:
    """Arrays over the URLs and the pages of a world.

    At URL `u` answers, redirects followed, `final[u]` with `outcome[u]`, a code of ANSWERS, and page `page[u]`, -1
    if none. Page `p` is at `page_url[p]`, says that it is `canonical[p]` of the same site, if not NO_URL, and
    leads to out[start[p]:start[p + 1]]: the URLs one may follow, each once, as they first occur.
    """

    final: Ints
    outcome: Codes
    page: Ints
    host: Ints
    page_url: Ints
    canonical: Ints
    start: Starts
    out: Ints

    @classmethod
    def of(cls, web: RecordedWeb, cache: ArrayCache) -> Graph:
        """The graph of a world."""
        final, outcome, page = cache.arrays(("final", "outcome", "page"), lambda: _answers(web))
        (canonical,) = cache.arrays(("canonical",), lambda: (_canonical(web),))
        start, out = cache.arrays(("start", "out"), lambda: _out(web)[:2])
        return cls(final, outcome, page, web.arrays[URL.host], web.arrays[PAGE.url], canonical, start, out)

    def answering(self, urls: Ints) -> Ints:
        """The pages that answer at these URLs, those without one passed over."""
        pages: Ints = self.page[urls[urls < len(self.page)]]
        return pages[pages >= 0]

    def among(self, pages: Ints) -> tuple[Starts, Ints]:
        """The links of some pages as `salticid.metrics.parts.community_links` takes them: places in `pages`, or -1."""
        order = np.argsort(pages)
        led_to = self.page[gather(self.start, self.out, pages)]
        at = np.minimum(pages[order].searchsorted(led_to), max(len(pages) - 1, 0))
        place = np.where(pages[order][at] == led_to, order[at], -1) if len(pages) else led_to
        lengths = self.start[pages + 1] - self.start[pages]
        return np.concatenate([np.zeros(1, np.int64), np.cumsum(lengths)]), place.astype(np.int32)


def first_links(web: RecordedWeb) -> Starts:
    """For each link of the world that may be followed its place in `Graph.out`, -1 for the others."""
    return _out(web)[2]


def _answers(web: RecordedWeb) -> tuple[npt.NDArray[Any], ...]:
    arrays = web.arrays
    final, outcome, page = _follow(arrays[URL.row], arrays[ROW.kind], arrays[ROW.target], arrays[ROW.page])
    return final, outcome, page


@njit(cache=True)
def _follow(row: Any, kind: Any, target: Any, page_of: Any) -> Any:
    """For each URL what a fetch would give."""
    final, page = np.empty(len(row), np.int32), np.full(len(row), -1, np.int32)
    outcome = np.full(len(row), REDIRECT_LOOP, np.uint8)
    for url in range(len(row)):
        at = url
        for _ in range(MAX_REDIRECTS + 1):
            answer = row[at] if at < len(row) else -1
            if answer < 0:
                outcome[url] = NOT_RECORDED
                break
            if kind[answer] != REDIRECT:
                outcome[url] = kind[answer]
                if kind[answer] == 0:
                    page[url] = page_of[answer]
                break
            at = target[answer]
        final[url] = at
    return final, outcome, page


def _canonical(web: RecordedWeb) -> Ints:
    """For each page the URL it gives itself, where that is another one of its own site."""
    target, own = web.arrays[PAGE.canonical], web.arrays[PAGE.url]
    canonical = np.full(len(own), NO_URL, np.int32)
    sites: dict[int, str] = {}

    def site_of(url: int) -> str:
        host = web.urls.host(url)
        if host not in sites:
            sites[host] = site(f"http://{web.urls.host_name(host)}/")
        return sites[host]

    for page in np.flatnonzero((target != NO_URL) & (target != own)).tolist():
        if site_of(int(target[page])) == site_of(int(own[page])):
            canonical[page] = target[page]
    return canonical


def _out(web: RecordedWeb) -> tuple[Starts, Ints, Starts]:
    arrays = web.arrays
    nofollow_pages = (arrays[PAGE.flags] & NOFOLLOW) > 0
    start, out, place = _distinct(
        arrays[LINK.end], arrays[LINK.url], arrays[LINK.nofollow], nofollow_pages, len(web.urls.disk)
    )
    return start, out, place


@njit(cache=True)
def _distinct(ends: Any, urls: Any, nofollow: Any, nofollow_pages: Any, size: int) -> Any:
    """The links of each page that may be followed, each URL once, and which of these each link is."""
    start, place = np.zeros(len(ends) + 1, np.int64), np.full(len(urls), -1, np.int64)
    place_of, last_page = np.zeros(size, np.int64), np.full(size, -1, np.int32)
    out = np.empty(len(urls), np.int32)
    begin, many = np.int64(0), np.int64(0)
    for page in range(len(ends)):
        end = np.int64(ends[page])
        for link in range(begin, end):
            url = urls[link]
            if nofollow[link] or nofollow_pages[page]:
                continue
            if last_page[url] != page:
                last_page[url], place_of[url] = page, many
                out[many] = url
                many += 1
            place[link] = place_of[url]
        begin = end
        start[page + 1] = many
    return start, out[:many].copy(), place
