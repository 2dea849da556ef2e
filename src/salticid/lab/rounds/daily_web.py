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
        self._webs = [RecordedWeb(world) for world in worlds]
        self._translations = [Translation(web.urls.__getitem__, web.words.__getitem__) for web in self._webs]
        self._last: dict[int, Page] = {}
        self.urls, self.words = self._webs[0].urls, self._webs[0].words
        self.day = 0

    def fetch(self, url: int) -> Response:
        """What this URL answers on the day."""
        response = self._webs[0].fetch(url) if self.day == 0 else self._later(url)
        if response.page is not None:
            self._last[url] = self._last[response.final] = response.page
        return response

    def page_at(self, url: int) -> Page | None:
        """The page as it was last fetched."""
        return self._last.get(url)

    def _later(self, url: int) -> Response:
        web = self._webs[self.day]
        response = web.fetch(web.urls.intern(self.urls[url]))
        page = response.page and self._translations[self.day].page(response.page, self.urls, self.words)
        return replace(response, url=url, final=self.urls.intern(web.urls[response.final]), page=page)


def signature(page: Page) -> bytes:
    """The same for two versions of a page that say the same."""
    return blake2b(page.title.encode() + b"\0" + page.packed_text, digest_size=8).digest()
