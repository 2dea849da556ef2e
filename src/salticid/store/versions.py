"""The pages of a crawl as they were last seen, or at another moment: the newest version of each, and what is gone."""

from __future__ import annotations

from typing import NamedTuple

import msgspec

from salticid.model import Page
from salticid.store.damage import unpacks
from salticid.store.database import Database
from salticid.store.packing import unpack_page
from salticid.store.record import VisitRow
from salticid.store.schema import PAGE, RECHECK, VERSION, VISIT

THINNED = "thinned"
"""The fact about a crawl that old versions of its pages were taken out (`store/thinning.py`)."""
CHANGED, GONE, SAME = "changed", "gone", "same"
"""What a look at a page may have found."""


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
    """What all refreshes found, or those up to a moment, in seconds since 1970; a failed request changes nothing."""

    def __init__(self, db: Database, at: float | None = None) -> None:
        self._db, self._at = db, at
        self._last_recheck: dict[int, int] = {}
        self._last_look: dict[int, float] = {}
        self._newest: dict[int, Recheck] = {}
        self._gone: dict[int, Recheck] = {}
        for row in map(Recheck._make, db.all(RECHECK)):
            if at is not None and row.wall > at:
                continue
            self._last_recheck[row.step] = row.id
            if row.finding == CHANGED:
                self._newest[row.step] = row
            if row.finding in (CHANGED, GONE, SAME):
                self._last_look[row.step] = row.wall
            if row.finding == GONE:
                self._gone[row.step] = row
            elif row.finding in (CHANGED, SAME):
                self._gone.pop(row.step, None)
        self._thinned = self._not_kept() if at is not None else frozenset()

    def was_read(self, fetched: float | None) -> bool:
        """Whether a page that was first read then had been read at the moment; not, where nobody knows when."""
        return self._at is None or (fetched is not None and fetched <= self._at)

    def newest(self, step: int) -> Recheck | None:
        """What brought the newest version of a page; None if it never changed."""
        return self._newest.get(step)

    def is_gone(self, step: int) -> bool:
        """Whether there was no page any more at the last look."""
        return step in self._gone

    def last_look(self, step: int) -> float | None:
        """When a page was last asked for again and somebody answered; None if never."""
        return self._last_look.get(step)

    def gone(self, step: int) -> Recheck | None:
        """The look that found no page any more, if that was the last."""
        return self._gone.get(step)

    def is_thinned(self, step: int) -> bool:
        """Whether its version of the moment is not kept any more; the newest of all always is."""
        newest = self.newest(step)
        return newest is not None and newest.id in self._thinned

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

    def _not_kept(self) -> frozenset[int]:
        """Versions that were thinned out; in a crawl that was never thinned one that is missing is damage."""
        if THINNED not in self._db.facts():
            return frozenset()
        kept = {row[0] for row in self._db.run("SELECT recheck FROM version")}
        return frozenset(newest.id for newest in self._newest.values() if newest.id not in kept)


@unpacks
def _places(records: str | None) -> list[int]:
    return msgspec.json.decode(records, type=list[int]) if records else []
