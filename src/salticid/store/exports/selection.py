"""Which pages of a crawl are wanted, each in its newest version."""

from __future__ import annotations

import sqlite3
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum

import msgspec

from salticid.model import Outcome
from salticid.store.crawl_folder import CrawlFolder, StoredVisit


@dataclass(frozen=True, slots=True)
class Wanted:
    """Pages with at least this score; with `all` near-duplicates and pages that are gone by now, too."""

    min_score: float | None = None
    all: bool = False


class Skipped(StrEnum):
    """Why a visit gives nothing."""

    NO_PAGE = "no page"
    REVISIT = "revisit"
    NOINDEX = "noindex"
    SCORE = "score"
    DUPLICATE = "duplicate"
    GONE = "gone"
    NO_EXCHANGE = "no exchange"


@dataclass(frozen=True, slots=True)
class Found:
    """A page that is wanted, as a refresh last saw it.

    `version` is the row of `asked_again` that brought this version, None for the first. Times are in seconds
    since 1970. `records` are the places in the WARC of the exchanges that led to it.
    """

    visit: StoredVisit
    version: int | None
    title: str
    noindex: bool
    fetched: float | None
    modified: float | None
    records: list[int]


class Pages:
    """The wanted pages in the order they were visited; to be gone through once.

    `done` counts the visits looked at, `skipped` those of them that give nothing, by reason.
    """

    def __init__(self, crawl: CrawlFolder, wanted: Wanted) -> None:
        self.done = 0
        self.skipped: Counter[Skipped] = Counter(dict.fromkeys(Skipped, 0))
        self._crawl, self._wanted = crawl, wanted
        self._groups = _Groups(crawl.db)
        self._again = _AskedAgain(crawl.db)

    def __iter__(self) -> Iterator[Found]:
        for visit in self._crawl.visits():
            self.done += 1
            found = self._again.newest(visit)
            why = self._left_out(found)
            if why:
                self.skipped[why] += 1
            else:
                yield found

    def _left_out(self, found: Found) -> Skipped | None:
        visit, wanted = found.visit, self._wanted
        if visit.outcome != Outcome.OK:
            return Skipped.NO_PAGE
        if visit.revisit:
            return Skipped.REVISIT
        if found.noindex:
            return Skipped.NOINDEX
        if wanted.min_score is not None and visit.score < wanted.min_score:
            return Skipped.SCORE
        if not wanted.all and self._again.is_gone(visit.step):
            return Skipped.GONE
        if not wanted.all and not self._groups.take(visit.step):
            return Skipped.DUPLICATE
        return None


class _Groups:
    """Pages that are all but the same. The first that is wanted stands for its group."""

    def __init__(self, db: sqlite3.Connection) -> None:
        self._group: dict[int, int] = {}
        self._taken: set[int] = set()
        pairs = db.execute(
            "SELECT step, duplicate_of FROM visit WHERE duplicate_of IS NOT NULL ORDER BY step"
        )
        for step, earlier in pairs:
            self._group[step] = self._group.setdefault(earlier, earlier)

    def take(self, step: int) -> bool:
        """Whether this page is the first of its group to be taken."""
        group = self._group.get(step)
        if group is None:
            return True
        first = group not in self._taken
        self._taken.add(group)
        return first


class _AskedAgain:
    """What refreshes found of the pages; a failure to ask tells nothing and leaves things as they were."""

    _LAST = "SELECT found FROM asked_again WHERE step = ? AND found IN ('same', 'changed', 'gone') ORDER BY id DESC"
    _NEWEST = (
        "SELECT a.id, v.title, v.noindex, a.wall, a.modified, a.records FROM asked_again a "
        "JOIN version v ON v.asked_again = a.id WHERE a.step = ? AND a.found = 'changed' ORDER BY a.id DESC"
    )

    def __init__(self, db: sqlite3.Connection) -> None:
        self._db = db
        self._any = db.execute("SELECT 1 FROM asked_again LIMIT 1").fetchone() is not None

    def is_gone(self, step: int) -> bool:
        row = self._db.execute(self._LAST, (step,)).fetchone() if self._any else None
        return row is not None and row[0] == "gone"

    def newest(self, visit: StoredVisit) -> Found:
        """The page of a visit as it was when it had last changed."""
        row = self._db.execute(self._NEWEST, (visit.step,)).fetchone() if self._any else None
        if row is None:
            title, noindex, times = visit.title or "", visit.noindex, (visit.fetched, visit.modified)
            return Found(visit, None, title, noindex, *times, visit.records)
        version, title, noindex, wall, modified, records = row
        places = msgspec.json.decode(records, type=list[int]) if records else []
        return Found(visit, version, title, bool(noindex), wall, modified, places)
