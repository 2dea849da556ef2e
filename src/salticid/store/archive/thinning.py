"""Old versions of pages are taken out of a crawl by a rule: the newest so many of each stay, the last one always.

What goes are their words and texts, and the raw exchanges of all but these versions and of the last look at each page.
What the log says of them stays: when each page was looked at, and what was found. So does the first version, but for
its exchange: the crawl itself is made of it.
"""

from __future__ import annotations

import os
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from salticid.store.archive import warc
from salticid.store.database import Database, facts
from salticid.store.folder_lock import opened_to_rewrite
from salticid.store.news import CHANGED, THINNED, Recheck
from salticid.store.packing import unpacks
from salticid.store.record import VisitRow
from salticid.store.schema import ABOUT, RECHECK, VERSION, VISIT, SqlTable

# Exchanges that nobody wants any more leave the WARC: each file that holds some is written anew without them.
#
# The new file gets a number of its own, after all others. When it is on the disk, one transaction says that
# everything else stands in it; the old one is removed after that. Killed between two of these steps, a crawl has all
# that it should have, perhaps a file that nobody asks for, which goes when the next exchanges are discarded.

UNWANTED = "unwanted"
"""The fact about a crawl that its WARC holds exchanges which nobody wants."""
_LAST = (1 << warc.OFFSET_BITS) - 1
_TABLES = (VISIT, RECHECK)
"""Those whose rows say where exchanges stand."""

IsUnwanted = Callable[[str, bytes], bool]
"""Whether an exchange with a URL is to go, by the URL and the whole record, wherever it stands."""


class Unwanted(msgspec.Struct):
    """The places of exchanges that are to go; and `files`, by number, whose wanted exchanges stand elsewhere by now."""

    places: list[int] = []
    files: list[int] = []

    @classmethod
    def of(cls, db: Database) -> Unwanted:
        """What the log says."""
        return msgspec.convert(db.facts().get(UNWANTED, {}), cls)

    def offsets(self, number: int) -> frozenset[int]:
        """Where in a file such exchanges stand."""
        return frozenset(place & _LAST for place in self.places if place >> warc.OFFSET_BITS == number)

    def note(self, db: Database) -> None:
        """Write it down, within a transaction."""
        db.insert(ABOUT, facts({UNWANTED: self}))


def discard(db: Database, folder: Path, least_share: float, with_url: IsUnwanted = lambda url, record: False) -> int:
    """Write those files anew of whose exchanges at least this share is unwanted, or one is `with_url`.

    How many exchanges went that the log still spoke of.
    """
    archive, unwanted = folder / warc.FOLDER, Unwanted.of(db)
    _remove_leftovers(db, archive, unwanted)
    there, dropped = _places_in_rows(db), 0
    for number in warc.numbers(archive):
        rule = _Rule(number, unwanted.offsets(number), there[number], with_url)
        many = len(rule.unwanted)
        is_worth_it = many >= least_share * (many + len(rule.wanted))
        if is_worth_it and (many or _holds_one(archive, rule)):
            copied = _write_anew(db, archive, rule, unwanted)
            dropped += sum(offset not in copied.offsets for offset in rule.wanted)
    if unwanted.files:
        with db.transaction():
            unwanted.files.clear()
            unwanted.note(db)
    return dropped


def _remove_leftovers(db: Database, archive: Path, unwanted: Unwanted) -> None:
    """Remove the files that a kill has left: new ones of which nobody knows, and old ones that nobody needs."""
    end = db.facts().get(warc.ARCHIVE_END)
    for number in warc.numbers(archive):
        if number in unwanted.files or (end and number > end[0]):
            warc.remove_file(archive, number)


@dataclass(frozen=True, slots=True)
class _Rule:
    """Which records of a file are to go: `unwanted` ones, by their offsets, and any with such a URL.

    `wanted` are the offsets, ascending, of those that the log speaks of.
    """

    number: int
    unwanted: frozenset[int]
    wanted: list[int]
    with_url: IsUnwanted

    def forbids(self, start: int, record: bytes) -> bool:
        """Whether a response, or a conversion, is to go."""
        url = warc.field_of(record, b"WARC-Target-URI")
        return start in self.unwanted or (url is not None and self.with_url(url.decode("utf-8", "replace"), record))


