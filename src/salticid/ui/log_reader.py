"""A log as the page reads it: visits in order, and what was said and happened between them."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

import msgspec

from salticid.messages import Message, Report, Revision
from salticid.store import record
from salticid.store.crawl_folder import CrawlFolder
from salticid.store.record import StoredArrival, VisitRow
from salticid.store.verdicts import Word
from salticid.urls import site

BATCH = 200
"""Visits shown at once."""
_MOST_MESSAGES = 2000

_FOREVER = (1 << 63) - 1
_LIKINGS: dict[Word | None, int] = {Word.LIKED: 1, Word.REJECTED: -1}


class ShownVisit(msgspec.Struct, frozen=True):
    """A visit as the page shows it.

    `source` is the step of the page it was linked from, -1 a seed, -2 an offer; `twin` that of an earlier page which is
    all but the same.
    """

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
    twin: int | None


@dataclass(slots=True)
class News:
    """What a log holds between two numbers: `upto` is where to go on."""

    upto: int
    visits: list[ShownVisit] = field(default_factory=list)
    agents: list[dict[str, Any]] = field(default_factory=list)
    scores: dict[int, float] = field(default_factory=dict)
    likings: dict[int, int] = field(default_factory=dict)

    def events(self) -> list[tuple[str, dict[str, Any]]]:
        """The same as named events, those that say something."""
        events: list[tuple[str, dict[str, Any]]] = []
        if self.visits:
            events.append(("visits", {"visits": self.visits}))
        if self.agents:
            events.append(("agents", {"events": self.agents}))
        if self.scores:
            events.append(("scores", {"scores": list(self.scores.items())}))
        if self.likings:
            events.append(("feedback", {"feedback": list(self.likings.items())}))
        return events


class Reader:
    """Reads a log from a number on, again and again, as it grows; the numbers are the log's own `seq`."""

    def __init__(self, crawl: CrawlFolder, since: int) -> None:
        self._crawl, self._seq = crawl, since
        self._last = record.last_visit(crawl.database, since)
        """The step and the time of the last visit that was read."""
        self._complete = False

    def news(self) -> News | None:
        """The next piece; None when there is nothing new."""
        db = self._crawl.database
        with db.moment():
            visits = list(record.arrivals(db, self._last[0], BATCH))
            upto = visits[-1].visit.seq if len(visits) == BATCH else _FOREVER
            messages = list(record.messages(db, self._seq, upto, _MOST_MESSAGES))
            if len(messages) == _MOST_MESSAGES:
                upto = messages[-1][0]
                visits = [arrival for arrival in visits if arrival.visit.seq <= upto]
            if not visits and not messages:
                if not self._complete:
                    record.check_visits(db)
                    self._complete = True
                return None
            last = max(visits[-1].visit.seq if visits else 0, messages[-1][0] if messages else 0)
            news = News(last, [_visit(self._crawl, arrival) for arrival in visits])
            self._take(news, messages, [arrival.visit for arrival in visits])
        self._seq = last
        return news

    def _take(self, news: News, messages: list[tuple[int, Message]], visits: list[VisitRow]) -> None:
        """Sort what was heard by kind; what happened inside is dated by the visit before it."""
        waiting = iter(visits)
        following = next(waiting, None)
        for number, message in messages:
            while following is not None and following.seq < number:
                self._last = following.step, following.at
                following = next(waiting, None)
            if isinstance(message, Report):
                when = {"seq": number, "step": max(self._last[0], 0), "at": self._last[1]}
                news.agents += [
                    {**dict(event.values), **when, "name": event.name} for event in message.events
                ]
            elif isinstance(message, Revision):
                news.scores.update(message.scores)
                news.likings.update(likings_in(self._crawl, message.feedback))
        if visits:
            self._last = visits[-1].step, visits[-1].at


def visit(crawl: CrawlFolder, step: int) -> ShownVisit | None:
    """The visit of a step, as it is seen by now."""
    arrival = record.arrival_at(crawl.database, step)
    if arrival is None:
        return None
    verdicts = crawl.verdicts()
    return msgspec.structs.replace(
        _visit(crawl, arrival),
        score=verdicts.score(arrival.visit),
        liking=_LIKINGS.get(verdicts.words.get(step), 0),
    )


def likings_in(crawl: CrawlFolder, feedback: list[tuple[str, int]]) -> dict[int, int]:
    """The steps of pages that a person spoke about, and how."""
    steps = ((crawl.step_of(url), liking) for url, liking in feedback)
    return {step: liking for step, liking in steps if step is not None}


def _visit(crawl: CrawlFolder, arrival: StoredArrival) -> ShownVisit:
    visit, choice, page = arrival
    final = crawl.url(visit.final)
    return ShownVisit(
        visit.step, crawl.url(choice.url), final, page.title if page is not None else "", site(final), visit.outcome,
        visit.score, bool(visit.positive), choice.agent, choice.source, visit.depth, visit.at, date(visit.modified),
        0, bool(visit.revisit), visit.duplicate_of,
    )  # fmt: skip


def date(seconds: float | None) -> str | None:
    """A time as ISO 8601; a server may have said anything."""
    try:
        return None if seconds is None else datetime.fromtimestamp(seconds, UTC).isoformat()
    except (OverflowError, OSError, ValueError):
        return None
