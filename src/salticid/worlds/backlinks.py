"""Who links to a page, as a world or an earlier crawl knows it, in the words of another crawl."""

from __future__ import annotations

from functools import cached_property
from pathlib import Path
from typing import NamedTuple, Protocol

import numpy as np

from salticid.errors import UserError
from salticid.model import Ints, Page
from salticid.protocols import Backlinks, Table, UrlTable
from salticid.store import DATABASE_FILE, CrawlFolder
from salticid.tables import Translation
from salticid.webs import LINK, MANIFEST, PAGE, RecordedWeb, text_hash

# Who links to a page, over a whole recorded world.


class WorldBacklinks:
    """The in-links of every URL of a world: one sort of all its links, then slices."""

    def __init__(self, web: RecordedWeb) -> None:
        ends = web.arrays[LINK.end]
        target = web.arrays[LINK.url]
        counts = np.diff(ends, prepend=np.uint64(0)).astype(np.int64)
        source = np.repeat(web.arrays[PAGE.url], counts)
        self._order = np.argsort(target, kind="stable")
        self._target = target[self._order]
        self._source = source

    def of(self, url: int) -> Ints:
        """The URL ids of the pages that link to `url`, each once, itself left out."""
        begin, end = self._target.searchsorted([url, url + 1])
        sources: Ints = np.unique(self._source[self._order[begin:end]])
        others: Ints = sources[sources != url]
        return others


def backlinks_from(path: Path, urls: UrlTable, words: Table) -> Backlinks:
    """The backlinks of a world folder or a crawl folder, pages in these tables; UserError if it is neither."""
    if (path / MANIFEST).is_file():
        return Inlinks(_World(path), urls, words)
    if (path / DATABASE_FILE).is_file():
        return Inlinks(_EarlierCrawl(path), urls, words)
    raise UserError(
        f"{path} knows no backlinks: it is neither a world ({MANIFEST}) nor a crawl ({DATABASE_FILE}); "
        f"name one with --backlinks WORLD|DIR"
    )


class _LinkedPages(Protocol):
    """Pages with links, under ids of their own."""

    def url(self, at: int) -> str:
        """The URL of an id."""
        ...

    def word(self, at: int) -> str:
        """The word of an id."""
        ...

    def find(self, url: str) -> int:
        """The id of a URL, -1 if it is not known."""
        ...

    def linking_to(self, url: int) -> list[int]:
        """The URLs of the pages that link there, each once, itself left out, in any order."""
        ...

    def page(self, url: int) -> Page | None:
        """The page of a URL that `linking_to` gave."""
        ...


class Inlinks:
    """Backlinks (`salticid.protocols`) whose pages have the ids of the tables of the crawl that asks.

    Where more link to a URL than are asked for, the hashes of their URLs decide, for the order of recording
    may tell what the pages are about.
    """

    def __init__(self, pages: _LinkedPages, urls: UrlTable, words: Table) -> None:
        self._pages, self._urls, self._words = pages, urls, words
        self._translation = Translation(pages.url, pages.word)

    def sources(self, url: int, most: int) -> list[Page]:
        at = self._pages.find(self._urls[url])
        if at < 0:
            return []
        places = sorted(self._pages.linking_to(at), key=self._lot)[:most]
        pages = (self._pages.page(source) for source in places)
        return [self._translation.page(page, self._urls, self._words) for page in pages if page is not None]

    def _lot(self, url: int) -> tuple[int, str]:
        text = self._pages.url(url)
        return text_hash(text.encode()), text


class _World:
    def __init__(self, folder: Path) -> None:
        self._web = RecordedWeb(folder)
        self.url, self.word = self._web.urls.__getitem__, self._web.words.__getitem__
        self.find = self._web.urls.find

    @cached_property
    def _backlinks(self) -> WorldBacklinks:
        return WorldBacklinks(self._web)

    def linking_to(self, url: int) -> list[int]:
        sources: list[int] = self._backlinks.of(url).tolist()
        return sources

    def page(self, url: int) -> Page | None:
        return self._web.page_at(url)


class _EarlierCrawl:
    def __init__(self, folder: Path) -> None:
        self._crawl = CrawlFolder(folder)
        self.url = self._crawl.url

    def word(self, at: int) -> str:
        return self._crawl.words[at]

    def find(self, url: str) -> int:
        return self._ids.get(url, -1)

    def linking_to(self, url: int) -> list[int]:
        begin, end = self._links.target.searchsorted([url, url + 1])
        sources = dict.fromkeys(self._links.source[begin:end].tolist())
        return [source for source in sources if source != url]

    def page(self, url: int) -> Page | None:
        return self._crawl.page(self._links.step[url])

    @cached_property
    def _links(self) -> _CrawledLinks:
        """All links of the crawl, by one reading of its pages."""
        step: dict[int, int] = {}
        source, target = [np.zeros(0, np.int32)], [np.zeros(0, np.int32)]
        for at in range(len(self._crawl)):
            page = self._crawl.page(at)
            if page is not None and step.setdefault(page.url, at) == at:
                source.append(np.full(len(page.links), page.url, np.int32))
                target.append(page.links.url)
        sources, targets = np.concatenate(source), np.concatenate(target)
        order = np.argsort(targets, kind="stable")
        return _CrawledLinks(targets[order], sources[order], step)

    @cached_property
    def _ids(self) -> dict[str, int]:
        """The URLs that are linked to: only of these will anybody find sources."""
        return {self.url(at): at for at in np.unique(self._links.target).tolist()}


class _CrawledLinks(NamedTuple):
    """Links as two columns, ascending by target, and the visit that delivered each source."""

    target: Ints
    source: Ints
    step: dict[int, int]
