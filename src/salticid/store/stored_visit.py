"""Visits as readers see them: current scores, near-duplicate groups, and other crawls that hold the page."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from datetime import UTC, datetime, timedelta
from enum import StrEnum
from functools import cached_property, lru_cache
from typing import Any, NamedTuple

import msgspec
import numpy as np
import numpy.typing as npt

from salticid.columns import grow
from salticid.messages import Revision, Sight
from salticid.model import NO_SHARD, Outcome, Wall
from salticid.store.database import Database
from salticid.store.editions import editions as editions_of
from salticid.store.packing import unpacks
from salticid.store.record import StoredArrival, VisitRow, all_messages
from salticid.store.schema import MEMORY, SESSION, URL, VISIT

# What is thought of the visits of a crawl by now: the judge may have changed its mind, a person have spoken.


class Word(StrEnum):
    """What a person said of a page."""

    LIKED = "liked"
    REJECTED = "rejected"


_WORDS = {1: Word.LIKED, -1: Word.REJECTED}


class Verdicts:
    """The current score of each visit, and the person's word where there is one, as the log has them.

    `step_of` gives the step at which the page of a URL was visited.
    """

    def __init__(self, db: Database, step_of: Callable[[str], int | None]) -> None:
        self._later = np.full(0, np.nan)
        likings: dict[str, int] = {}
        for _, message in all_messages(db):
            if isinstance(message, Revision):
                likings.update(message.feedback)
                self._revise(message.scores)
        steps = ((step_of(url), _WORDS.get(liking)) for url, liking in likings.items())
        self.words: dict[int, Word] = {step: word for step, word in steps if step is not None and word}

    @property
    def rejected(self) -> list[int]:
        """The steps of the pages that the person rejected."""
        return [step for step, word in self.words.items() if word is Word.REJECTED]

    def _revise(self, scores: list[tuple[int, float]]) -> None:
        if scores:
            steps = [step for step, _ in scores]
            self._later = grow(self._later, max(steps) + 1, np.nan)
            self._later[steps] = [score for _, score in scores]

    def score(self, visit: VisitRow) -> float:
        """Its score as it is judged by now."""
        later = float(self._later[visit.step]) if visit.step < len(self._later) else np.nan
        return visit.score if np.isnan(later) else later

    def ranking(self, visits: Iterable[VisitRow]) -> npt.NDArray[np.int64]:
        """The steps of visits, best first, the earlier first among equals."""
        kind = np.dtype([("score", np.float64), ("step", np.int64)])
        pairs = np.fromiter(((self.score(visit), visit.step) for visit in visits), kind)
        order: npt.NDArray[np.int64] = pairs["step"][np.lexsort((pairs["step"], -pairs["score"]))]
        return order


def is_on_topic(score: float, word: Word | None, line: float) -> bool:
    """Whether a page belongs to what was looked for: what a person said counts, else the judge's line.

    >>> is_on_topic(0.2, Word.LIKED, 0.5), is_on_topic(0.9, Word.REJECTED, 0.5), is_on_topic(0.5, None, 0.5)
    (True, False, True)
    """
    return word is Word.LIKED or (word is None and score >= line)


# Pages of a crawl that another crawl holds, too: notes in the log, by step.

_NOTE = "known "
"""What the names of these notes begin with; the step follows."""


class Holder(NamedTuple):
    """Which crawl holds a page, and at which URL."""

    folder: str
    url: str


def note(step: int, holder: Holder) -> tuple[str, bytes]:
    """The note that the page of a step is one of another crawl, under its name."""
    return f"{_NOTE}{step}", msgspec.json.encode(holder)


def holders(db: Database) -> dict[int, Holder]:
    """The steps of a crawl whose pages others hold, and who."""
    rows = db.select(MEMORY, "WHERE name >= ? AND name < ?", (_NOTE, f"{_NOTE}~"))
    return {int(name.removeprefix(_NOTE)): _holder(value) for name, value, _ in rows}


@unpacks
def _holder(value: bytes) -> Holder:
    return msgspec.json.decode(value, type=Holder)


# What kept a crawl out, as notes in the log, by step.

_WALL = "wall "


def wall_note(step: int, wall: Wall) -> tuple[str, bytes]:
    """The note that a visit was kept out by a wall, under its name."""
    return f"{_WALL}{step}", wall.value.encode()


@unpacks
def walls(db: Database) -> dict[int, Wall]:
    """The steps of a crawl that were kept out, and by what."""
    rows = db.select(MEMORY, "WHERE name >= ? AND name < ?", (_WALL, f"{_WALL}~"))
    return {int(name.removeprefix(_WALL)): Wall(value.decode()) for name, value, _ in rows}


_CACHE_SIZE = 10_000


class StoredVisit(msgspec.Struct, frozen=True):
    """A visit as outsiders read it: URLs spelled out, nothing to look up.

    `fetched` is in seconds since 1970, `records` are places in the crawl's WARC, `source_step` and `place` say
    which link of which visit led here. `duplicate_of` is the URL of an earlier page that is all but the same.
    `known_in` is the folder of another crawl that holds the page, or one all but the same.
    `score` is what the judge gave it when it came, `current_score` as it is judged by now; `word` is a person's.
    """

    step: int
    url: str
    final_url: str
    outcome: str
    status: int
    score: float
    title: str | None
    source: str | None
    agent: int | None
    revisit: bool
    duplicate_of: str | None
    seconds: float
    at: float
    why: list[tuple[str, float]]
    promise: float
    depth: int
    positive: bool
    size: int
    modified: float | None
    etag: str | None
    records: list[int]
    source_step: int
    place: int
    fetched: float | None
    noindex: bool
    current_score: float
    word: Word | None
    known_in: str | None = None

    def listing(self) -> dict[str, Any]:
        """What is shown of it in listings."""
        return {name: getattr(self, name) for name in LISTED}


LISTED = (
    *StoredVisit.__struct_fields__[: StoredVisit.__struct_fields__.index("why") + 1],
    "current_score",
    "word",
    "known_in",
)
"""The fields of a listing."""
DIGEST_FIELDS = StoredVisit.__struct_fields__[: StoredVisit.__struct_fields__.index("records")]
"""All that a crawl decided or met; what follows says only where it is kept, when it was, and what is thought of it."""


class WallClock:
    """What time it was, in seconds since 1970, when the clock of a crawl showed another; None before its first run."""

    def __init__(self, db: Database) -> None:
        self._runs = [(at, wall - at) for _, wall, at, *_ in db.all(SESSION)][::-1]
        """By the crawl's clock when each began, the last first, and what the wall's was when that was at 0."""

    def __call__(self, at: float) -> float | None:
        return next((zero + at for began, zero in self._runs if began <= at), None)


class VisitReader:
    """Makes such visits of stored ones; what is looked up again and again is kept."""

    def __init__(self, db: Database, verdicts: Verdicts) -> None:
        self._db, self._verdicts = db, verdicts
        self._url = lru_cache(_CACHE_SIZE)(lambda at: db.row(URL, at)[1])
        self._final = lru_cache(_CACHE_SIZE)(self._read_final)

    @cached_property
    def _clock(self) -> WallClock:
        return WallClock(self._db)

    @unpacks
    def __call__(self, arrival: StoredArrival) -> StoredVisit:
        visit, choice, page = arrival
        source = None if choice.source < 0 else self._final(choice.source)
        twin = None if visit.duplicate_of is None else self._final(visit.duplicate_of)
        why = msgspec.json.decode(choice.why) if choice.why else []
        records = msgspec.json.decode(visit.records) if visit.records else []
        title, noindex = (None, False) if page is None else (page.title, bool(page.noindex))
        return StoredVisit(
            visit.step, self._url(choice.url), self._url(visit.final), visit.outcome, visit.status, visit.score, title,
            source, choice.agent, bool(visit.revisit), twin, visit.seconds, visit.at, why, choice.score, visit.depth,
            bool(visit.positive), visit.size, visit.modified, visit.etag, records, choice.source, choice.place,
            self._clock(visit.at), noindex, self._verdicts.score(visit),
            self._verdicts.words.get(visit.step), holder.folder if (holder := self._holders.get(visit.step)) else None,
        )  # fmt: skip

    @cached_property
    def _holders(self) -> dict[int, Holder]:
        return holders(self._db)

    @cached_property
    def _feeds(self) -> dict[int, str]:
        """The feeds that the crawl was shown, by step."""
        shown = (message.glimpse for _, message in all_messages(self._db) if isinstance(message, Sight))
        return {glimpse.step: glimpse.url for glimpse in shown if glimpse.origin == NO_SHARD}

    def _read_final(self, step: int) -> str | None:
        """The URL of a visit, or of a feed; None for a step at which the crawl was only shown a page."""
        row = self._db.one(VISIT, step)
        return self._feeds.get(step) if row is None else self._url(VisitRow._make(row).final)


# Times of a log, which are seconds since 1970, as people write them.

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def time_of(seconds: float | None) -> datetime | None:
    """A time as people write it; None where a server's clock is beyond all calendars."""
    try:
        return None if seconds is None else _EPOCH + timedelta(seconds=seconds)
    except OverflowError:
        return None


