"""The durable log of a crawl: SQLite, appended in batches."""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from functools import cache
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import numpy.typing as npt
import zstandard

from salticid.errors import UserError
from salticid.model import NO_URL, Choice, Event, Feedback, Limits, Links, Page, Visit
from salticid.protocols import Table, UrlTable
from salticid.store.schema import FILE, FORMAT, PAGE_AT, TABLES, pack_stream, pack_words, unpack_page

BATCH_VISITS = 200
BATCH_SECONDS = 1.0
CHECKPOINT_PAGES = 16_384
"""Pages of 4 KiB the write-ahead log may grow to before it is folded into the database."""

_INSERT = {
    "choose": "INSERT INTO choose VALUES (?,?,?)",
    "choice": "INSERT INTO choice VALUES (?,?,?,?,?,?,?,?)",
    "visit": "INSERT INTO visit VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)",
    "page": "INSERT INTO page VALUES (?,?,?,?,?,?,?,?,?)",
    "told": "INSERT INTO told VALUES (?,?,?)",
}


class CrawlLog:
    """Writes the calls of a crawl into a folder; a batch is lost or kept as a whole.

    `begin` comes first and makes the folder. A batch is committed after 200 visits or one second, whichever
    comes first, and by `close`.
    """

    def __init__(self, folder: Path, urls: UrlTable, words: Table) -> None:
        self.folder = folder
        self._urls, self._words = urls, words
        self._db: sqlite3.Connection | None = None
        self._rows: dict[str, list[tuple[Any, ...]]] = {table: [] for table in _INSERT}
        self._spelled = {"url": _Spelled(), "word": _Spelled()}
        self._zstd = zstandard.ZstdCompressor(level=1)
        self._host_name = cache(urls.host_name)
        self._seq = self._choices = 0
        self._in_flight: dict[int, int] = {}
        self._committed = time.monotonic()

    def begin(self, facts: Mapping[str, object]) -> None:
        """Make the database, with what has to be known about the whole crawl."""
        self._db = _new_database(self.folder)
        self.about(facts)

    def about(self, facts: Mapping[str, object]) -> None:
        """Write down, under their names, facts about the whole crawl; a later word replaces an earlier."""
        rows = [(name, msgspec.json.encode(value).decode()) for name, value in facts.items()]
        with self._database as db:
            db.executemany("INSERT OR REPLACE INTO about VALUES (?,?)", rows)

    def chose(self, room: int, busy: frozenset[int], choices: Sequence[Choice]) -> None:
        seq = self._next()
        hosts = msgspec.json.encode(sorted(map(self._host_name, busy))).decode() if busy else None
        self._rows["choose"].append((seq, room, hosts))
        for choice in choices:
            link = choice.link
            why = msgspec.json.encode(choice.why).decode() if choice.why else None
            row = (self._choices, seq, link.url, link.source, link.place, choice.score, choice.agent, why)
            self._rows["choice"].append(row)
            self._spelled["url"].need(link.url)
            self._in_flight[id(choice)] = self._choices
            self._choices += 1

    def visited(self, visit: Visit) -> None:
        page, choice = visit.page, self._in_flight.pop(id(visit.choice))
        self._rows["visit"].append(
            (
                visit.step, self._next(), choice, visit.final, visit.outcome.value, visit.status, visit.score,
                visit.positive, visit.depth, visit.seconds, visit.at, visit.size,
                visit.modified, visit.etag, visit.revisit,
            )
        )  # fmt: skip
        self._spelled["url"].need(visit.final)
        if page is not None and not visit.revisit:
            stream = pack_stream(page, self._zstd)
            row = (
                visit.step, page.url, page.title, stream, page.packed_text, page.canonical, page.refresh,
                page.noindex, page.nofollow,
            )  # fmt: skip
            self._rows["page"].append(row)
            self._spelled["word"].need_all(page.tokens)
            self._spelled["url"].need_all(page.links.url)
            for url in (page.url, page.canonical, page.refresh):
                if url != NO_URL:
                    self._spelled["url"].need(url)
        if len(self._rows["visit"]) >= BATCH_VISITS or time.monotonic() - self._committed > BATCH_SECONDS:
            self.commit()

    def revised(self, scores: Sequence[tuple[int, float]], feedback: Sequence[Feedback]) -> None:
        liked = [(self._urls[word.url], word.liking) for word in feedback]
        self._told("revise", {"scores": list(scores), "feedback": liked})

    def offered(self, links: Links) -> None:
        self._told("offer", [self._urls[url] for url in links.url.tolist()])

    def extended(self, limits: Limits) -> None:
        self._told("extend", asdict(limits))

    def noted(self, events: Sequence[Event]) -> None:
        self._told("events", [[event.name, dict(event.values)] for event in events])

    def page(self, url: int) -> Page:
        """The page that was visited at a final URL, as a walker or a person asks for it again."""
        self.commit()
        return unpack_page(self._database.execute(PAGE_AT, (url,)).fetchone())

    def commit(self) -> None:
        """Make everything so far durable."""
        with self._database as db:
            urls, words = self._spelled["url"].missing(), self._spelled["word"].missing()
            db.executemany("INSERT INTO url VALUES (?,?)", zip(urls, self._urls.spell(urls), strict=True))
            if words:
                row = pack_words(words, self._words.spell(words), self._zstd)
                db.execute("INSERT INTO words (ids, texts) VALUES (?,?)", row)
            for name, rows in self._rows.items():
                db.executemany(_INSERT[name], rows)
        # Only now: what failed to be written is written with the next batch.
        for rows in self._rows.values():
            rows.clear()
        self._spelled["url"].wrote(urls)
        self._spelled["word"].wrote(words)
        self._committed = time.monotonic()

    def close(self) -> None:
        """Commit and let go of the folder."""
        if self._db is not None:
            self.commit()
            self._db.close()

    @property
    def _database(self) -> sqlite3.Connection:
        if self._db is None:
            raise RuntimeError("a log is written to only after begin()")
        return self._db

    def _told(self, call: str, body: object) -> None:
        self._rows["told"].append((self._next(), call, msgspec.json.encode(body).decode()))

    def _next(self) -> int:
        self._seq += 1
        return self._seq


