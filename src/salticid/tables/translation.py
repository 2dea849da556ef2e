"""A page under the ids of other tables: those of another world, crawl or process, or of none, where it is all text."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Protocol

import numpy as np

from salticid.columns import grow
from salticid.model import NO_URL, Area, Glimpse, Ints, Links, Page
from salticid.native import at as address
from salticid.native import lib
from salticid.protocols import Table, UrlTable

_UNKNOWN = -1


class Interning(Protocol):
    """A table as far as it gives ids to texts."""

    def intern(self, text: str, /) -> int: ...


class IdMap:
    """Ids of one table -> ids of another. What it does not know it asks `spell` for, once."""

    def __init__(self, spell: Callable[[int], str] | None = None) -> None:
        self._spell = spell
        self._ids = np.full(1024, _UNKNOWN, np.int32)
        self._end = 0

    def extend(self, first: int, texts: Sequence[bytes], table: Table) -> None:
        """These texts have the ids from `first` on; in `table` they get others."""
        if not 0 <= first <= self._end:
            raise ValueError(f"{self._end} texts are known, and the next has id {first}")
        end = first + len(texts)
        self._end = max(self._end, end)
        self._ids = grow(self._ids, end, _UNKNOWN)
        self._ids[first:end] = table.intern_all(texts)

    def to(self, ids: Ints, table: Interning) -> Ints:
        """The ids that `table` has for the same texts, always the same table."""
        if self._spell is not None and len(ids):
            if (last := int(ids.max())) >= len(self._ids):
                self._spell(last)  # an id beyond the table raises before there is room for it
            self._ids = grow(self._ids, last + 1, _UNKNOWN)
            for at in dict.fromkeys(ids[self._ids[ids] == _UNKNOWN].tolist()):
                self._ids[at] = table.intern(self._spell(at))
        return self._look_up(ids)

    def to_one(self, one: int, table: Interning) -> int:
        """The same for one id, or NO_URL."""
        if one == NO_URL:
            return NO_URL
        known: int = self._ids.item(one) if 0 <= one < len(self._ids) else _UNKNOWN
        return int(self.to(np.array([one], np.int32), table)[0]) if known == _UNKNOWN else known

    def _look_up(self, ids: Ints) -> Ints:
        if lib is None:
            return self._ids.take(ids)
        ids, others = np.ascontiguousarray(ids, np.int32), np.empty(len(ids), np.int32)
        if not lib.look_up(address(self._ids), len(self._ids), address(ids), len(ids), address(others)):
            raise IndexError("nobody said what these ids stand for")
        return others


class Translation:
    """Gives pages the ids of other tables; `spell_url` and `spell_word` say what their own ids stand for.

    What was looked up stays at hand, so that one translation serves one pair of tables.

    >>> from salticid.tables import Texts, Urls
    >>> from salticid.testing import spider_web
    >>> web, urls, words = spider_web(), Urls(), Texts()
    >>> page = Translation(web.urls.__getitem__, web.words.__getitem__).page(web.page(web.id("b")), urls, words)
    >>> urls[page.url], words.spell(page.anchor(0).tolist()), page.text[:15]
    ('http://small.example/b', ['their', 'eyes'], 'Jumping spiders')
    """

    def __init__(
        self,
        spell_url: Callable[[int], str] | None = None,
        spell_word: Callable[[int], str] | None = None,
    ) -> None:
        self.urls, self.words = IdMap(spell_url), IdMap(spell_word)

    def page(self, page: Page, urls: UrlTable, words: Table) -> Page:
        """The same page under the ids of these tables, which learn what is new to them."""
        own = (page.url, page.canonical, page.refresh)
        url, canonical, refresh = (self.urls.to_one(one, urls) for one in own)
        links = page.links
        return Page(
            url=url,
            title=page.title,
            tokens=self.words.to(page.tokens, words),
            area_start=page.area_start,
            area=page.area,
            links=Links(self.urls.to(links.url, urls), links.start, links.end, links.nofollow),
            packed_text=page.packed_text,
            canonical=canonical,
            refresh=refresh,
            noindex=page.noindex,
            nofollow=page.nofollow,
            feeds=page.feeds,
        )


def page_of_glimpse(glimpse: Glimpse, urls: UrlTable, words: Table) -> Page:
    """The page that a glimpse shows, as far as it does."""
    tokens = words.intern_all([word.encode() for word in glimpse.words])
    to = urls.intern_all([url.encode() for url, _, _ in glimpse.links])
    # Another process says where the anchors are: compiled loops use these places.
    spans = [
        (min(max(first, 0), len(tokens)), min(max(last, 0), len(tokens))) for _, first, last in glimpse.links
    ]
    start = np.array([first for first, _ in spans], np.int32)
    end = np.array([max(span) for span in spans], np.int32)
    return Page(
        url=urls.intern(glimpse.url),
        title=glimpse.title,
        tokens=np.array(tokens, np.int32),
        area_start=np.zeros(1, np.int32),
        area=np.array([Area.REST], np.uint8),
        links=Links(np.array(to, np.int32), start, end, np.zeros(len(to), np.bool_)),
        packed_text=b"",
    )
