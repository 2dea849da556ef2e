"""How far a crawl has come, counted from its log as it grows."""

from __future__ import annotations

import os
import sqlite3
from array import array
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime
from itertools import accumulate
from math import nan
from pathlib import Path
from typing import Any

import msgspec

from salticid.crawl import HARVEST_WINDOW, NOWHERE_TO_GO
from salticid.errors import UserError
from salticid.messages import Message, Report, Revision, Round
from salticid.model import Outcome
from salticid.outlook import outlook
from salticid.service.settings import is_plain
from salticid.store import (
    DATABASE_FILE,
    CrawlFolder,
    Damaged,
    StoredArrival,
    VisitRow,
    Word,
    arrival_at,
    arrivals,
    check_visits,
    edition_of,
    last_visit,
    logged_messages,
)
from salticid.urls import host, site

# Which pages of a crawl are on topic by now, kept as its log grows: one line, for every figure the page shows.


class Standing:
    """The current score of each good page, a person's word on it, and what follows from the two.

    A page is on topic when the person liked it, or said nothing of it and its score reaches the line. Pages that are
    all but the same count once, and not at all if one of them was rejected. Pages are told apart by their steps.
    """

    def __init__(self) -> None:
        self.pages = array("q")
        self._scores = array("d")
        self._words: dict[int, int] = {}
        self._first: dict[int, int] = {}
        self._on: set[int] = set()
        self._groups: Counter[int] = Counter()
        self._lowest_positive = 1.0
        self._told_line: float | None = None

    @property
    def line(self) -> float:
        """The score from which on a page is on topic: as the judge told, else the lowest that it called so."""
        return self._lowest_positive if self._told_line is None else self._told_line

    @property
    def on_topic(self) -> int:
        """How many pages are."""
        return len(self._groups) - sum(group in self._groups for group in self._rejected())

    def steps_on_topic(self) -> Iterator[int]:
        """The steps of the pages that are, those all but the same included."""
        rejected = self._rejected()
        return (step for step in self._on if self._group(step) not in rejected)

    def share_of_last(self, many: int) -> float:
        """The share of pages on topic among the last ones."""
        last = self.pages[-many:]
        return sum(step in self._on for step in last) / len(last) if last else 0.0

    def curve(self) -> list[int]:
        """How many are on topic of the first n pages, for each n from 0 on."""
        groups = self._rejected()
        news: list[int] = []
        for step in self.pages:
            group = self._group(step)
            is_new = step in self._on and group not in groups
            groups.update([group] if is_new else [])
            news.append(is_new)
        return list(accumulate(news, initial=0))

    def draw_line(self, line: float | None) -> None:
        """From now on this is the line; None if nobody told."""
        if line != self._told_line:
            self._told_line = line
            self._settle(self.pages)

    def see(self, visit: VisitRow) -> None:
        """A good page came."""
        self._scores.extend([nan] * (visit.step + 1 - len(self._scores)))
        self._scores[visit.step] = visit.score
        if visit.duplicate_of is not None:
            self._first[visit.step] = self._group(visit.duplicate_of)
        self.pages.append(visit.step)
        if visit.positive and visit.score < self._lowest_positive:
            self._lowest_positive = visit.score
            if self._told_line is None:
                self._settle(self.pages)
        self._settle([visit.step])

    def hear(self, revision: Revision, steps: dict[str, int | None]) -> None:
        """Pages were judged anew, or a person spoke; `steps` says at which step each URL was visited."""
        known = [(step, score) for step, score in revision.scores if self._has(step)]
        for step, score in known:
            self._scores[step] = score
        spoken = [(at, liking) for url, liking in revision.feedback if (at := steps[url]) is not None]
        self._words.update(spoken)
        self._settle(step for step, _ in [*known, *spoken] if self._has(step))

    def _rejected(self) -> set[int]:
        """The groups of which a page was rejected."""
        return {self._group(step) for step, word in self._words.items() if word < 0}

    def _has(self, step: int) -> bool:
        return step < len(self._scores) and self._scores[step] == self._scores[step]

    def _group(self, step: int) -> int:
        return self._first.get(step, step)

    def _settle(self, steps: Iterable[int]) -> None:
        """Say anew which of these are on topic."""
        line = self.line
        for step in steps:
            word = self._words.get(step, 0)
            is_on = word > 0 or (word == 0 and self._scores[step] >= line)
            if is_on == (step in self._on):
                continue
            group = self._group(step)
            if is_on:
                self._on.add(step)
                self._groups[group] += 1
            else:
                self._on.remove(step)
                self._groups[group] -= 1
                if not self._groups[group]:
                    del self._groups[group]


_FREE = (Outcome.OUT_OF_SCOPE,)
_MOST_MESSAGES = 2000
_FOREVER = (1 << 63) - 1