class _Spelled:
    """Which ids of a table the log still has to spell out."""

    def __init__(self) -> None:
        self._written = np.zeros(1024, np.bool_)
        self._needed: list[npt.NDArray[np.int32]] = []
        self._single: list[int] = []

    def need(self, at: int) -> None:
        self._single.append(at)

    def need_all(self, ids: npt.NDArray[np.int32]) -> None:
        self._needed.append(ids)

    def missing(self) -> list[int]:
        """The needed ids that are not written yet, ascending."""
        ids = np.concatenate([*self._needed, np.array(self._single, np.int32)])
        if not len(ids):
            return []
        if ids.max() >= len(self._written):
            grown = np.zeros(max(int(ids.max()) + 1, 2 * len(self._written)), np.bool_)
            grown[: len(self._written)] = self._written
            self._written = grown
        found: list[int] = np.unique(ids[~self._written[ids]]).tolist()
        return found

    def wrote(self, ids: list[int]) -> None:
        """These are written, and with them all that was needed so far."""
        self._written[ids] = True
        self._needed.clear()
        self._single.clear()


def _new_database(folder: Path) -> sqlite3.Connection:
    file = folder / FILE
    try:
        folder.mkdir(parents=True, exist_ok=True)
        if file.exists():
            raise UserError(f"{folder} holds a crawl already; name another folder with --out")
        db = sqlite3.connect(file)
        db.execute("PRAGMA journal_mode = WAL")
        db.execute("PRAGMA synchronous = NORMAL")
        db.execute(f"PRAGMA wal_autocheckpoint = {CHECKPOINT_PAGES}")
        db.executescript(TABLES)
        db.execute(f"PRAGMA user_version = {FORMAT}")
    except (OSError, sqlite3.Error) as error:
        raise UserError(
            f"cannot write a crawl into {folder}: {error}; name another folder with --out"
        ) from None
    return db
