"""The pages of a crawl as they were last seen: the newest version of each, and whether it is gone."""

from __future__ import annotations

from typing import NamedTuple

import msgspec

from salticid.model import Page
from salticid.store.damage import unpacks
from salticid.store.database import Database
from salticid.store.packing import unpack_page
from salticid.store.record import VisitRow
from salticid.store.schema import PAGE, RECHECK, VERSION, VISIT

CHANGED, GONE, SAME = "changed", "gone", "same"


class PageVersion(NamedTuple):
    """How a page was last seen: when it had been changed, its tag, and itself."""

    modified: float | None
    etag: str | None
    page: Page


class Recheck(NamedTuple):
    """What a refresh found of a page."""

    id: int
    step: int
    wall: float
    finding: str
    status: int
    size: int
    modified: float | None
    etag: str | None
    records: str | None
    sum: int

    @property
    def places(self) -> list[int]:
        """Where in the WARC the exchanges stand that led to this version."""
        return _places(self.records)


class Versions:
    """What all refreshes found; a failed request changes nothing."""

    def __init__(self, db: Database) -> None:
        self._db = db
        self._last_recheck: dict[int, int] = {}
        self._last_look: dict[int, float] = {}
        self._newest: dict[int, Recheck] = {}
        self._gone: set[int] = set()
        for row in map(Recheck._make, db.all(RECHECK)):
            self._last_recheck[row.step] = row.id
            if row.finding == CHANGED:
                self._newest[row.step] = row
            if row.finding in (CHANGED, GONE, SAME):
                (self._gone.add if row.finding == GONE else self._gone.discard)(row.step)
                self._last_look[row.step] = row.wall

    def newest(self, step: int) -> Recheck | None:
        """What brought the newest version of a page; None if it never changed."""
        return self._newest.get(step)

    def is_gone(self, step: int) -> bool:
        """Whether there was no page any more at the last look."""
        return step in self._gone

    def last_look(self, step: int) -> float | None:
        """When a page was last asked for again and somebody answered; None if never."""
        return self._last_look.get(step)

    def due(self) -> list[tuple[int, int]]:
        """The good pages, by step and URL: those never asked for again first, then those not asked for longest."""
        rows = map(VisitRow._make, self._db.all(VISIT))
        good = [(row.step, row.final) for row in rows if row.good]
        return sorted(good, key=lambda page: (self._last_recheck.get(page[0], -1), page[0]))

    def last(self, step: int) -> PageVersion:
        """A good page as it was last seen."""
        last: Recheck | VisitRow = self.newest(step) or VisitRow._make(self._db.row(VISIT, step))
        return PageVersion(last.modified, last.etag, self.page(step))

    def page(self, step: int) -> Page:
        """Its newest version."""
        newest = self.newest(step)
        row = self._db.row(*((PAGE, step) if newest is None else (VERSION, newest.id)), body=True)
        return unpack_page(row[1:])


@unpacks
def _places(records: str | None) -> list[int]:
    return msgspec.json.decode(records, type=list[int]) if records else []
