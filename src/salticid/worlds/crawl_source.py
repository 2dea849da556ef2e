"""A crawl folder as a world: what a crawl saw, or what was there on another day, can be crawled again."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import msgspec

from salticid.model import Outcome, Page, Topic
from salticid.parse.content import GOOD_STATUSES
from salticid.protocols import Table, UrlTable
from salticid.store.crawl_folder import CrawlFolder, StoredVisit
from salticid.store.versions import Versions
from salticid.tables.translation import Translation
from salticid.webs.recorded import OUTCOMES
from salticid.worlds.answers import Answer, Unread
from salticid.worlds.beliefs import write_belief


class CrawledPages:
    """The answers a crawl got (a `Source`), redirects among them; pages are taken over, not parsed again.

    They are those of the crawl itself, each page as it was when it was first read; or, `at` a moment in seconds since
    1970, what was known then: pages as a refresh had last seen them, and none that was gone or not read yet.
    """

    def __init__(self, folder: Path, at: float | None = None) -> None:
        self._crawl = CrawlFolder(folder)
        self._crawl.check_read_by(at)
        self._versions = None if at is None else Versions(self._crawl.database, at)
        self._translation = Translation(self._crawl.url, lambda at: self._crawl.words[at])
        self.name = f"crawl of {self._crawl.about().get('topic', {}).get('name', folder.name)}"
        self.size, self.done = len(self._crawl), 0
        self._redirects: set[str] = set()

    def __iter__(self) -> Iterator[Answer | Unread]:
        for visit in self._crawl.visits():
            self.done += 1
            yield from self._answers(visit)

    def write_beside(self, world: Path) -> None:
        """Put beside the world which pages are taken for pages about the crawl's topic by now."""
        told = self._crawl.about().get("topic")
        if told is not None:
            pages = (self._crawl.visit(step) for step in self._crawl.on_topic())
            there = (page.final_url for page in pages if self._is_there(page))
            write_belief(world, msgspec.convert(told, Topic), there)

    def _is_there(self, visit: StoredVisit) -> bool:
        """Whether the world has the page of a visit."""
        versions, step = self._versions, visit.step
        if versions is None:
            return True
        return (
            versions.was_read(visit.fetched) and not versions.is_gone(step) and not versions.is_thinned(step)
        )

    def _answers(self, visit: StoredVisit) -> Iterator[Answer | Unread]:
        if visit.outcome == Outcome.FORGOTTEN:
            return
        if self._versions is not None and not self._versions.was_read(visit.fetched):
            return
        if visit.url != visit.final_url and visit.url not in self._redirects:
            self._redirects.add(visit.url)
            yield Answer(visit.url, 301, location=visit.final_url, seconds=0.0)
        if visit.revisit:
            return
        if visit.outcome == Outcome.REDIRECT_LOOP:
            yield Answer(visit.final_url, 301, location=visit.final_url, seconds=visit.seconds)
        if visit.outcome not in OUTCOMES:
            return
        if self._versions is not None and visit.outcome == Outcome.OK:
            yield from self._as_it_was(visit, self._versions)
            return
        page = self._crawl.page(visit.step)
        yield Answer(
            visit.final_url,
            visit.status,
            outcome=Outcome(visit.outcome),
            seconds=visit.seconds,
            modified=visit.modified,
            size=visit.size,
            page=None if page is None else self._taken_over(page),
        )

    def _as_it_was(self, visit: StoredVisit, versions: Versions) -> Iterator[Answer | Unread]:
        """What became of a good page by the moment."""
        if (gone := versions.gone(visit.step)) is not None:
            outcome = Outcome.NOT_HTML if gone.status in GOOD_STATUSES else Outcome.DEAD
            yield Answer(visit.final_url, gone.status, outcome=outcome, seconds=visit.seconds)
        elif versions.is_thinned(visit.step):
            yield Unread("version that is not kept any more", visit.final_url)
        else:
            newest = versions.newest(visit.step)
            yield Answer(
                visit.final_url,
                visit.status if newest is None else newest.status,
                outcome=Outcome.OK,
                seconds=visit.seconds,
                modified=(newest or visit).modified,
                size=(newest or visit).size,
                page=self._taken_over(versions.page(visit.step)),
            )

    def _taken_over(self, page: Page) -> Callable[[UrlTable, Table], Page]:
        return lambda urls, words: self._translation.page(page, urls, words)
