"""Which pages of a crawl are wanted, each in its newest version, or in that of a day."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from datetime import date
from enum import StrEnum
from urllib.parse import quote

from salticid.model import Outcome, Page
from salticid.store.crawl_folder import CrawlFolder
from salticid.store.exports import PageOrder
from salticid.store.news import Change, NewsKind, NewsSince, Since, Versions
from salticid.store.stored_visit import StoredVisit, TwinGroups, Word, is_on_topic, time_of
from salticid.text import plain_text


@dataclass(frozen=True, slots=True)
class Criteria:
    """Which pages are wanted, by their current scores and a person's words; without any, all of them.

    `min_score`: those with at least this score. `on_topic`: those that reach the judge's line, or another `line`, or
    that the person liked, but none that was rejected. `liked`: only those the person liked. `rejected`: whether those
    that the person rejected are wanted, which `on_topic` does without anyway. Of releases and translations of a page,
    `on_topic` and `liked` want the best alone. With `all` near-duplicates and pages that
    are gone by now, too. `noindex`: whether pages are wanted that forbid it. `at`: pages as they were at a moment, in
    seconds since 1970, and no later ones; what is thought of them is that of now. `since`: only those with news since
    then.
    """

    min_score: float | None = None
    all: bool = False
    on_topic: bool = False
    liked: bool = False
    rejected: bool = True
    order: PageOrder = PageOrder.BEST
    line: float | None = None
    noindex: bool = False
    at: float | None = None
    since: Since | None = None


class SkipReason(StrEnum):
    """Why a visit gives nothing."""

    NO_PAGE = "no page"
    REVISIT = "revisit"
    NOINDEX = "noindex"
    REJECTED = "rejected"
    NOT_LIKED = "not liked"
    SCORE = "score"
    DUPLICATE = "duplicate"
    GONE = "gone"
    LATER = "later"
    THINNED = "thinned"
    NO_NEWS = "no news"
    NO_EXCHANGE = "no exchange"


@dataclass(frozen=True, slots=True)
class ExportPage:
    """A page to be exported, as a refresh last saw it.

    Times are in seconds since 1970. `records` are the places in the WARC of the exchanges that led to it. `news` says
    what became of it, and `change` how, where that was asked for. `also_at` are the URLs of near-duplicates, and of
    releases and translations that it stands for.
    """

    visit: StoredVisit
    title: str
    noindex: bool
    fetched: float | None
    modified: float | None
    records: list[int]
    size: int
    news: NewsKind | None = None
    change: Change | None = None
    also_at: tuple[str, ...] = ()


Watch = Callable[[int, int], None]
"""Called again and again with the number of visits looked at and of pages taken."""


class Pages:
    """The pages that meet the criteria, in the order they ask for; to be gone through once.

    `visits` counts the visits looked at, `taken` those that give a page, `skipped` the others, by reason.
    `versions` are those that are told of.
    """

    def __init__(self, crawl: CrawlFolder, criteria: Criteria, watch: Watch) -> None:
        self.visits = self.taken = 0
        self._watch = watch
        self.skipped: Counter[SkipReason] = Counter(dict.fromkeys(SkipReason, 0))
        self._crawl, self.criteria = crawl, criteria
        line = crawl.line() if criteria.line is None else criteria.line
        self._line = line if criteria.on_topic else None
        self._no_rejected = criteria.on_topic or not criteria.rejected
        rejected = crawl.verdicts().rejected if self._no_rejected else ()
        self._groups = TwinGroups(crawl.database, rejected, editions=criteria.on_topic or criteria.liked)
        self.versions = Versions(crawl.database, criteria.at)
        self._news = None if criteria.since is None else NewsSince(crawl, criteria.since)

    def __iter__(self) -> Iterator[ExportPage]:
        for visit in self._visits():
            self.visits += 1
            page = self._newest(visit)
            why = self._left_out(page)
            if why:
                self.skipped[why] += 1
            else:
                self.taken += 1
                change = None if self._news is None else self._news.change(visit.step)
                others = self._crawl.visits_at(self._groups.others(visit.step))
                yield replace(page, change=change, also_at=tuple(other.final_url for other in others))
                self._watch(self.visits, self.taken)

    def leave_out(self, why: SkipReason) -> None:
        """The page that came last gives nothing after all."""
        self.taken -= 1
        self.skipped[why] += 1

    def _visits(self) -> Iterator[StoredVisit]:
        if self.criteria.order is PageOrder.VISITS:
            return self._crawl.visits()
        return self._crawl.visits_at(self._crawl.ranking())

    def _newest(self, visit: StoredVisit) -> ExportPage:
        """The page of a visit as it was when it had last changed."""
        newest = self.versions.newest(visit.step)
        news = None if self._news is None else self._news.kind(visit.step)
        if newest is None or self.versions.is_thinned(visit.step):
            times = visit.fetched, visit.modified
            return ExportPage(visit, visit.title or "", visit.noindex, *times, visit.records, visit.size, news)
        page = self.versions.page(visit.step)
        return ExportPage(
            visit, page.title, page.noindex, newest.wall, newest.modified, newest.places, newest.size, news
        )

    def newest(self, page: ExportPage) -> Page:
        """A page as it was last seen, with its words and links."""
        return self.versions.page(page.visit.step)

    def text(self, page: ExportPage) -> str:
        """The plain text of a page, without lists of links at its beginning and its end."""
        return plain_text(self.newest(page))

    def is_gone(self, page: ExportPage) -> bool:
        """Whether there was no page any more at the last look."""
        return self.versions.is_gone(page.visit.step)

    def _left_out(self, page: ExportPage) -> SkipReason | None:
        visit, criteria = page.visit, self.criteria
        if visit.outcome != Outcome.OK:
            return SkipReason.NO_PAGE
        if visit.revisit:
            return SkipReason.REVISIT
        if not self.versions.was_read(visit.fetched):
            return SkipReason.LATER
        if self.versions.is_thinned(visit.step):
            return SkipReason.THINNED
        if page.noindex and not criteria.noindex:
            return SkipReason.NOINDEX
        if visit.word is Word.REJECTED and self._no_rejected:
            return SkipReason.REJECTED
        if criteria.liked and visit.word is not Word.LIKED:
            return SkipReason.NOT_LIKED
        if criteria.min_score is not None and visit.current_score < criteria.min_score:
            return SkipReason.SCORE
        if self._line is not None and not is_on_topic(visit.current_score, visit.word, self._line):
            return SkipReason.SCORE
        if self._news is not None and page.news is None:
            return SkipReason.NO_NEWS
        if not criteria.all and self.versions.is_gone(visit.step):
            return SkipReason.GONE
        if not criteria.all and not self._groups.take(visit.step):
            return SkipReason.DUPLICATE
        return None


# A page as people cite it.

_UNSAFE = re.compile(r"[\\{}\x00-\x20\x7f]")


@dataclass(frozen=True, slots=True)
class Reference:
    """What a bibliography says of a page: `read` is the day it was fetched, `written` what its server dates it."""

    title: str
    url: str
    read: date | None
    written: date | None

    @classmethod
    def to(cls, page: ExportPage) -> Reference:
        """The reference to a page; one without a title is called by its address."""
        url = _UNSAFE.sub(lambda match: quote(match[0], safe=""), page.visit.final_url)
        read, written = time_of(page.fetched), time_of(page.modified)
        return cls(one_line(page.title) or url, url, read and read.date(), written and written.date())


def one_line(text: str) -> str:
    """A text without line breaks and characters that nobody sees.

    >>> one_line("Portia\\r\\nER  - \\x00eyes\\u202e ")
    'Portia ER - eyes'
    """
    seen = (" " if char.isspace() else char for char in text)
    return " ".join("".join(char for char in seen if unicodedata.category(char)[0] != "C").split())
