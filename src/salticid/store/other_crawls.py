"""What other crawls hold: their pages by URL, and which of them a page is all but the same as."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from pathlib import Path

from salticid.model import Outcome, Page
from salticid.protocols import Table, UrlTable
from salticid.store.crawl_folder import CrawlFolder
from salticid.store.near_duplicates import Twins
from salticid.store.news import Versions
from salticid.store.stored_visit import Holder, note
from salticid.tables import IdMap, Translation


class OtherCrawls:
    """Crawls whose pages need not be fetched or suggested anew, the first that holds one being the one that counts.

    A page counts for as long as it was looked at after `since`, in seconds since 1970, and was not gone then. Pages are
    given under the ids of the two tables. What is noted of a step goes to the log by `news`.
    """

    def __init__(self, folders: Sequence[Path], since: float, urls: UrlTable, words: Table) -> None:
        self._crawls = [_OtherCrawl(folder, since, urls, words) for folder in folders]
        self._noted: list[tuple[str, bytes]] = []

    def page(self, url: str) -> tuple[Page, Holder] | None:
        """The page of a URL in its newest version, and who has it; None if nobody has, or it was too long ago."""
        for crawl in self._crawls:
            if (page := crawl.page(url)) is not None:
                return page, Holder(str(crawl.folder), url)
        return None

    def twin(self, page: Page) -> Holder | None:
        """Who has a page that is all but the same."""
        for crawl in self._crawls:
            if (url := crawl.twin(page)) is not None:
                return Holder(str(crawl.folder), url)
        return None

    def note(self, step: int, holder: Holder) -> None:
        """The page of a step is one of another crawl."""
        self._noted.append(note(step, holder))

    def news(self) -> Iterator[tuple[str, bytes]]:
        """All that was noted since the last call."""
        noted, self._noted = self._noted, []
        return iter(noted)

    def close(self) -> None:
        for crawl in self._crawls:
            crawl.close()


class _OtherCrawl:
    """One of them, opened for reading; its words are read once they are needed."""

    def __init__(self, folder: Path, since: float, urls: UrlTable, words: Table) -> None:
        self.folder = folder
        self._crawl = CrawlFolder(folder)
        self._versions, self._twins = Versions(self._crawl.database), Twins(self._crawl.database)
        self._tables = urls, words
        self._into_ours = Translation(self._crawl.url, lambda at: self._crawl.words[at])
        self._into_theirs = IdMap(words.__getitem__)
        self._steps: dict[str, int] = {}
        for visit in self._crawl.visits():
            looked = self._versions.last_look(visit.step) or visit.fetched
            is_fresh = looked is None or looked >= since
            if visit.outcome == Outcome.OK and not visit.revisit and is_fresh:
                self._steps.setdefault(visit.final_url, visit.step)
                self._steps.setdefault(visit.url, visit.step)

    def page(self, url: str) -> Page | None:
        """The page of a URL, under our ids."""
        step = self._steps.get(url)
        if step is None or self._versions.is_gone(step):
            return None
        return self._into_ours.page(self._versions.page(step), *self._tables)

    def twin(self, page: Page) -> str | None:
        """The URL of a page that is all but the same as one of ours."""
        theirs = replace(page, tokens=self._into_theirs.to(page.tokens, self._their_words))
        step = self._twins.first_like(theirs)
        return None if step is None else self._crawl.visit(step).final_url

    @cached_property
    def _their_words(self) -> _WordIds:
        return _WordIds(self._crawl.words)

    def close(self) -> None:
        self._crawl.close()


class _WordIds:
    """The ids that another crawl has for words, and ids that nobody has for those it never met."""

    def __init__(self, words: Mapping[int, str]) -> None:
        self._ids = {word: at for at, word in words.items()}
        self._next = max(words, default=-1) + 1

    def intern(self, word: str) -> int:
        at = self._ids.setdefault(word, self._next)
        self._next += at == self._next
        return at
