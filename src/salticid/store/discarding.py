"""Exchanges that nobody wants any more leave the WARC: each file that holds some is written anew without them.

The new file gets a number of its own, after all others. When it is on the disk, one transaction says that everything
else stands in it; the old one is removed after that. Killed between two of these steps, a crawl has all that it should
have, perhaps a file that nobody asks for, which goes when the next exchanges are discarded.
"""

from __future__ import annotations

import os
from collections import defaultdict
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from salticid.store import warc
from salticid.store.damage import unpacks
from salticid.store.database import Database, facts
from salticid.store.schema import ABOUT, RECHECK, VISIT, SqlTable

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


def discard(
    db: Database, folder: Path, least_share: float, with_url: IsUnwanted = lambda url, record: False
) -> int:
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
        return start in self.unwanted or (
            url is not None and self.with_url(url.decode("utf-8", "replace"), record)
        )


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
                place
                if place >> warc.OFFSET_BITS != old
                else new << warc.OFFSET_BITS | offsets[place & _LAST]
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
