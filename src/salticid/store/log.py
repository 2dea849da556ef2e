"""The durable log of a crawl: SQLite, appended in batches."""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, Protocol

import msgspec
import zstandard

from salticid.errors import UserError
from salticid.messages import Message
from salticid.model import Choice, Page, Response, Visit
from salticid.protocols import Table, UrlTable
from salticid.store import schema
from salticid.store.archive import ARCHIVE_END, Thinned, check_finished, thin
from salticid.store.batch import Batch, DiskRoom, TextTables
from salticid.store.database import Database, facts
from salticid.store.folder_lock import IN_MEMORY, LockedFolder, NoFolder, written_at_once
from salticid.store.near_duplicates import Twins
from salticid.store.packing import pack_page, unpack_page
from salticid.store.record import LogMark, Record
from salticid.store.stored_visit import wall_note

_NEWEST = "SELECT r.step, max(r.id) FROM version v JOIN recheck r ON r.id = v.recheck GROUP BY r.step"
"""Unchecked, for the versions are."""
BATCH_VISITS = 200
BATCH_SECONDS = 1.0
_START_PAGES = "known"
"""The fact that all start pages were read."""


class FlushableArchive(Protocol):
    """Raw exchanges that go to disk before the visits that speak of them."""

    def flush(self) -> tuple[int, int] | None: ...

    def cut_back(self, to: tuple[int, int] | None) -> str | None: ...

    def close(self) -> None: ...


