"""A crawl folder as a world: what a crawl saw can be crawled again."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np

from salticid.model import NO_URL, Ints, Links, Outcome, Page
from salticid.protocols import Table, UrlTable
from salticid.store.folder import CrawlFolder, StoredVisit
from salticid.webs.recorded import OUTCOMES
from salticid.worlds.answers import Answer, Unread


class CrawledPages:
    """The answers a crawl got (a `Source`), redirects among them; pages are taken over, not parsed again."""

    def __init__(self, folder: Path) -> None:
        self._crawl = CrawlFolder(folder)
        self._ids = _Ids(self._crawl.url), _Ids(lambda at: self._crawl.words[at])
        self.name = f"crawl of {self._crawl.about().get('topic', {}).get('name', folder.name)}"
        self.size, self.done = len(self._crawl), 0

    def __iter__(self) -> Iterator[Answer | Unread]:
        for visit in self._crawl.visits():
            self.done += 1
            if not visit.revisit:
                yield from self._answers(visit)

    def _answers(self, visit: StoredVisit) -> Iterator[Answer]:
        if visit.url != visit.final_url:
            yield Answer(visit.url, 301, location=visit.final_url, seconds=0.0)
        if visit.outcome == Outcome.REDIRECT_LOOP:
            yield Answer(visit.final_url, 301, location=visit.final_url, seconds=visit.seconds)
        if visit.outcome not in OUTCOMES:
            return
        page = self._crawl.page(visit.step)
        yield Answer(
            visit.final_url,
            visit.status,
            outcome=Outcome(visit.outcome),
            seconds=visit.seconds,
            modified=visit.modified,
            size=visit.size,
            page=None if page is None else lambda urls, words: self._taken_over(page, urls, words),
        )

    def _taken_over(self, page: Page, urls: UrlTable, words: Table) -> Page:
        url, word = self._ids

        def one(at: int) -> int:
            return NO_URL if at == NO_URL else int(url.to(np.array([at]), urls)[0])

        links = page.links
        return Page(
            url=one(page.url),
            title=page.title,
            tokens=word.to(page.tokens, words),
            area_start=page.area_start,
            area=page.area,
            links=Links(url.to(links.url, urls), links.start, links.end, links.nofollow),
            packed_text=page.packed_text,
            canonical=one(page.canonical),
            refresh=one(page.refresh),
            noindex=page.noindex,
            nofollow=page.nofollow,
        )


class _Ids:
    """Ids of the crawl's table -> ids of another one, filled in as they turn up."""

    def __init__(self, spell: Callable[[int], str]) -> None:
        self._spell = spell
        self._map = np.full(1024, -1, np.int32)

    def to(self, ids: Ints, table: Table) -> Ints:
        if len(ids) and (top := int(ids.max())) >= len(self._map):
            grown = np.full(max(top + 1, 2 * len(self._map)), -1, np.int32)
            grown[: len(self._map)] = self._map
            self._map = grown
        for at in dict.fromkeys(ids[self._map[ids] < 0].tolist()):
            self._map[at] = table.intern(self._spell(at))
        found: Ints = self._map[ids]
        return found
