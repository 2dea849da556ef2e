"""The calls of a log, read back in the order they were made."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from heapq import merge
from operator import itemgetter
from typing import Any, NamedTuple

import msgspec

from salticid.model import Outcome, Page, Response
from salticid.store.damage import unpacks
from salticid.store.schema import PAGE_COLUMNS, unpack_page


class Chosen(NamedTuple):
    """One choice of a question: its number in the log, the URL, the agent."""

    number: int
    url: int
    agent: int | None


class Asked(NamedTuple):
    """The strategy was asked."""

    room: int
    busy: frozenset[int]
    choices: list[Chosen]


class Came(NamedTuple):
    """A visit was made: by which choice, what the judge made of it, when, and the response."""

    step: int
    choice: int
    url: int
    score: float
    positive: bool
    at: float
    response: Response


class Told(NamedTuple):
    """Something else was told: what, and its JSON."""

    call: str
    body: str


Call = Asked | Came | Told


class Record:
    """The calls of a log in their order; read once, as a stream. `seconds` is how late it was at the last visit."""

    visits: int
    seconds: float

    def __init__(self, db: sqlite3.Connection) -> None:
        self._db = db
        self.visits, self.seconds = db.execute("SELECT count(*), ifnull(max(at), 0.0) FROM visit").fetchone()

    def __iter__(self) -> Iterator[Call]:
        calls = merge(self._asked(), self._came(), self._told(), key=itemgetter(0))
        return (call for _, call in calls)

    def _asked(self) -> Iterator[tuple[int, Call]]:
        choices = self._db.cursor().execute("SELECT seq, id, url, agent FROM choice ORDER BY id")
        waiting = choices.fetchone()
        for seq, room, busy in self._db.cursor().execute("SELECT seq, room, busy FROM choose ORDER BY seq"):
            found = []
            while waiting is not None and waiting[0] == seq:
                found.append(Chosen(*waiting[1:]))
                waiting = choices.fetchone()
            hosts = frozenset(msgspec.json.decode(busy, type=list[int])) if busy else frozenset()
            yield seq, Asked(room, hosts, found)

    def _came(self) -> Iterator[tuple[int, Call]]:
        rows = self._db.cursor().execute(
            "SELECT v.seq, v.step, v.choice, c.url, v.score, v.positive, v.at, v.final, v.outcome, v.status, "
            f"v.seconds, v.size, v.modified, v.etag, v.records, {PAGE_COLUMNS.replace('url', 'p.url', 1)} "
            "FROM visit v JOIN choice c ON c.id = v.choice LEFT JOIN page p ON p.step = v.step ORDER BY v.step"
        )
        for seq, step, choice, url, score, positive, at, *answer in rows:
            yield seq, Came(step, choice, url, score, bool(positive), at, _response(url, answer))

    def _told(self) -> Iterator[tuple[int, Call]]:
        for seq, call, body in self._db.cursor().execute("SELECT seq, call, body FROM told ORDER BY seq"):
            yield seq, Told(call, body)


@unpacks
def _response(url: int, answer: list[Any]) -> Response:
    final, outcome, status, seconds, size, modified, etag, records, *row = answer
    page: Page | None = unpack_page(tuple(row)) if row[0] is not None else None
    return Response(
        url,
        final,
        Outcome(outcome),
        status,
        page,
        seconds,
        size,
        modified,
        etag,
        tuple(msgspec.json.decode(records)) if records else (),
    )