class Tally:
    """Counts of one crawl, and its last `round` of watching; `update` takes in what its log holds by now."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._crawl: CrawlFolder | None = None
        self._step, self._seq = -1, 0
        self.pages = self.fetches = self.refused = 0
        self.outcomes: Counter[str] = Counter()
        self.received = 0
        self.standing = Standing()
        self.seconds = 0.0
        self.trouble: str | None = None
        self.about: dict[str, Any] = {}
        self.round: Round | None = None
        self._hosts: dict[str, int] = {}
        self._host_of: dict[int, int] = {}

    @property
    def harvest(self) -> float:
        """The share of pages on topic among the last ones."""
        return self.standing.share_of_last(HARVEST_WINDOW)

    @property
    def hosts(self) -> int:
        """How many hosts delivered a page."""
        return len(self._hosts)

    @property
    def hosts_on_topic(self) -> int:
        """How many of them have a page on topic by now."""
        return len({self._host_of[step] for step in self.standing.steps_on_topic()})

    def update(self) -> None:
        """Count what is new; nothing as long as there is no log, and `trouble` if it cannot be read."""
        try:
            if self._crawl is None:
                self._crawl = CrawlFolder(self._folder)
            with self._crawl.database.moment():
                self._count(self._crawl)
                self._listen(self._crawl)
            self.trouble = None
        except UserError as error:
            self.trouble = trouble_with(self._folder, error)
        except (OSError, sqlite3.Error, ValueError, Damaged) as error:
            damage = error if isinstance(error, Damaged) else Damaged(error, self._folder / DATABASE_FILE)
            self.trouble = str(damage).partition(";")[0]

    def _count(self, crawl: CrawlFolder) -> None:
        for visit in crawl.rows(self._step):
            kind = Outcome(visit.outcome)
            # First of all: a URL that cannot be read leaves no visit half counted.
            name = host(crawl.url(visit.final)) if kind is Outcome.OK else ""
            self._step = visit.step
            if visit.revisit:
                continue
            self.seconds = max(self.seconds, visit.at)
            self.outcomes[visit.outcome] += 1
            self.received += visit.size
            self.refused += kind is Outcome.REFUSED_ADDRESS
            self.fetches += kind.fetched and kind not in _FREE
            if kind is Outcome.OK:
                self.pages += 1
                self.standing.see(visit._replace(duplicate_of=_like(crawl, visit)))
                self._host_of[visit.step] = self._hosts.setdefault(name, len(self._hosts))
        self.about = crawl.about()

    def _listen(self, crawl: CrawlFolder) -> None:
        """Hear what the judge and the person said since."""
        while messages := list(logged_messages(crawl.database, self._seq, _FOREVER, _MOST_MESSAGES)):
            for self._seq, message in messages:
                if isinstance(message, Round):
                    self.round = message
                elif isinstance(message, Revision):
                    steps = {url: crawl.step_of(url) for url, _ in message.feedback}
                    self.standing.hear(message, steps)

    def close(self) -> None:
        """Let go of the log."""
        if self._crawl is not None:
            self._crawl.close()
            self._crawl = None


def trouble_with(folder: Path, error: UserError) -> str | None:
    """Why the log in a folder cannot be opened, which the error says; None if there is none yet."""
    file = folder / DATABASE_FILE
    if not os.path.lexists(file):
        return None
    return str(error).partition(";")[0] if is_plain(file) else f"{file} is no plain file"


# A log as the page reads it: visits in order, and what was said and happened between them.

BATCH = 200
"""Visits shown at once."""

_LIKINGS: dict[Word | None, int] = {Word.LIKED: 1, Word.REJECTED: -1}


class ShownVisit(msgspec.Struct, frozen=True):
    """A visit as the page shows it.

    `source` is the step of the page it was linked from, -1 a seed, -2 an offer; `twin` that of an earlier page which is
    all but the same, or another release or translation.
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
        self._last = last_visit(crawl.database, since)
        """The step and the time of the last visit that was read."""
        self._complete = False

    def news(self) -> News | None:
        """The next piece; None when there is nothing new."""
        db = self._crawl.database
        with db.moment():
            visits = list(arrivals(db, self._last[0], BATCH))
            upto = visits[-1].visit.seq if len(visits) == BATCH else _FOREVER
            messages = list(logged_messages(db, self._seq, upto, _MOST_MESSAGES))
            if len(messages) == _MOST_MESSAGES:
                upto = messages[-1][0]
                visits = [arrival for arrival in visits if arrival.visit.seq <= upto]
            if not visits and not messages:
                if not self._complete:
                    check_visits(db)
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
                news.agents += [{**dict(event.values), **when, "name": event.name} for event in message.events]
            elif isinstance(message, Revision):
                news.scores.update(message.scores)
                news.likings.update(likings_in(self._crawl, message.feedback))
        if visits:
            self._last = visits[-1].step, visits[-1].at


def visit(crawl: CrawlFolder, step: int) -> ShownVisit | None:
    """The visit of a step, as it is seen by now."""
    arrival = arrival_at(crawl.database, step)
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
        0, bool(visit.revisit), _like(crawl, visit),
    )  # fmt: skip


def _like(crawl: CrawlFolder, visit: VisitRow) -> int | None:
    """The step of an earlier page that is all but the same, or another release or translation."""
    return edition_of(crawl.database, visit.step) if visit.duplicate_of is None else visit.duplicate_of


def date(seconds: float | None) -> str | None:
    """A time as ISO 8601; a server may have said anything."""
    try:
        return None if seconds is None else datetime.fromtimestamp(seconds, UTC).isoformat()
    except (OverflowError, OSError, ValueError):
        return None


# What is still to be found by a hunt, from its log: for one that no process can be asked about.

UNKNOWN: dict[str, Any] = {"remaining": None, "harvest": None}
"""What is said where nothing can be foretold."""


def outlook_of(crawl: CrawlFolder) -> dict[str, Any]:
    """The outlook as a running hunt tells it; nothing can be foretold of one that has nowhere to go."""
    if crawl.about().get("stopped") in NOWHERE_TO_GO:
        return UNKNOWN
    positives = crawl.positive()
    ahead = outlook([page for page, positive in enumerate(positives, 1) if positive], len(positives))
    return UNKNOWN if ahead is None else asdict(ahead)
