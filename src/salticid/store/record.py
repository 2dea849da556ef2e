"""The calls of a log, read back in the order they were made."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from heapq import merge
from operator import itemgetter
from typing import Any, NamedTuple

import msgspec
from msgspec import Struct

from salticid.messages import Message
from salticid.model import Choice, Link, Outcome, Response
from salticid.store.database import Database
from salticid.store.packing import Damaged, unpack_page, unpacks
from salticid.store.schema import CHOICE, MESSAGE, PAGE, QUESTION, START_PAGE, URL, VISIT, WORDS, SqlTable

# A place in a log, and a mark of all that it holds up to there.

_CALLS = (QUESTION, CHOICE, VISIT, MESSAGE)
_WHAT_COUNTS = {
    VISIT: "(seq % 65521) * (choice % 65521) + final + status + length(outcome) + CAST(score * 1000000 AS INTEGER)"
}
"""Instead of the checksum: where the exchanges of a visit stand in the archive may change."""


class LogMark(Struct, frozen=True):
    """How far a log goes: the last call, and the first step, choice, URL and batch of words after it.

    `sums` tell, table by table, how many rows there are up to there and what their checksums add up to; of URLs and
    words, which are many and read anyway, the last alone. Logs with the same mark hold the same up to it.
    """

    seq: int
    step: int
    choice: int
    url: int
    words: int
    sums: list[tuple[str, int, int]]


def mark_of(db: Database) -> LogMark:
    """The mark of all that is in a log now."""
    ends = [row[at] for table, at in ((QUESTION, 0), (VISIT, 1), (MESSAGE, 0)) if (row := db.last(table))]
    step, choice, url, words = (row[0] + 1 if (row := db.last(table)) else 0 for table in (VISIT, CHOICE, URL, WORDS))
    return _with_sums(db, LogMark(max(ends, default=0), step, choice, url, words, []))


def fits(db: Database, mark: LogMark) -> bool:
    """Whether a log holds what it held when it was marked; it may go on from there."""
    return _with_sums(db, mark) == mark


def _with_sums(db: Database, place: LogMark) -> LogMark:
    borders: list[tuple[SqlTable, str, Any]] = [(table, "seq <=", place.seq) for table in _CALLS]
    borders += [(PAGE, "step <", place.step), (START_PAGE, "place >", 0)]
    borders += [(URL, "id =", place.url - 1), (WORDS, "batch =", place.words - 1)]
    sums = []
    for table, column, border in borders:
        number = _WHAT_COUNTS.get(table, "sum")
        statement = f"SELECT count(*), ifnull(sum({number}), 0) FROM {table.name} WHERE {column} ?"
        sums.append((table.name, *next(db.run(statement, (border,)))))
    return LogMark(place.seq, place.step, place.choice, place.url, place.words, sums)


_FROM = "FROM visit v LEFT JOIN choice c ON c.id = v.choice LEFT JOIN page p ON p.step = v.step"
_ARRIVALS, _ARRIVALS_IN_FULL = (
    f"SELECT {VISIT.names('v')}, {CHOICE.names('c')}, {PAGE.names('p', body)} {_FROM}" for body in (False, True)
)
_MESSAGE = msgspec.json.Decoder(Message)
_MOST_ADDED = 1 << 20
"""URLs that a topic, or a person, may add to those of a world."""
_CHOICE_AT, _PAGE_AT = VISIT.width, VISIT.width + CHOICE.width


class VisitRow(NamedTuple):
    """A visit as it is stored."""

    step: int
    seq: int
    choice: int
    final: int
    outcome: str
    status: int
    score: float
    positive: int
    depth: int
    seconds: float
    at: float
    size: int
    modified: float | None
    etag: str | None
    revisit: int
    records: str | None
    duplicate_of: int | None
    sum: int

    @property
    def good(self) -> bool:
        """Whether it brought a page, and not one that was there already."""
        return self.outcome == Outcome.OK.value and not self.revisit


class ChoiceRow(NamedTuple):
    """A choice as it is stored."""

    id: int
    seq: int
    url: int
    source: int
    place: int
    score: float
    agent: int | None
    why: str | None
    sum: int

    def choice(self) -> Choice:
        """The choice itself."""
        return Choice(Link(self.url, self.source, self.place), self.score, _why(self.why), self.agent)


class PageRow(NamedTuple):
    """A page as it is stored; its body only where it was asked for."""

    step: int
    url: int
    title: str
    canonical: int
    refresh: int
    noindex: int
    nofollow: int
    body_sum: int | None
    sum: int
    stream: bytes = b""
    text: bytes = b""


class StoredArrival(NamedTuple):
    """A visit, the choice that led to it, and the page that it brought."""

    visit: VisitRow
    choice: ChoiceRow
    page: PageRow | None


class ChoiceCall(NamedTuple):
    """The strategy was asked."""

    room: int
    busy: frozenset[int]
    choices: list[ChoiceRow]


class Delivery(NamedTuple):
    """A visit was made, and this was the response."""

    visit: VisitRow
    response: Response


Call = ChoiceCall | Delivery | Message


def arrivals(db: Database, after: int = -1, most: int = -1, body: bool = False) -> Iterator[StoredArrival]:
    """The visits after a step, in order; at most so many, if a number is given."""
    statement = f"{_ARRIVALS_IN_FULL if body else _ARRIVALS} WHERE v.step > ? ORDER BY v.step LIMIT ?"
    return (_arrival(db, row) for row in db.run(statement, (after, most)))


def all_arrivals(db: Database, body: bool = False) -> Iterator[StoredArrival]:
    """All visits in order, none missing."""
    return db.complete(VISIT, ((arrival.visit.step, arrival) for arrival in arrivals(db, body=body)))


def arrival_at(db: Database, step: int) -> StoredArrival | None:
    """The visit of a step, if there is one."""
    return next((_arrival(db, row) for row in db.run(f"{_ARRIVALS} WHERE v.step = ?", (step,))), None)


def logged_messages(db: Database, after: int, upto: int, most: int) -> Iterator[tuple[int, Message]]:
    """What the crawl heard between two numbers of calls, at most so much, each with its number."""
    rows = db.select(MESSAGE, "WHERE seq > ? AND seq <= ? ORDER BY seq LIMIT ?", (after, upto, most))
    return ((seq, _message(body)) for seq, body, _ in rows)


def all_messages(db: Database) -> Iterator[tuple[int, Message]]:
    """All that it ever heard, none missing."""
    return ((seq, _message(body)) for seq, body, _ in db.all(MESSAGE))


def last_visit(db: Database, seq: int) -> tuple[int, float]:
    """The step and the time of the last visit whose number is no larger; -1 if there is none.

    Steps and numbers grow together, but steps have gaps where a crawl was only shown pages.
    """
    low, high = 0, row[0] + 1 if (row := db.last(VISIT)) else 0
    while low < high:
        middle = (low + high) // 2
        at = next(arrivals(db, middle - 1, 1)).visit
        low, high = (at.step + 1, high) if at.seq <= seq else (low, middle)
    row = next(db.select(VISIT, "WHERE step < ? ORDER BY step DESC LIMIT 1", (low,)), None)
    return (-1, 0.0) if row is None else (row[0], VisitRow._make(row).at)


def check_visits(db: Database) -> None:
    """Damaged if visits are missing; quicker than to read them."""
    if next(db.run("SELECT count(*) FROM visit"))[0] < db.counts()[VISIT.name]:
        raise db.damage("visits are missing")


def choice_at(db: Database, number: int) -> ChoiceRow:
    return ChoiceRow._make(db.row(CHOICE, number))


class Record:
    """The calls of a log in their order; read once, as a stream. `seconds` is how late it was at the last visit.

    With a mark, the calls are those after it. Pages that use ids beyond `sizes`, those of the tables of URLs and
    words, are damaged.
    """

    visits: int
    seconds: float

    def __init__(self, db: Database, sizes: tuple[int, int], after: LogMark | None = None) -> None:
        self._db, self._sizes, self._after = db, sizes, after
        self.visits, self.seconds = next(db.run("SELECT count(*), ifnull(max(at), 0.0) FROM visit"))

    def __iter__(self) -> Iterator[Call]:
        heard: Iterator[tuple[int, Message]] = (
            all_messages(self._db)
            if self._after is None
            else logged_messages(self._db, self._after.seq, sys.maxsize, -1)
        )
        calls: Iterator[tuple[int, Call]] = merge(self._questions(), self._deliveries(), heard, key=itemgetter(0))
        return (call for _, call in calls)

    def _questions(self) -> Iterator[tuple[int, Call]]:
        after = self._after
        choices = map(ChoiceRow._make, self._rows(CHOICE, 0 if after is None else after.choice))
        waiting = next(choices, None)
        for seq, room, busy, _ in self._rows(QUESTION, 0 if after is None else after.seq + 1):
            rows = []
            while waiting is not None and waiting.seq == seq:
                rows.append(waiting)
                waiting = next(choices, None)
            yield seq, ChoiceCall(room, _hosts(busy), rows)

    def _deliveries(self) -> Iterator[tuple[int, Call]]:
        if self._after is None:
            visits = all_arrivals(self._db, body=True)
        else:
            visits = arrivals(self._db, self._after.step - 1, body=True)
        for arrival in visits:
            yield arrival.visit.seq, Delivery(arrival.visit, _response(arrival, self._sizes))

    def _rows(self, table: SqlTable, first: int) -> Iterator[tuple[Any, ...]]:
        """The rows from a key on; all of them, none missing, where there is no mark."""
        key = table.columns[0]
        if self._after is None:
            return self._db.all(table)
        return self._db.select(table, f"WHERE {key} >= ? ORDER BY {key}", (first,))


def _arrival(db: Database, row: tuple[Any, ...]) -> StoredArrival:
    visit = VisitRow._make(db.check(VISIT, row[:_CHOICE_AT]))
    if row[_CHOICE_AT] is None:
        raise db.damage(f"choice {visit.choice} is missing")
    choice = ChoiceRow._make(db.check(CHOICE, row[_CHOICE_AT:_PAGE_AT]))
    if (row[_PAGE_AT] is not None) != visit.good:
        raise db.damage(f"page {visit.step} is missing" if visit.good else f"page {visit.step} belongs to none")
    return StoredArrival(visit, choice, PageRow(*db.check(PAGE, row[_PAGE_AT:])) if visit.good else None)


@unpacks
def _response(arrival: StoredArrival, sizes: tuple[int, int]) -> Response:
    visit, page = arrival.visit, None if arrival.page is None else unpack_page(arrival.page[1:], sizes)
    urls = (visit.final, arrival.choice.url)
    if min(urls) < 0 or max(urls) >= sizes[0] + _MOST_ADDED:
        raise Damaged(f"visit {visit.step} has a URL id out of range")
    records = tuple(msgspec.json.decode(visit.records)) if visit.records else ()
    return Response(
        arrival.choice.url, visit.final, Outcome(visit.outcome), visit.status, page, visit.seconds, visit.size,
        visit.modified, visit.etag, records,
    )  # fmt: skip


@unpacks
def _why(text: str | None) -> tuple[tuple[str, float], ...]:
    return msgspec.json.decode(text, type=tuple[tuple[str, float], ...]) if text else ()


@unpacks
def _hosts(busy: str | None) -> frozenset[int]:
    return frozenset(msgspec.json.decode(busy, type=list[int])) if busy else frozenset()


@unpacks
def _message(body: str) -> Message:
    message: Message = _MESSAGE.decode(body)
    return message
