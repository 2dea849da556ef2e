"""Some pages of a generated web, ready to be put into the arrays of a world."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import zstandard

from salticid.model import NO_URL, Ints, Outcome
from salticid.webs.recorded import OUTCOMES
from salticid.webs.world_arrays import AREA, LINK, PAGE, ROW, TEXT, TITLE, TOKEN, URL, WorldArray
from salticid.worlds.generating.calendars import calendar_pages
from salticid.worlds.generating.chance import Whole
from salticid.worlds.generating.draft import Author, Draft
from salticid.worlds.generating.layout import Form, lay_out
from salticid.worlds.generating.page_urls import PageUrls
from salticid.worlds.generating.references import ReferenceKind, References
from salticid.worlds.generating.rows import Service
from salticid.worlds.generating.web_plan import WebPlan

ELSEWHERE = -1
"""Stands for the URL of a link that leads to no page of the day; `PageBlock.elsewhere` says where to."""
_OK = OUTCOMES.index(Outcome.OK)
_FORMS = len(Form)


@dataclass(frozen=True, eq=False)
class PageBlock:
    """Arrays of a world, and for those that are cut by page how much each page has of them.

    `link_url` counts places and months as the URLs they are; `elsewhere` are references, in the order of the links
    marked `ELSEWHERE`.
    """

    arrays: dict[WorldArray[Any], npt.NDArray[Any]]
    counts: dict[WorldArray[np.uint64], Whole]
    tokens: Ints
    link_url: npt.NDArray[np.int32]
    elsewhere: Whole
    urls: list[bytes]


class Press:
    """Prints the pages of one day."""

    def __init__(self, pages: int, seed: int, day: int, menus: bool = False) -> None:
        self.plan = WebPlan.of(pages, seed, menus)
        self.author = Author(self.plan, day)
        self.words = self.plan.lexicon.words.between(0, len(self.plan.lexicon.words))
        self.addresses = PageUrls(self.author, [word.decode() for word in self.words])
        self.service = Service(self.author)
        self._spellings = [form for word in self.words for form in _forms(word)]
        self._zstd = zstandard.ZstdCompressor(level=1)

    def print(self, first: int, last: int) -> PageBlock:
        """Pages number `first` up to `last`, which are all of places or all of calendars."""
        numbers, places = np.arange(first, last), self.plan.places
        if first < places:
            draft = self.author.pages(numbers)
            urls = self.urls_of(numbers, draft)
        else:
            draft = calendar_pages(self.plan, numbers - places)
            months = References.pack(ReferenceKind.CALENDAR, numbers - places, draft.generations)
            urls = self.addresses.spell(months)
        return self._block(draft, numbers, urls)

    def urls_of(self, places: Whole, draft: Draft) -> list[bytes]:
        """The URLs that drafted pages of places have on the day."""
        days = np.full(len(places), self.author.day)
        has_moved = self.author.ages.has_moved(places, draft.generations, days)
        return self.addresses.spell(References.pack(ReferenceKind.PAGE, places, draft.generations, has_moved))

    def _block(self, draft: Draft, numbers: Whole, page_urls: list[bytes]) -> PageBlock:
        layout = lay_out(draft)
        spellings, zstd = self._spellings, self._zstd
        pieces = [spellings[form] for form in (layout.tokens * np.int32(_FORMS) + layout.forms).tolist()]
        texts, titles, sizes = [], [], []
        ends = layout.begin + layout.length
        for body, end, words in zip(
            (layout.begin + layout.body).tolist(), ends.tolist(), layout.title.tolist(), strict=True
        ):
            text = b" ".join(pieces[body:end])
            titles.append(b" ".join(pieces[body - words : body]))
            texts.append(zstd.compress(text))
            sizes.append(len(text))
        urls = self._urls_of_links(draft.reference)
        pages, size = (
            len(numbers),
            self.service.sizes(numbers, draft.generations, np.array(sizes), layout.links),
        )
        return PageBlock(
            arrays={
                ROW.kind: np.full(pages, _OK, np.uint8),
                ROW.status: np.full(pages, 200, np.int16),
                ROW.target: np.full(pages, NO_URL, np.int32),
                ROW.page: numbers.astype(np.int32),
                ROW.size: size.astype(np.int32),
                ROW.seconds: self.service.seconds(numbers, draft.host, size),
                ROW.modified: draft.modified.astype(np.float64),
                PAGE.url: numbers.astype(np.int32),
                PAGE.canonical: np.full(pages, NO_URL, np.int32),
                PAGE.refresh: np.full(pages, NO_URL, np.int32),
                PAGE.flags: np.zeros(pages, np.uint8),
                AREA.kind: layout.area,
                AREA.start: layout.area_start,
                LINK.start: layout.link_start,
                LINK.stop: layout.link_stop,
                LINK.nofollow: draft.nofollow,
                TITLE.byte: np.frombuffer(b"".join(titles), np.uint8),
                TEXT.byte: np.frombuffer(b"".join(texts), np.uint8),
                URL.host: draft.host.astype(np.int32),
            },
            counts={
                TOKEN.end: layout.length,
                AREA.end: layout.areas,
                LINK.end: layout.links,
                TITLE.end: np.array([len(title) for title in titles]),
                TEXT.end: np.array([len(text) for text in texts]),
            },
            tokens=layout.tokens,
            link_url=urls,
            elsewhere=draft.reference[urls == ELSEWHERE],
            urls=page_urls,
        )

    def _urls_of_links(self, packed: Whole) -> npt.NDArray[np.int32]:
        """The URL of each page of the day that is linked to: that of its place, or its month."""
        refs, ages = References.unpack(packed), self.author.ages
        is_page = refs.kind == ReferenceKind.PAGE
        place = np.where(is_page, refs.number, 0)
        today = np.full(len(place), self.author.day)
        now = ages.generation(place, today)
        alive = is_page & (now == refs.generation) & (ages.has_moved(place, now, today) == refs.moved)
        month = self.plan.places + refs.number
        urls = np.select([alive, refs.kind == ReferenceKind.CALENDAR], [place, month], ELSEWHERE)
        return urls.astype(np.int32)


def _forms(word: bytes) -> tuple[bytes, bytes, bytes, bytes]:
    """A word as the text spells it, by `Form`."""
    return word, word.decode().capitalize().encode(), word + b",", word + b"."