class CrawlLog:
    """Writes the calls of a crawl into a folder, or into memory; a batch is lost or kept as a whole.

    `open` comes first and takes the folder; then `begin` makes a new crawl, or `go_on` continues the one that
    is there. A batch is committed after 200 visits or one second, whichever comes first, and by `close`.

    A batch that cannot be written, because the disk is full, is kept: `write_error` then says why, and `retry` tries
    again. The driver of the crawl should wait with more visits as long as there is `trouble`: something is
    unwritten, or the folder takes `max_bytes`.

    With `own_tables` the two tables belong to this crawl and are written whole; else only what it met of them.
    """

    def __init__(
        self,
        folder: Path,
        urls: UrlTable,
        words: Table,
        *,
        own_tables: bool = False,
        archive: FlushableArchive | None = None,
        max_bytes: int | None = None,
    ) -> None:
        self.folder = folder
        self.write_error: str | None = None
        self._news: list[Callable[[], Iterable[tuple[str, bytes]]]] = []
        self._archive = archive
        self._open_folder: LockedFolder | NoFolder | None = None
        self._twins: Twins | None = None
        self._room = None if max_bytes is None else DiskRoom(folder, max_bytes)
        self._lack: str | None = None
        self._batch = Batch()
        self._memory: dict[str, bytes] = {}
        self._urls = urls
        self._texts = TextTables(urls, words, own_tables)
        self._zstd = zstandard.ZstdCompressor(level=1)
        self._seq = self._choices = self._rechecks = 0
        self._newest: dict[int, int] | None = None
        self._in_flight: dict[int, int] = {}
        self._last_try = self._last_commit = time.monotonic()
        self._in_call = False
        """In the middle of a call: what is added so far must not be written."""

    def attach(self, news: Callable[[], Iterable[tuple[str, bytes]]]) -> None:
        """Ask for `news` before every commit: what else must not be forgotten, by name.

        It is no argument of the constructor: the clock of a live web starts from what the log holds.
        """
        self._news.append(news)

    @property
    def trouble(self) -> str | None:
        """Why the driver of the crawl should wait: something is unwritten, or there is no room for more."""
        return self.write_error or self._lack

    @property
    def unwritten(self) -> int:
        """How many visits would be lost if the program was killed now."""
        return self._batch.visits

    @property
    def lag(self) -> float:
        """Seconds since all was written, if something is not."""
        return time.monotonic() - self._last_commit if self.unwritten else 0.0

    def open(self) -> dict[str, Any] | None:
        """Take the folder; the facts about the crawl it holds, or None when it holds none yet."""
        self._open_folder = NoFolder() if self.folder == IN_MEMORY else LockedFolder(self.folder)
        return self._open_folder.facts()

    def begin(self, about: Mapping[str, object]) -> None:
        """Make a new crawl, with what has to be known about the whole of it."""
        if self._open_folder is None and self.open() is not None:
            self.close()
            raise UserError(f"{self.folder} holds a crawl already; name another folder with --out")
        try:
            with self.database.connection as db:
                db.executescript(f"BEGIN; {schema.SCRIPT}")
                rows = facts({**about, schema.ROWS: {schema.ABOUT.name: len(about)}})
                db.executemany(schema.ABOUT.insert, map(schema.ABOUT.with_checksum, rows))
        except sqlite3.Error as error:
            raise UserError(
                f"cannot write a crawl into {self.folder}: {error}; name another folder with --out"
            ) from None
        self._folder.write()
        self._twins = Twins(self.database)

    def go_on(self) -> str | None:
        """Continue the crawl that is there, its tables filled as they were; a sentence if something is missing."""
        check_finished(self.folder, self.database)
        left_behind = self._folder.missing
        self._folder.write()
        db = self.database
        self._texts.go_on(db)
        self._twins = Twins(db)
        calls = [
            row[at]
            for table, at in ((schema.QUESTION, 0), (schema.VISIT, 1), (schema.MESSAGE, 0))
            if (row := db.last(table))
        ]
        self._seq = max(calls, default=0)
        self._choices = row[0] + 1 if (row := db.last(schema.CHOICE)) else 0
        self._rechecks = row[0] if (row := db.last(schema.RECHECK)) else 0
        to = db.facts().get(ARCHIVE_END)
        cut_off = self._archive.cut_back(tuple(to) if to else None) if self._archive is not None else None
        return ". ".join(filter(None, (left_behind, cut_off))) or None

    def about(self, values: Mapping[str, object]) -> None:
        """Write down, with the next batch, facts about the whole crawl; a later word replaces an earlier."""
        self._batch.add(schema.ABOUT, *facts(values))

    def session(self, at: float, settings: Mapping[str, object], wall: float | None = None) -> None:
        """A run begins: what time it is, on the wall and in the crawl, and the settings of this run."""
        row = (time.time() if wall is None else wall, float(at), msgspec.json.encode(settings).decode())
        self._batch.add(schema.SESSION, row)

    def add_known_pages(self, pages: Mapping[str, Sequence[Page]]) -> None:
        """Write down the pages known before the first visit, by kind."""
        rows = [(kind, *pack_page(page, self._zstd)) for kind, some in pages.items() for page in some]
        self._in_call = True
        self._batch.add(schema.START_PAGE, *rows)
        self.about({_START_PAGES: True})
        self._in_call = False
        self.retry()

    def known_pages(self) -> dict[str, tuple[Page, ...]] | None:
        """The pages known before the first visit, by kind; None when they were not all read yet."""
        if _START_PAGES not in self.database.facts():
            return None
        pages: dict[str, tuple[Page, ...]] = {}
        for _, kind, *row in self.database.all(schema.START_PAGE, body=True):
            pages[kind] = (*pages.get(kind, ()), unpack_page(row, self._texts.sizes))
        return pages

    def remember(self, name: str, value: bytes) -> None:
        """Keep something under a name, with the next batch; a later word replaces an earlier."""
        self._memory[name] = value

    def keep_vector(self, key: str, vector: bytes) -> None:
        """Keep what a text means, with the next batch."""
        self._memory[schema.VECTOR + key] = vector

    def vector(self, key: str) -> bytes | None:
        """What was kept of the meaning of a text."""
        if (name := schema.VECTOR + key) in self._memory or self._twins is None:
            return self._memory.get(name)
        row = self.database.one(schema.MEMORY, name)
        return None if row is None else row[1]

    @property
    def next_recheck(self) -> int:
        """The number that the next recheck will have."""
        return self._rechecks + 1

    def memory(self) -> dict[str, bytes]:
        """The news of earlier runs, the last word under each name, vectors of texts left out."""
        rows = self.database.all(schema.MEMORY)
        return {name: value for name, value, _ in rows if not name.startswith(schema.VECTOR)}

    def add_choices(self, room: int, busy: frozenset[int], choices: Sequence[Choice]) -> None:
        self._in_call = True
        seq = self._next()
        hosts = msgspec.json.encode(sorted(busy)).decode() if busy else None
        self._batch.add(schema.QUESTION, (seq, room, hosts))
        for choice in choices:
            link = choice.link
            score, why = float(choice.score), msgspec.json.encode(choice.why).decode() if choice.why else None
            row = (self._choices, seq, link.url, link.source, link.place, score, choice.agent, why)
            self._batch.add(schema.CHOICE, row)
            self._texts.need(link.url)
            self.launch(choice, self._choices)
            self._choices += 1
        self._in_call = False

    def add_visit(self, visit: Visit) -> None:
        self._in_call = True
        page = visit.page
        self._batch.add(
            schema.VISIT,
            (
                visit.step, self._next(), self.land(visit.choice), visit.final, visit.outcome.value, visit.status,
                float(visit.score), int(visit.positive), visit.depth, float(visit.seconds), float(visit.at),
                visit.size, _seconds(visit.modified), visit.etag, int(visit.revisit), _places(visit.records),
            ),
        )  # fmt: skip
        self._texts.need(visit.final)
        if visit.wall is not None:
            self._memory.update([wall_note(visit.step, visit.wall)])
        if page is not None and not visit.revisit:
            self._batch.add(schema.PAGE, (visit.step, *pack_page(page, self._zstd)))
            self._batch.pages.append((visit.step, page))
            self._texts.need_page(page)
        self._in_call = False
        age = time.monotonic() - self._last_try
        if (self.trouble is None and self._batch.visits >= BATCH_VISITS) or age > BATCH_SECONDS:
            self.retry()

    def add_message(self, message: Message) -> None:
        self._batch.add(schema.MESSAGE, (self._next(), msgspec.json.encode(message).decode()))

    def launch(self, choice: Choice, number: int) -> None:
        """A choice is in flight; its number in the log."""
        self._in_flight[id(choice)] = number

    @property
    def in_flight(self) -> list[int]:
        """The choices in flight, by their numbers in the log, in the order in which they were made."""
        return sorted(self._in_flight.values())

    def land(self, choice: Choice) -> int:
        """A choice is in flight no more; its number in the log."""
        return self._in_flight.pop(id(choice))

    def add_recheck(self, step: int, finding: str, response: Response, wall: float | None = None) -> None:
        """A page was asked for again, now or at some time: what was found, and its new form if it has changed."""
        self._in_call = True
        self._rechecks += 1
        self._batch.add(
            schema.RECHECK,
            (
                self._rechecks, step, time.time() if wall is None else wall, str(finding), response.status,
                response.size,
                _seconds(response.modified), response.etag, _places(response.records),
            ),
        )  # fmt: skip
        if response.page is not None:
            self._batch.add(schema.VERSION, (self._rechecks, *pack_page(response.page, self._zstd)))
            self._texts.need_page(response.page)
            if self._newest is not None:
                self._newest[step] = self._rechecks
        self._in_call = False
        if time.monotonic() - self._last_try > BATCH_SECONDS:
            self.retry()

    def thin(self, keep: int) -> Thinned:
        """Take out all but the newest `keep` versions of each page; what was added is written first."""
        self.commit()
        with written_at_once(self.folder, self.database) as db:
            thinned = thin(db, self.folder, keep)
        if self._archive is not None and (to := db.facts().get(ARCHIVE_END)):
            self._archive.cut_back(tuple(to))
        return thinned

    def page(self, url: int) -> Page:
        """The page that was visited at a final URL, as a walker or a person asks for it again."""
        for _, page in self._batch.pages:
            if page.url == url:
                return page
        row = next(self.database.select(schema.PAGE, "WHERE url = ?", (url,), body=True), None)
        if row is None:
            raise self.database.damage(f"the page of URL {url} is missing")
        return unpack_page(row[1:], self._texts.sizes)

    def record(self, after: LogMark | None = None) -> Record:
        """The calls of the log, or those after a mark."""
        return Record(self.database, self._texts.sizes, after)

    def newest_page(self, step: int) -> Page | None:
        """The page of a visit as it was last seen, as far as that is written; None if it has not changed."""
        if self._newest is None:
            self._newest = dict(self.database.run(_NEWEST))
        recheck = self._newest.get(step)
        row = None if recheck is None else self.database.one(schema.VERSION, recheck, body=True)
        return None if row is None else unpack_page(row[1:], self._texts.sizes)

    def retry(self) -> None:
        """Commit, if that can be done now; `trouble` says why not, or why nothing more should be written."""
        try:
            self.commit()
        except (OSError, sqlite3.OperationalError) as error:
            self.write_error = str(error)
            self._in_call = False
        self._last_try = time.monotonic()
        self._lack = self._room.lack() if self._room is not None else None

    def commit(self) -> None:
        """Make everything so far durable. What fails to be written is written with the next batch."""
        if self._twins is None:
            raise RuntimeError("a log is written to only after begin() or go_on()")
        self._in_call = True
        for news in self._news:
            self._memory.update(news())
        place = self._archive.flush() if self._archive is not None else None
        db = self.database
        with db.transaction():
            self._texts.write(db)
            self._batch.write(db, self._twins, self._urls)
            db.insert(schema.MEMORY, self._memory.items())
            if place is not None:
                db.insert(schema.ABOUT, facts({ARCHIVE_END: place}))
        self._batch.clear()
        self._memory.clear()
        self._texts.confirm()
        self._in_call = False
        self.write_error = None
        self._last_try = self._last_commit = time.monotonic()

    def close(self) -> None:
        """Commit, if that can be done, and let go of the folder.

        A call that was interrupted halfway is left out, with all since the last commit, as a kill would. A
        folder in which no crawl was begun is left as it was.
        """
        if self._open_folder is None:
            return
        try:
            if self._twins is not None and not self._in_call:
                self.retry()
                if self._archive is not None and self.write_error is None:
                    self._archive.close()
        finally:
            folder, self._open_folder = self._open_folder, None
            folder.give_back()

    @property
    def database(self) -> Database:
        """The open database."""
        return self._folder.db

    @property
    def in_memory(self) -> Database | None:
        """The database of a crawl that is only in memory; it outlives the log."""
        return self.database if self.folder == IN_MEMORY else None

    @property
    def _folder(self) -> LockedFolder | NoFolder:
        if self._open_folder is None:
            raise RuntimeError("a log is written to only after open() or begin()")
        return self._open_folder

    def _next(self) -> int:
        self._seq += 1
        return self._seq


def _seconds(time: float | None) -> float | None:
    return None if time is None else float(time)


def _places(records: Sequence[int]) -> str | None:
    return msgspec.json.encode(records).decode() if records else None