# Of pages that are all but the same, one is shown; and none that another crawl has shown.


_PAGES = f"SELECT step, duplicate_of FROM visit WHERE outcome = '{Outcome.OK.value}' AND NOT revisit ORDER BY step"
"""Unchecked, for whoever reads such a page checks it."""


class TwinGroups:
    """The groups of near-duplicates of a crawl, and of other `editions` if they are to count as one page.

    The first that is taken stands for its group.

    A page that another crawl holds is never taken. Who rejected one of them rejected all: of the groups of `rejected`
    steps none can be taken.
    """

    def __init__(self, db: Database, rejected: Iterable[int] = (), editions: bool = True) -> None:
        self._group: dict[int, int] = {}
        self._used: set[int] = set()
        self._held = holders(db)
        if editions:
            for step, first in sorted(editions_of(db).items()):
                self._group[step] = self._group.setdefault(first, first)
        self._pages: set[int] = set()
        for step, earlier in db.run(_PAGES):
            self._pages.add(step)
            if earlier is not None:
                self._group[step] = self._group.setdefault(earlier, earlier)
        for step in rejected:
            self.take(step)

    @cached_property
    def _members(self) -> dict[int, list[int]]:
        members: dict[int, list[int]] = {}
        for step, group in sorted(self._group.items()):
            if step in self._pages:
                members.setdefault(group, []).append(step)
        return members

    def group(self, step: int) -> int:
        """The number of the group of a page."""
        return self._group.get(step, step)

    def others(self, step: int) -> list[int]:
        """The other pages of its group, the earliest first."""
        return [other for other in self._members.get(self._group.get(step, -1), ()) if other != step]

    def take(self, step: int) -> bool:
        """Whether this page is the first of its group to be taken, here and elsewhere."""
        return step not in self._held and self.is_first(step)

    def is_first(self, step: int) -> bool:
        """The same, whatever other crawls hold."""
        group = self._group.get(step)
        if group is None:
            return True
        first = group not in self._used
        self._used.add(group)
        return first
