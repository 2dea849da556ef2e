"""A log as the page reads it: visits in order, and what was said and happened between them."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

import msgspec

from salticid.store.crawl_folder import CrawlFolder
from salticid.urls import site

BATCH = 200
"""Visits told at once."""
_MOST_TOLD = 2000

_COLUMNS = """SELECT v.step, v.seq, u.text, f.text, p.title, v.outcome, v.score, v.positive, c.agent, c.source,
    v.depth, v.at, v.modified, v.revisit
    FROM visit v JOIN choice c ON c.id = v.choice JOIN url u ON u.id = c.url JOIN url f ON f.id = v.final
    LEFT JOIN page p ON p.step = v.step"""
_VISITS = f"{_COLUMNS} WHERE v.step > ? ORDER BY v.step LIMIT {BATCH}"
_VISIT = f"{_COLUMNS} WHERE v.step = ?"
_TOLD = f"SELECT seq, call, body FROM told WHERE seq > ? AND seq <= ? ORDER BY seq LIMIT {_MOST_TOLD}"
_REVISED = "SELECT body FROM told WHERE call = 'revise' ORDER BY seq"
_STEP_OF = """SELECT p.step FROM page p INDEXED BY page_url CROSS JOIN url u ON u.id = p.url
    WHERE u.text = ? LIMIT 1"""
_FOREVER = (1 << 63) - 1


class Told(msgspec.Struct, frozen=True):
    """A visit as the page shows it. `source` is the step of the page it was linked from, -1 a seed, -2 an offer."""

    step: int
    url: str
    final: str
    title: str
    site: str
    outcome: str
    score: float
    positive: bool
    agent: int | None
    source: int
    depth: int
    at: float
    modified: str | None
    liking: int
    revisit: bool


@dataclass(slots=True)
class News:
    """What a log holds between two numbers: `upto` is where to go on."""

    upto: int
    visits: list[Told] = field(default_factory=list)
    agents: list[dict[str, Any]] = field(default_factory=list)
    scores: dict[int, float] = field(default_factory=dict)
    likings: dict[int, int] = field(default_factory=dict)

    def events(self) -> list[tuple[str, dict[str, Any]]]:
        """The same as named events, those that say something."""
        told: list[tuple[str, dict[str, Any]]] = []
        if self.visits:
            told.append(("visits", {"visits": self.visits}))
        if self.agents:
            told.append(("agents", {"events": self.agents}))
        if self.scores:
            told.append(("scores", {"scores": list(self.scores.items())}))
        if self.likings:
            told.append(("feedback", {"feedback": list(self.likings.items())}))
        return told


class Reader:
    """Reads a log from a number on, again and again, as it grows; the numbers are the log's own `seq`."""

    def __init__(self, crawl: CrawlFolder, since: int) -> None:
        self._crawl, self._seq = crawl, since
        self._step = _last_step(crawl.db, since)
        row = crawl.db.execute("SELECT step, at FROM visit WHERE step = ?", (self._step,)).fetchone()
        self._last: tuple[int, float] = row or (0, 0.0)

    def news(self) -> News | None:
        """The next piece; None when there is nothing new."""
        with _one_moment(self._crawl.db) as db:
            rows = db.execute(_VISITS, (self._step,)).fetchall()
            upto = rows[-1][1] if len(rows) == BATCH else _FOREVER
            told = db.execute(_TOLD, (self._seq, upto)).fetchall()
            if len(told) == _MOST_TOLD:
                upto = told[-1][0]
                rows = [row for row in rows if row[1] <= upto]
            if not rows and not told:
                return None
            last = max(rows[-1][1] if rows else 0, told[-1][0] if told else 0)
            news = News(last, [_visit(row) for row in rows])
            self._take(news, told, [(row[1], row[0], row[11]) for row in rows])
        self._seq = last
        self._step = rows[-1][0] if rows else self._step
        return news

    def _take(
        self, news: News, told: list[tuple[int, str, str]], visits: list[tuple[int, int, float]]
    ) -> None:
        """Sort what was told by kind; what happened inside is dated by the visit before it."""
        waiting = iter([*visits, (_FOREVER, 0, 0.0)])
        seq, step, at = next(waiting)
        for number, call, body in told:
            while seq < number:
                self._last = step, at
                seq, step, at = next(waiting)
            if call == "events":
                for name, values in msgspec.json.decode(body):
                    when = {"seq": number, "step": self._last[0], "at": self._last[1]}
                    news.agents.append({**values, **when, "name": name})
            elif call == "revise":
                changed = msgspec.json.decode(body)
                news.scores.update(dict(changed["scores"]))
                news.likings.update(likings_in(self._crawl.db, changed["feedback"]))
        if visits:
            self._last = visits[-1][1:]


def visit(crawl: CrawlFolder, step: int) -> Told | None:
    """The visit of a step, as it is seen by now."""
    row = crawl.db.execute(_VISIT, (step,)).fetchone()
    if row is None:
        return None
    told = _visit(row)
    scores, likings = revised(crawl.db)
    return msgspec.structs.replace(
        told, score=scores.get(step, told.score), liking=likings.get(told.final, 0)
    )


def revised(db: sqlite3.Connection) -> tuple[dict[int, float], dict[str, int]]:
    """What holds by now: the scores that the judge gave later, by step, and a person's word, by URL."""
    scores: dict[int, float] = {}
    likings: dict[str, int] = {}
    for (body,) in db.execute(_REVISED):
        told = msgspec.json.decode(body)
        scores.update(dict(told["scores"]))
        likings.update(dict(told["feedback"]))
    return scores, likings


def likings_in(db: sqlite3.Connection, feedback: list[tuple[str, int]]) -> dict[int, int]:
    """The steps of pages that a person spoke about, and how."""
    found: dict[int, int] = {}
    for url, liking in feedback:
        row = db.execute(_STEP_OF, (url,)).fetchone()
        if row is not None:
            found[row[0]] = liking
    return found


def _visit(row: tuple[Any, ...]) -> Told:
    step, _, url, final, title, outcome, score, positive, agent, source, depth, at, modified, revisit = row
    return Told(
        step, url, final, title or "", site(final), outcome, score, bool(positive), agent, source, depth, at,
        _date(modified), 0, bool(revisit),
    )  # fmt: skip


def _date(seconds: float | None) -> str | None:
    """A time as ISO 8601; a server may have said anything."""
    try:
        return None if seconds is None else datetime.fromtimestamp(seconds, UTC).isoformat()
    except (OverflowError, OSError, ValueError):
        return None


def _last_step(db: sqlite3.Connection, seq: int) -> int:
    """The last step whose number is no larger; steps and numbers grow together."""
    low, high = -1, db.execute("SELECT ifnull(max(step), -1) FROM visit").fetchone()[0]
    while low < high:
        middle = (low + high + 1) // 2
        if db.execute("SELECT seq FROM visit WHERE step = ?", (middle,)).fetchone()[0] <= seq:
            low = middle
        else:
            high = middle - 1
    return int(low)


@contextmanager
def _one_moment(db: sqlite3.Connection) -> Iterator[sqlite3.Connection]:
    """All that is read meanwhile is of one moment."""
    db.execute("BEGIN")
    try:
        yield db
    finally:
        db.rollback()
