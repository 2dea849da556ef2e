"""Which pages of a crawl are wanted, each in its newest version."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum

from salticid.model import Outcome
from salticid.store.crawl_folder import CrawlFolder
from salticid.store.database import Database
from salticid.store.record import VisitRow
from salticid.store.schema import VISIT
from salticid.store.stored_visit import StoredVisit
from salticid.store.versions import Versions


@dataclass(frozen=True, slots=True)
class Criteria:
    """Pages with at least this score; with `all` near-duplicates and pages that are gone by now, too."""

    min_score: float | None = None
    all: bool = False


class SkipReason(StrEnum):
    """Why a visit gives nothing."""

    NO_PAGE = "no page"
    REVISIT = "revisit"
    NOINDEX = "noindex"
    SCORE = "score"
    DUPLICATE = "duplicate"
    GONE = "gone"
    NO_EXCHANGE = "no exchange"


@dataclass(frozen=True, slots=True)
class ExportPage:
    """A page to be exported, as a refresh last saw it.

    Times are in seconds since 1970. `records` are the places in the WARC of the exchanges that led to it.
    """

    visit: StoredVisit
    title: str
    noindex: bool
    fetched: float | None
    modified: float | None
    records: list[int]


class Pages:
    """The pages that meet the criteria, in the order they were visited; to be gone through once.

    `visits` counts the visits looked at, `skipped` those of them that give nothing, by reason.
    """

    def __init__(self, crawl: CrawlFolder, criteria: Criteria) -> None:
        self.visits = 0
        self.skipped: Counter[SkipReason] = Counter(dict.fromkeys(SkipReason, 0))
        self._crawl, self._criteria = crawl, criteria
        self._groups = _Groups(crawl.database)
        self._versions = Versions(crawl.database)

    def __iter__(self) -> Iterator[ExportPage]:
        for visit in self._crawl.visits():
            self.visits += 1
            page = self._newest(visit)
            why = self._left_out(page)
            if why:
                self.skipped[why] += 1
            else:
                yield page

    def _newest(self, visit: StoredVisit) -> ExportPage:
        """The page of a visit as it was when it had last changed."""
        newest = self._versions.newest(visit.step)
        if newest is None:
            times = visit.fetched, visit.modified
            return ExportPage(visit, visit.title or "", visit.noindex, *times, visit.records)
        page = self._versions.page(visit.step)
        return ExportPage(visit, page.title, page.noindex, newest.wall, newest.modified, newest.places)

    def text(self, page: ExportPage) -> str:
        """The plain text of a page."""
        return self._versions.page(page.visit.step).text

    def _left_out(self, page: ExportPage) -> SkipReason | None:
        visit, criteria = page.visit, self._criteria
        if visit.outcome != Outcome.OK:
            return SkipReason.NO_PAGE
        if visit.revisit:
            return SkipReason.REVISIT
        if page.noindex:
            return SkipReason.NOINDEX
        if criteria.min_score is not None and visit.score < criteria.min_score:
            return SkipReason.SCORE
        if not criteria.all and self._versions.is_gone(visit.step):
            return SkipReason.GONE
        if not criteria.all and not self._groups.take(visit.step):
            return SkipReason.DUPLICATE
        return None


class _Groups:
    """Pages that are all but the same. The first that meets the criteria stands for its group."""

    def __init__(self, db: Database) -> None:
        self._group: dict[int, int] = {}
        self._used: set[int] = set()
        for visit in map(VisitRow._make, db.all(VISIT)):
            if (earlier := visit.duplicate_of) is not None:
                self._group[visit.step] = self._group.setdefault(earlier, earlier)

    def take(self, step: int) -> bool:
        """Whether this page is the first of its group to be taken."""
        group = self._group.get(step)
        if group is None:
            return True
        first = group not in self._used
        self._used.add(group)
        return first
