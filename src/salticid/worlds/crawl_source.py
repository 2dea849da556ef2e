"""A crawl folder as a world: what a crawl saw can be crawled again."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import msgspec

from salticid.model import Outcome, Topic
from salticid.store.crawl_folder import CrawlFolder, StoredVisit
from salticid.tables.translation import Translation
from salticid.webs.recorded import OUTCOMES
from salticid.worlds.answers import Answer, Unread
from salticid.worlds.beliefs import write_belief


class CrawledPages:
    """The answers a crawl got (a `Source`), redirects among them; pages are taken over, not parsed again."""

    def __init__(self, folder: Path) -> None:
        self._crawl = CrawlFolder(folder)
        self._translation = Translation(self._crawl.url, lambda at: self._crawl.words[at])
        self.name = f"crawl of {self._crawl.about().get('topic', {}).get('name', folder.name)}"
        self.size, self.done = len(self._crawl), 0
        self._redirects: set[str] = set()

    def __iter__(self) -> Iterator[Answer | Unread]:
        for visit in self._crawl.visits():
            self.done += 1
            yield from self._answers(visit)

    def write_belief(self, world: Path) -> None:
        """Put beside the world which pages are taken for pages about the crawl's topic by now."""
        told = self._crawl.about().get("topic")
        if told is not None:
            urls = (self._crawl.visit(step).final_url for step in self._crawl.on_topic())
            write_belief(world, msgspec.convert(told, Topic), urls)

    def _answers(self, visit: StoredVisit) -> Iterator[Answer]:
        if visit.url != visit.final_url and visit.url not in self._redirects:
            self._redirects.add(visit.url)
            yield Answer(visit.url, 301, location=visit.final_url, seconds=0.0)
        if visit.revisit:
            return
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
            page=None if page is None else lambda urls, words: self._translation.page(page, urls, words),
        )