class _Member(NamedTuple):
    """A record: where it stands in its file, and whether it is to go. One that can be asked for has a place."""

    start: int
    end: int
    has_place: bool
    goes: bool


def _members(archive: Path, rule: _Rule) -> Iterator[_Member]:
    """The records of a file; after one that is damaged, those from the next on of which the log speaks."""
    start: int | None = 0
    response, goes = b"", False
    with warc.open_file(archive, rule.number) as stream:
        while start is not None:
            for end, record in warc.records_from(stream, start):
                kind = warc.field_of(record, b"WARC-Type")
                if kind in (b"response", b"conversion"):
                    response, goes = record, rule.forbids(start, record)
                elif kind != b"request" or not warc.belong(response, record):
                    response, goes = b"", False
                yield _Member(start, end, kind in (b"response", b"conversion"), goes)
                start = end
            start = next((offset for offset in rule.wanted if offset > start), None)


def _holds_one(archive: Path, rule: _Rule) -> bool:
    return any(member.goes for member in _members(archive, rule))


@dataclass(slots=True)
class _Copy:
    """What became of a file: the new offsets of its exchanges by the old ones, and its size."""

    offsets: dict[int, int] = field(default_factory=dict)
    size: int = 0


def _write_anew(db: Database, archive: Path, rule: _Rule, unwanted: Unwanted) -> _Copy:
    """Put a file under another number, without what is to go."""
    end = db.facts().get(warc.ARCHIVE_END) or (0, 0)
    number = 1 + max(end[0], *warc.numbers(archive))
    copied = _copy(archive, number, rule)
    unwanted.files.append(rule.number)
    unwanted.places = [place for place in unwanted.places if place >> warc.OFFSET_BITS != rule.number]
    with db.transaction():
        for table in _TABLES:
            db.replace(table, list(_moved_rows(db, table, rule.number, number, copied.offsets)))
        db.insert(ABOUT, facts({warc.ARCHIVE_END: (number, copied.size)}))
        unwanted.note(db)
    warc.remove_file(archive, rule.number)
    return copied


def _copy(archive: Path, number: int, rule: _Rule) -> _Copy:
    copied = _Copy()
    with (
        warc.open_file(archive, rule.number) as source,
        warc.open_file(archive, number, "wb") as target,
    ):
        for member in _members(archive, rule):
            if member.goes:
                continue
            if member.has_place:
                copied.offsets[member.start] = copied.size
            source.seek(member.start)
            target.write(source.read(member.end - member.start))
            copied.size += member.end - member.start
        target.flush()
        os.fsync(target.fileno())
    _sync(archive)
    return copied


def _sync(folder: Path) -> None:
    """See to it that a power cut does not take a new name of a folder."""
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def _moved_rows(
    db: Database, table: SqlTable, old: int, new: int, offsets: dict[int, int]
) -> Iterator[tuple[Any, ...]]:
    """The rows that speak of a file, as they speak of the new one."""
    at = table.columns.index("records")
    for row in db.all(table):
        places = places_in(row[at])
        if any(place >> warc.OFFSET_BITS == old for place in places):
            kept = [
                place if place >> warc.OFFSET_BITS != old else new << warc.OFFSET_BITS | offsets[place & _LAST]
                for place in places
                if place >> warc.OFFSET_BITS != old or place & _LAST in offsets
            ]
            yield (*row[:at], msgspec.json.encode(kept).decode() if kept else None, *row[at + 1 : -1])


def _places_in_rows(db: Database) -> dict[int, list[int]]:
    """The offsets of all exchanges that the log speaks of, ascending, by file."""
    offsets: dict[int, set[int]] = defaultdict(set)
    for table in _TABLES:
        at = table.columns.index("records")
        for row in db.all(table):
            for place in places_in(row[at]):
                offsets[place >> warc.OFFSET_BITS].add(place & _LAST)
    return defaultdict(list, {number: sorted(some) for number, some in offsets.items()})


@unpacks
def places_in(records: str | None) -> list[int]:
    """The places that a row names."""
    return msgspec.json.decode(records, type=list[int]) if records else []


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
