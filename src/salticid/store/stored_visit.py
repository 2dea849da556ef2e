"""A visit as outsiders read it."""

from __future__ import annotations

from functools import cached_property, lru_cache
from typing import Any

import msgspec

from salticid.messages import Sight
from salticid.model import NO_SHARD
from salticid.store.damage import unpacks
from salticid.store.database import Database
from salticid.store.holders import Holder, holders
from salticid.store.record import StoredArrival, VisitRow, all_messages
from salticid.store.schema import SESSION, URL, VISIT
from salticid.store.verdicts import Verdicts, Word

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
