"""The pages of a crawl as they were last seen, or at another moment: the newest version of each, and what is gone."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import NamedTuple

import msgspec
import numpy as np
import numpy.typing as npt
import zstandard

from salticid.model import Floats, Ints, Page, unpacked
from salticid.store.database import Database
from salticid.store.packing import UNREADABLE, unpack_page, unpacks
from salticid.store.record import VisitRow
from salticid.store.schema import MEMORY, PAGE, RECHECK, VERSION, VISIT

THINNED = "thinned"
"""The fact about a crawl that old versions of its pages were taken out (`store/archive/thinning.py`)."""
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


# The looks at the pages of a crawl after their visits: what each found, and where the newest version is.
#
# A crawl that is watched for years has far more looks than pages. So the last ones of each page are enough, and where
# they were added up before, as the log remembers, only those that came since are read.

NOTE = "looks"
"""The name under which the log remembers what they came to."""
FINDINGS = ("same", "changed", "gone", "unknown")
"""What a look may find; `LookTable.finding` holds places in it."""
MOST = 16
"""So many looks at a page are kept, the last ones."""
_OK = 200
_FORMAT = 1
_MOST_BYTES = 256 << 20

Longs = npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True, eq=False)
class LookTable:
    """Looks in the order in which they were made, as columns, up to the recheck `upto`; and what is known of pages.

    A row of `page` is a step; of that page `since` says when it was last looked at before the first look that is kept
    (NaN: never), `newest` which recheck brought its newest version and `answered` which was the last with a page
    (0: none).
    """

    upto: int
    step: Ints
    wall: Floats
    finding: npt.NDArray[np.uint8]
    page: Ints
    since: Floats
    newest: Longs
    answered: Longs

    def packed(self) -> bytes:
        """As the log remembers it."""
        columns = [getattr(self, name).tobytes() for name in _COLUMNS]
        return zstandard.compress(msgspec.msgpack.encode((_FORMAT, self.upto, columns)), 1)

    @classmethod
    def unpack(cls, note: bytes) -> LookTable:
        version, upto, columns = msgspec.msgpack.decode(unpacked(note, _MOST_BYTES), type=tuple[int, int, list[bytes]])
        if version != _FORMAT:
            return NONE
        pairs = zip(columns, _COLUMNS.values(), strict=True)
        return cls(upto, *(np.frombuffer(column, kind).copy() for column, kind in pairs))

    def with_more(self, rows: list[Recheck]) -> LookTable:
        """With the rechecks that came after, in order."""
        if not rows:
            return self
        places = {step: place for place, step in enumerate(self.page.tolist())}
        for row in rows:
            places.setdefault(row.step, len(places))
        news = len(places) - len(self.page)
        newest, answered = (np.append(old, np.zeros(news, np.int64)) for old in (self.newest, self.answered))
        for row in rows:
            if row.finding == FINDINGS[1]:
                newest[places[row.step]] = row.id
            if row.finding in FINDINGS[:2] and row.status == _OK:
                answered[places[row.step]] = row.id
        more = replace(
            self,
            upto=rows[-1].id,
            step=np.append(self.step, np.array([row.step for row in rows], np.int32)),
            wall=np.append(self.wall, [row.wall for row in rows]),
            finding=np.append(self.finding, np.array([_place(row.finding) for row in rows], np.uint8)),
            page=np.array(list(places), np.int32),
            since=np.append(self.since, np.full(news, np.nan)),
            newest=newest,
            answered=answered,
        )
        return more._shortened()

    def _shortened(self) -> LookTable:
        """Without looks that are older than the last `MOST` at their page."""
        order = np.lexsort((np.arange(len(self.step)), self.step))
        steps = self.step[order]
        ends = np.searchsorted(steps, steps, "right")
        old = np.zeros(len(steps), np.bool_)
        old[order] = ends - np.arange(len(steps)) > MOST
        if not old.any():
            return self
        since = self.since.copy()
        by_step = np.argsort(self.page)
        at = by_step[np.searchsorted(self.page, self.step[old], sorter=by_step)]
        np.fmax.at(since, at, self.wall[old])
        kept = ~old
        return replace(self, step=self.step[kept], wall=self.wall[kept], finding=self.finding[kept], since=since)


_COLUMNS = {
    "step": np.int32, "wall": np.float64, "finding": np.uint8, "page": np.int32, "since": np.float64,
    "newest": np.int64, "answered": np.int64,
}  # fmt: skip
NONE = LookTable(0, *(np.zeros(0, kind) for kind in _COLUMNS.values()))
"""Nobody has looked."""


def looks_before(db: Database, recheck: int) -> LookTable:
    """What all rechecks with smaller numbers came to."""
    table = NONE
    note = db.one(MEMORY, NOTE)
    if note is not None:
        try:
            table = LookTable.unpack(note[1])
        except (*UNREADABLE, zstandard.ZstdError, msgspec.MsgspecError, ValueError):
            table = NONE
    if table.upto >= recheck:
        table = NONE
    return table.with_more(rechecks(db, table.upto + 1, recheck))


def rechecks(db: Database, first: int, end: int) -> list[Recheck]:
    """The rechecks from one number on, up to another."""
    rows = db.select(RECHECK, "WHERE id >= ? AND id < ? ORDER BY id", (first, end))
    return [Recheck._make(row) for row in rows]


class LastVersions:
    """The pages of a crawl as they were last seen."""

    def __init__(self, db: Database, looks: LookTable) -> None:
        self._db = db
        self._newest = dict(zip(looks.page.tolist(), looks.newest.tolist(), strict=True))
        self._answered = dict(zip(looks.page.tolist(), looks.answered.tolist(), strict=True))

    def last(self, step: int) -> PageVersion:
        """A good page: what its server said of its age when it last gave it, and its newest version."""
        answered = self._answered.get(step)
        said = Recheck._make(self._db.row(RECHECK, answered)) if answered else VisitRow._make(self._db.row(VISIT, step))
        newest = self._newest.get(step)
        table, key = (VERSION, newest) if newest else (PAGE, step)
        row = self._db.row(table, key, body=True)
        return PageVersion(said.modified, said.etag, unpack_page(row[1:]))


def _place(finding: str) -> int:
    return FINDINGS.index(finding) if finding in FINDINGS else len(FINDINGS) - 1
