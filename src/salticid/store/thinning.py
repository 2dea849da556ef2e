"""Old versions of pages are taken out of a crawl by a rule: the newest so many of each stay, the last one always.

What goes are their words and texts, and the raw exchanges of all but these versions and of the last look at each page.
What the log says of them stays: when each page was looked at, and what was found. So does the first version, but for
its exchange: the crawl itself is made of it.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from salticid.store.database import Database, facts
from salticid.store.discarding import Unwanted, discard, places_in
from salticid.store.folder_lock import opened_to_rewrite
from salticid.store.record import VisitRow
from salticid.store.schema import ABOUT, RECHECK, VERSION, VISIT
from salticid.store.versions import CHANGED, THINNED, Recheck

LEAST_SHARE = 0.2
"""A file of the WARC is written anew when so many of its exchanges are unwanted: not a gigabyte for a page."""
_LOOKS = f"WHERE records IS NOT NULL OR finding = '{CHANGED}' ORDER BY id"


@dataclass(frozen=True, slots=True)
class Thinned:
    """How many versions of pages were taken out, and how many exchanges."""

    versions: int
    exchanges: int


def thin_folder(folder: Path, keep: int) -> Thinned:
    """Take out all but the newest `keep` versions of each page of the crawl in a folder, which nobody else may hold."""
    with opened_to_rewrite(folder) as db:
        return thin(db, folder, keep)


def thin(db: Database, folder: Path, keep: int) -> Thinned:
    """The same for a database that is open."""
    rows = _old_rows(db, keep)
    kept_places = set(_places(rows.kept_visits)) | set(_places(rows.kept_looks))
    places = [place for place in _places([*rows.visits, *rows.looks]) if place not in kept_places]
    unwanted = Unwanted.of(db)
    unwanted.places += places
    if rows.versions or places:
        with db.transaction():
            db.replace(VISIT, [visit._replace(records=None)[:-1] for visit in rows.visits])
            db.replace(RECHECK, [look._replace(records=None)[:-1] for look in rows.looks])
            db.remove(VERSION, rows.versions)
            db.insert(ABOUT, facts({THINNED: True}))
            unwanted.note(db)
    discard(db, folder, LEAST_SHARE)
    return Thinned(len(rows.versions), len(places))


@dataclass(frozen=True, slots=True)
class _OldRows:
    """Visits and looks whose exchanges are to go, those whose exchanges stay, and the versions that are to go."""

    visits: list[VisitRow]
    looks: list[Recheck]
    versions: list[int]
    kept_visits: list[VisitRow]
    kept_looks: list[Recheck]


def _old_rows(db: Database, keep: int) -> _OldRows:
    looks = [Recheck._make(row) for row in db.select(RECHECK, _LOOKS)]
    last_look: dict[int, int] = dict(db.run("SELECT step, max(id) FROM recheck GROUP BY step"))
    changes: dict[int, list[int]] = defaultdict(list)
    for look in looks:
        if look.finding == CHANGED:
            changes[look.step].append(look.id)
    stay = {number for some in changes.values() for number in some[-keep:]}
    there = {row[0] for row in db.run("SELECT recheck FROM version")}
    first_goes = {step for step, some in changes.items() if len(some) >= keep}
    visits = [visit for visit in map(VisitRow._make, db.all(VISIT)) if visit.records]
    with_exchange = [look for look in looks if look.records]
    return _OldRows(
        [visit for visit in visits if visit.step in first_goes],
        [look for look in with_exchange if look.id not in stay and look.id != last_look[look.step]],
        sorted(there - stay),
        [visit for visit in visits if visit.step not in first_goes],
        [look for look in with_exchange if look.id in stay or look.id == last_look[look.step]],
    )


def _places(rows: Iterable[VisitRow | Recheck]) -> list[int]:
    return [place for row in rows for place in places_in(row.records)]
