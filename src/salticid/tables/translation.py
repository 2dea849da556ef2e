"""A page under the ids of other tables: those of another world, crawl or process, or of none, where it is all text."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Sequence
from itertools import count, islice
from typing import Protocol

import numpy as np

from salticid.columns import grow
from salticid.model import NO_URL, Area, Glimpse, Ints, Links, Page
from salticid.native import TextArrays, lib
from salticid.native import at as address
from salticid.protocols import Table, Tables, UrlTable

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
    spans = [(min(max(first, 0), len(tokens)), min(max(last, 0), len(tokens))) for _, first, last in glimpse.links]
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


# A page as it is shown to those who did not fetch it: the words around some of its links.

AROUND = 20
"""Words before and after a link that travel with it."""


def excerpt(
    page: Page,
    places: Sequence[int],
    tables: Tables,
    *,
    origin: int,
    step: int,
    score: float,
    positive: bool,
    depth: int,
) -> Glimpse:
    """The stretches of words around the links at these places, one after another, and where the links are now."""
    starts, ends = page.links.start[places].tolist(), page.links.end[places].tolist()
    tokens: list[int] = []
    spans: list[tuple[int, int]] = []
    shift = until = 0
    for start, end in zip(starts, ends, strict=True):
        begin = max(start - AROUND, until)
        if begin > until or not tokens:
            shift = begin - len(tokens)
        until = max(until, min(end + AROUND, len(page.tokens)))
        tokens += page.tokens[len(tokens) + shift : until].tolist()
        spans.append((start - shift, end - shift))
    urls = tables.urls.spell(page.links.url[places].tolist())
    return Glimpse(
        origin=origin,
        step=step,
        url=tables.urls[page.url],
        title=page.title,
        words=tuple(tables.words.spell(tokens)),
        links=tuple((url, *span) for url, span in zip(urls, spans, strict=True)),
        score=score,
        positive=positive,
        depth=depth,
    )


# A table for a process that only passes texts on: it knows the ids it gave, and spells a text once.


class Newcomers:
    """Ids in order of arrival, and the texts that `tell` has not returned yet. No text holds a line break.

    Quicker than `Texts`, and larger: a hundred bytes a text, for as long as it lives.

    >>> words = Newcomers()
    >>> words.intern_all([b"fly", b"web", b"fly"]), words.tell(), words.intern("ant"), words.tell(), words.tell()
    ([0, 1, 0], (0, b'fly\\nweb'), 2, (2, b'ant'), (3, b''))
    """

    def __init__(self) -> None:
        self._ids: defaultdict[bytes, int] = defaultdict(count().__next__)
        self.arrays = None if lib is None else TextArrays()
        """The same in arrays, which is what compiled loops read and write."""
        self._told = 0, 0

    def __len__(self) -> int:
        return len(self._ids) if self.arrays is None else self.arrays.held[0].item()

    def intern(self, text: str) -> int:
        return self.intern_all([text.encode()])[0]

    def intern_all(self, texts: Sequence[bytes]) -> list[int]:
        """The ids of many texts at once."""
        if self.arrays is None:
            return list(map(self._ids.__getitem__, texts))  # which counts those it has not met
        return self.arrays.intern_all(texts)

    def tell(self) -> tuple[int, bytes]:
        """How many texts it had told before, and those that came since, a line each."""
        first, start = self._told
        if self.arrays is None:
            self._told = len(self._ids), 0
            return first, b"\n".join(list(islice(reversed(self._ids), self._told[0] - first))[::-1])
        texts, end = self.arrays.held.tolist()
        self._told = texts, end
        return first, self.arrays.heap[start : max(start, end - 1)].tobytes()
