"""A world as a crawl sees it, without words: what answers at a URL, and where the links of a page lead."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
from numba import njit

from salticid.errors import UserError
from salticid.languages import OtherLanguages
from salticid.metrics import gather
from salticid.model import NO_URL, Ints, Outcome
from salticid.protocols import Brief
from salticid.strategies.parts import AROUND, LinkWords, Singles, Stretch
from salticid.urls import site
from salticid.webs import LINK, MAX_REDIRECTS, NOFOLLOW, OUTCOMES, PAGE, REDIRECT, ROW, TOKEN, URL, RecordedWeb

# Arrays worked out once from a world and kept beside it, mapped by all who need them.

VERSION = 1
"""Of what is kept: other versions are worked out anew."""


class ArrayCache:
    """A folder of arrays that can always be made again; none of them counts for the world's digest.

    Their names carry the version, the digest of the world and whatever else they depend on, so that a stale one
    is never read. Each appears under its name only when it is whole.
    """

    def __init__(self, folder: Path, world: str) -> None:
        self.folder, self._world = folder, world

    def arrays(
        self, names: tuple[str, ...], make: Callable[[], tuple[npt.NDArray[Any], ...]]
    ) -> tuple[npt.NDArray[Any], ...]:
        """The arrays of these names, in their order; made and kept if one of them is not there."""
        try:
            return tuple(self._map(name) for name in names)
        except (OSError, ValueError, EOFError):
            for name, array in zip(names, make(), strict=True):
                self._keep(name, array)
            return tuple(self._map(name) for name in names)

    def _file(self, name: str) -> Path:
        return self.folder / f"{name}-{VERSION}-{self._world}.npy"

    def _map(self, name: str) -> npt.NDArray[Any]:
        file = self._file(name)
        array = np.load(file, mmap_mode="r" if file.stat().st_size > _HEADER else None)
        plain = np.asarray(array).view(np.ndarray)
        plain.flags.writeable = False
        return plain

    def _keep(self, name: str, array: npt.NDArray[Any]) -> None:
        file = self._file(name)
        partial = file.with_suffix(f".{os.getpid()}.partial")
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            with partial.open("wb") as out:
                np.save(out, array, allow_pickle=False)
            partial.replace(file)
        except OSError as error:
            partial.unlink(missing_ok=True)
            raise UserError(
                f"cannot keep {file.name} in {self.folder}: {error.strerror}; make room there, or name a "
                "folder that can be written to"
            ) from None


_HEADER = 128
"""The size of a file that holds an array of nothing, which cannot be mapped."""


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
        final, outcome, page = cache.arrays(("final", "answer", "page"), lambda: _answers(web))
        (canonical,) = cache.arrays(("canonical",), lambda: (_canonical(web),))
        start, out = cache.arrays(("start", "out"), lambda: _out(web)[:2])
        return cls(final, outcome, page, web.arrays[URL.host], web.arrays[PAGE.url], canonical, start, out)

    def answering(self, urls: Ints) -> Ints:
        """The pages that answer at these URLs, those without one passed over."""
        pages: Ints = self.page[urls[urls < len(self.page)]]
        return pages[pages >= 0]

    def among(self, pages: Ints) -> tuple[Starts, Ints]:
        """The links of some pages as `salticid.metrics.parts.graph` takes them: places in `pages`, or -1."""
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


# What the links of a world say about a topic, worked out once for all crawls.

_VERSION = 1
_BLOCK = 5_000

Watch = Callable[[str, int, int], None]


def link_words(
    brief: Brief, web: RecordedWeb, graph: Graph, cache: ArrayCache, watch: Watch | None = None
) -> tuple[Singles, Singles]:
    """For each link of `graph.out` the anchor and the context score: the best of those to its URL on its page."""
    settings = [_VERSION, AROUND, brief.topic.keywords, brief.language]
    digest = hashlib.blake2b(repr(settings).encode(), digest_size=8).hexdigest()
    names = f"anchor-{digest}", f"context-{digest}"
    anchor, context = cache.arrays(names, lambda: _scores(LinkWords(brief), web, graph, watch))
    return anchor, context


def _scores(words: LinkWords, web: RecordedWeb, graph: Graph, watch: Watch | None) -> tuple[Singles, Singles]:
    arrays, place = web.arrays, first_links(web)
    token_ends, link_ends = (arrays[name].astype(np.int64) for name in (TOKEN.end, LINK.end))
    anchor, context = np.zeros(len(graph.out), np.float32), np.zeros(len(graph.out), np.float32)
    for first in range(0, web.pages, _BLOCK):
        last = min(first + _BLOCK, web.pages)
        token_begin, link_begin = (int(ends[first - 1]) if first else 0 for ends in (token_ends, link_ends))
        high = token_ends[first:last] - token_begin
        low = np.append(0, high[:-1])
        links = slice(link_begin, int(link_ends[last - 1]))
        page = np.repeat(np.arange(last - first), np.diff(link_ends[first:last], prepend=link_begin))
        begin, end = (arrays[name][links] + low[page] for name in (LINK.start, LINK.stop))
        spans = Stretch(begin, end, low[page], high[page])
        best_scores = words.scores(arrays[TOKEN.word][token_begin : int(token_ends[last - 1])], spans)
        usable = place[links] >= 0
        for best, scores in zip((anchor, context), best_scores, strict=True):
            np.maximum.at(best, place[links][usable], scores[usable])
        if watch is not None:
            watch("reading links", last, web.pages)
    return anchor, context


# The links that may lead to other languages: a crawl holds these back, once it knows where other languages lie.

_SIGNS_VERSION = 1
_URLS_AT_ONCE = 100_000


class LanguageSigns(NamedTuple):
    """What links say about their language, as `OtherLanguages.signs` gives it for each.

    Those of page `p` are at start[p]:start[p + 1], as often as they occur: their place in `Graph.out`, and the end of
    their signs in `sign`. A sign is 0 for a parameter; else it is the number of a root, negative if the root surely is
    that of a language.
    """

    start: Starts
    link: Starts
    end: Starts
    sign: Ints

    @classmethod
    def none(cls, pages: int) -> LanguageSigns:
        """Those of a world without other languages."""
        none = np.zeros(0, np.int64)
        return cls(np.zeros(pages + 1, np.int64), none, none, np.zeros(0, np.int32))

    @classmethod
    def of(
        cls, other: OtherLanguages, web: RecordedWeb, graph: Graph, cache: ArrayCache, watch: Watch | None = None
    ) -> LanguageSigns:
        """The signs of a world, for the languages that are wanted."""
        settings = [_SIGNS_VERSION, sorted(other.wanted)]
        digest = hashlib.blake2b(repr(settings).encode(), digest_size=8).hexdigest()
        names = tuple(f"language-{name}-{digest}" for name in cls._fields)
        return cls(*cache.arrays(names, lambda: _signs(other, web, graph, watch)))


def _signs(other: OtherLanguages, web: RecordedWeb, graph: Graph, watch: Watch | None) -> LanguageSigns:
    names_other, linked = np.zeros(len(web.urls.disk), np.bool_), np.unique(graph.out)
    for first in range(0, len(linked), _URLS_AT_ONCE):
        urls = linked[first : first + _URLS_AT_ONCE]
        names_other[urls] = other.named_by(urls)
        if watch is not None:
            watch("reading URLs", first + len(urls), len(linked))
    if not names_other.any():
        return LanguageSigns.none(web.pages)
    place, target = first_links(web), web.arrays[LINK.url]
    links = np.flatnonzero(names_other[target] & (place >= 0))
    pages = np.searchsorted(web.arrays[LINK.end].astype(np.int64), links, side="right")
    roots: dict[str, int] = {}
    signs, ends = list[int](), list[int]()
    for link, page in zip(links.tolist(), pages.tolist(), strict=True):
        here, there = web.urls.spell([int(graph.page_url[page]), int(target[link])])
        for root, is_sure in other.signs(here, there):
            number = 0 if root is None else roots.setdefault(root, len(roots) + 1)
            signs.append(-number if is_sure else number)
        ends.append(len(signs))
    start = np.searchsorted(pages, np.arange(web.pages + 1)).astype(np.int64)
    return LanguageSigns(start, place[links], np.array(ends, np.int64), np.array(signs, np.int32))
