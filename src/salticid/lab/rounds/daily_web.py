"""A generated web that goes on from day to day, as one web to a crawl: one table of URLs and one of words."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from hashlib import blake2b
from pathlib import Path

from salticid.model import Page, Response
from salticid.tables.translation import Translation
from salticid.webs.recorded import RecordedWeb


class DailyWeb:
    """A world for each day, asked on the day that `day` says; pages are in the ids of the first day's tables."""

    def __init__(self, worlds: Sequence[Path]) -> None:
        self.days = [RecordedWeb(world) for world in worlds]
        self.day = 0
        first = self.days[0]
        self.urls, self.words = first.urls, first.words
        self._translations = [Translation(web.urls.__getitem__, web.words.__getitem__) for web in self.days]
        self._last: dict[int, Page] = {}

    def fetch(self, url: int) -> Response:
        """What this URL answers today."""
        web = self.days[self.day]
        if not self.day:
            response = web.fetch(url)
        else:
            theirs = web.urls.intern(self.urls[url])
            response = self._translated(web.fetch(theirs), url)
        if response.page is not None:
            self._last[url] = self._last[response.final] = response.page
        return response

    def page_at(self, url: int) -> Page | None:
        """The page as it was last fetched."""
        return self._last.get(url)

    def _translated(self, response: Response, url: int) -> Response:
        web, translation = self.days[self.day], self._translations[self.day]
        final = self.urls.intern(web.urls[response.final])
        page = response.page
        if page is not None:
            page = translation.page(page, self.urls, self.words)
        return replace(response, url=url, final=final, page=page)


def signature(page: Page) -> bytes:
    """Equal for two versions of a page that say the same."""
    return blake2b(page.title.encode() + b"\0" + page.packed_text, digest_size=8).digest()
