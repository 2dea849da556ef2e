"""The durable log of a crawl: SQLite, appended in batches."""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any, Protocol

import msgspec
import zstandard

from salticid.errors import UserError
from salticid.model import NO_URL, Choice, Event, Feedback, Glimpse, Limits, Links, Page, Response, Visit
from salticid.protocols import Table, UrlTable
from salticid.store.disk_room import Room
from salticid.store.folder_lock import IN_MEMORY, NoFolder, TakenFolder
from salticid.store.schema import (
    FORMAT,
    PAGE_AT,
    PAGE_COLUMNS,
    TABLES,
    pack_page,
    pack_words,
    unpack_page,
    unpack_words,
)
from salticid.store.table_writing import Everything, Needed, Spelling, refill
from salticid.store.twins import Twins

BATCH_VISITS = 200
BATCH_SECONDS = 1.0
_AT_ONCE = 50_000

_INSERT = {
    "about": "INSERT OR REPLACE INTO about VALUES (?,?)",
    "session": "INSERT INTO session (wall, at, settings) VALUES (?,?,?)",
    "choose": "INSERT INTO choose VALUES (?,?,?)",
    "choice": "INSERT INTO choice VALUES (?,?,?,?,?,?,?,?)",
    "visit": "INSERT INTO visit VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)",
    "page": "INSERT INTO page VALUES (?,?,?,?,?,?,?,?,?)",
    "told": "INSERT INTO told VALUES (?,?,?)",
    "known": f"INSERT INTO known (kind, {PAGE_COLUMNS}) VALUES (?,?,?,?,?,?,?,?,?)",
    "asked_again": "INSERT INTO asked_again VALUES (?,?,?,?,?,?,?,?,?)",
    "version": "INSERT INTO version VALUES (?,?,?,?,?,?,?,?,?)",
}


class Flushed(Protocol):
    """Raw exchanges that go to disk before the visits that speak of them."""

    def flush(self) -> tuple[int, int] | None: ...

    def cut_back(self, to: tuple[int, int] | None) -> str | None: ...

    def close(self) -> None: ...


class CrawlLog:
    """Writes the calls of a crawl into a folder, or into memory; a batch is lost or kept as a whole.

    `open` comes first and takes the folder; then `begin` makes a new crawl, or `go_on` continues the one that
    is there. A batch is committed after 200 visits or one second, whichever comes first, and by `close`.

    A batch that cannot be written, because the disk is full, is kept: `trouble` then says why, and `retry`
    tries again. Whoever drives the crawl should wait with more visits until there is no trouble. Once the folder
    takes `max_bytes`, each batch that is written is followed by such trouble, until there is room again.

    With `own_tables` the two tables belong to this crawl and are written whole; else only what it met of them.
    """

    def __init__(
        self,
        folder: Path,
        urls: UrlTable,
        words: Table,
        *,
        own_tables: bool = False,
        archive: Flushed | None = None,
        max_bytes: int | None = None,
    ) -> None:
        self.folder = folder
        self.trouble: str | None = None
        self.keep: Callable[[], Iterable[tuple[str, bytes]]] = tuple
        """What else must not be forgotten, by name: asked for its news before every commit."""
        self._urls, self._words, self._own_tables, self._archive = urls, words, own_tables, archive
        self._taken: TakenFolder | NoFolder | None = None
        self._room = None if max_bytes is None else Room(folder, max_bytes)
        self._waits_for_room = False
        self._rows: dict[str, list[tuple[Any, ...]]] = {table: [] for table in _INSERT}
        self._pages: list[tuple[int, Page]] = []
        self._kept: dict[str, bytes] = {}
        self._spelled: dict[str, Spelling] = {}
        self._new: dict[str, list[int]] = {}
        self._zstd = zstandard.ZstdCompressor(level=1)
        self._seq = self._choices = self._again = 0
        self._in_flight: dict[int, int] = {}
        self._tried = time.monotonic()
        self._half_told = False
        """Between two halves of a call: what is told so far must not be written."""

    def open(self) -> dict[str, Any] | None:
        """Take the folder; the facts about the crawl it holds, or None when it holds none yet."""
        self._taken = NoFolder() if self.folder == IN_MEMORY else TakenFolder(self.folder)
        return self._taken.facts()

    def begin(self, facts: Mapping[str, object]) -> None:
        """Make a new crawl, with what has to be known about the whole of it."""
        if self._taken is None and self.open() is not None:
            self.close()
            raise UserError(f"{self.folder} holds a crawl already; name another folder with --out")
        try:
            with self.database as db:
                db.executescript(f"BEGIN; {TABLES} PRAGMA user_version = {FORMAT};")
                db.executemany("INSERT INTO about VALUES (?,?)", _facts(facts))
        except sqlite3.Error as error:
            raise UserError(
                f"cannot write a crawl into {self.folder}: {error}; name another folder with --out"
            ) from None
        self._folder.write()
        self._twins = Twins(self.database)
        self._spelled = {"url": self._spelling(self._urls), "word": self._spelling(self._words)}

    def go_on(self) -> str | None:
        """Continue the crawl that is there, its tables filled as they were; a sentence if something is missing."""
        left_behind, db = self._folder.missing, self.database
        self._folder.write()
        if self._own_tables:
            self._fill_tables()
            urls: Sequence[int] = range(len(self._urls))
            words: Sequence[int] = range(len(self._words))
        else:
            urls = [at for (at,) in db.execute("SELECT id FROM url")]
            words = [at for row in self._words_rows() for at, _ in unpack_words(*row)]
        self._twins = Twins(db)
        self._seq = db.execute(
            "SELECT max((SELECT ifnull(max(seq), 0) FROM choose), (SELECT ifnull(max(seq), 0) FROM visit), "
            "(SELECT ifnull(max(seq), 0) FROM told))"
        ).fetchone()[0]
        self._choices = db.execute("SELECT ifnull(max(id) + 1, 0) FROM choice").fetchone()[0]
        self._again = db.execute("SELECT ifnull(max(id), 0) FROM asked_again").fetchone()[0]
        self._spelled = {"url": self._spelling(self._urls, urls), "word": self._spelling(self._words, words)}
        place = db.execute("SELECT value FROM about WHERE name = 'warc'").fetchone()
        to = tuple(msgspec.json.decode(place[0])) if place else None
        cut_off = self._archive.cut_back(to) if self._archive is not None else None
        return ". ".join(filter(None, (left_behind, cut_off))) or None

    def about(self, facts: Mapping[str, object]) -> None:
        """Write down, with the next batch, facts about the whole crawl; a later word replaces an earlier."""
        self._rows["about"] += _facts(facts)

    def session(self, at: float, settings: Mapping[str, object]) -> None:
        """A run begins: what time it is, on the wall and in the crawl, and the settings of this run."""
        self._rows["session"].append((time.time(), at, msgspec.json.encode(settings).decode()))

    def know(self, pages: Mapping[str, Sequence[Page]]) -> None:
        """Write down the pages known before the first visit, by kind."""
        rows = [(kind, *pack_page(page, self._zstd)) for kind, known in pages.items() for page in known]
        self._half_told = True
        self._rows["known"] += rows
        self.about({"known": True})
        self._half_told = False
        self.retry()

    def known(self) -> dict[str, tuple[Page, ...]] | None:
        """The pages known before the first visit, by kind; None when they were not all read yet."""
        if not self.database.execute("SELECT 1 FROM about WHERE name = 'known'").fetchone():
            return None
        found: dict[str, tuple[Page, ...]] = {}
        for kind, *row in self.database.execute(f"SELECT kind, {PAGE_COLUMNS} FROM known ORDER BY place"):
            found[kind] = (*found.get(kind, ()), unpack_page(tuple(row)))
        return found

    def kept(self) -> dict[str, bytes]:
        """What `keep` gave in earlier runs, the last word under each name."""
        return dict(self.database.execute("SELECT name, value FROM kept"))

    def chose(self, room: int, busy: frozenset[int], choices: Sequence[Choice]) -> None:
        self._half_told = True
        seq = self._next()
        hosts = msgspec.json.encode(sorted(busy)).decode() if busy else None
        self._rows["choose"].append((seq, room, hosts))
        for choice in choices:
            link = choice.link
            why = msgspec.json.encode(choice.why).decode() if choice.why else None
            row = (self._choices, seq, link.url, link.source, link.place, choice.score, choice.agent, why)
            self._rows["choice"].append(row)
            self._spelled["url"].need(link.url)
            self.sent(choice, self._choices)
            self._choices += 1
        self._half_told = False

    def visited(self, visit: Visit) -> None:
        self._half_told = True
        page = visit.page
        records = msgspec.json.encode(visit.records).decode() if visit.records else None
        self._rows["visit"].append(
            (
                visit.step, self._next(), self.returned(visit.choice), visit.final, visit.outcome.value, visit.status,
                visit.score, visit.positive, visit.depth, visit.seconds, visit.at, visit.size, visit.modified,
                visit.etag, visit.revisit, records, None,
            )
        )  # fmt: skip
        self._spelled["url"].need(visit.final)
        if page is not None and not visit.revisit:
            self._rows["page"].append((visit.step, *pack_page(page, self._zstd)))
            self._pages.append((visit.step, page))
            self._need(page)
        self._half_told = False
        waited = time.monotonic() - self._tried
        if (self.trouble is None and len(self._rows["visit"]) >= BATCH_VISITS) or waited > BATCH_SECONDS:
            self._write_batch()

    def revised(self, scores: Sequence[tuple[int, float]], feedback: Sequence[Feedback]) -> None:
        liked = [(self._urls[word.url], word.liking) for word in feedback]
        self._told("revise", {"scores": list(scores), "feedback": liked})

    def offered(self, links: Links, depth: int) -> None:
        self._told("offer", {"urls": self._urls.spell(links.url.tolist()), "depth": depth})

    def offered_again(self, links: Links) -> None:
        self._told("offer again", self._urls.spell(links.url.tolist()))

    def glimpsed(self, glimpse: Glimpse) -> None:
        self._told("glimpse", asdict(glimpse))

    def extended(self, limits: Limits) -> None:
        self._told("extend", asdict(limits))

    def noted(self, events: Sequence[Event]) -> None:
        self._told("events", [[event.name, dict(event.values)] for event in events])

    def sent(self, choice: Choice, number: int) -> None:
        """A choice is in flight; its number in the log."""
        self._in_flight[id(choice)] = number

    def returned(self, choice: Choice) -> int:
        """A choice is in flight no more; its number in the log."""
        return self._in_flight.pop(id(choice))

    def asked_again(self, step: int, found: str, response: Response) -> None:
        """A page was asked for again: what was found, and its new form if it has changed."""
        self._half_told = True
        records = msgspec.json.encode(response.records).decode() if response.records else None
        self._again += 1
        self._rows["asked_again"].append(
            (
                self._again, step, time.time(), found, response.status, response.size, response.modified,
                response.etag, records,
            )
        )  # fmt: skip
        if response.page is not None:
            self._rows["version"].append((self._again, *pack_page(response.page, self._zstd)))
            self._need(response.page)
        self._half_told = False
        if time.monotonic() - self._tried > BATCH_SECONDS:
            self._write_batch()

    def page(self, url: int) -> Page:
        """The page that was visited at a final URL, as a walker or a person asks for it again."""
        for _, page in self._pages:
            if page.url == url:
                return page
        return unpack_page(self.database.execute(PAGE_AT, (url,)).fetchone())

    def retry(self) -> None:
        """Commit, if that can be done now; `trouble` says why not, or why nothing more should be written."""
        try:
            self.commit()
        except (OSError, sqlite3.OperationalError) as error:
            self.trouble = str(error)
            self._half_told = False
        self._tried = time.monotonic()
        if self._waits_for_room:
            self._look_for_room()

    def commit(self) -> None:
        """Make everything so far durable. What fails to be written is written with the next batch."""
        self._half_told = True
        self._kept.update(self.keep())
        place = self._archive.flush() if self._archive is not None else None
        with self.database as db:
            self._spell_out(db)
            twins = dict(zip((step for step, _ in self._pages), self._twins.find(self._pages), strict=True))
            visits = [(*row[:-1], twins.get(row[0])) for row in self._rows["visit"]]
            for name, rows in {**self._rows, "visit": visits}.items():
                db.executemany(_INSERT[name], rows)
            db.executemany("INSERT OR REPLACE INTO kept VALUES (?,?)", self._kept.items())
            if place is not None:
                db.executemany(_INSERT["about"], _facts({"warc": place}))
        for rows in self._rows.values():
            rows.clear()
        self._pages.clear()
        self._kept.clear()
        self._spelled_out()
        self._half_told = False
        self.trouble = None
        self._tried = time.monotonic()

    def close(self) -> None:
        """Commit, if that can be done, and let go of the folder.

        A call that was interrupted half told is left out, with all since the last commit, as a kill would. A
        folder in which no crawl was begun is left as it was.
        """
        if self._taken is None:
            return
        try:
            if self._spelled and not self._half_told:
                self._waits_for_room = False
                self.retry()
                if self._archive is not None and self.trouble is None:
                    self._archive.close()
        finally:
            taken, self._taken = self._taken, None
            taken.give_back()

    @property
    def database(self) -> sqlite3.Connection:
        """The open database."""
        return self._folder.db

    @property
    def in_memory(self) -> sqlite3.Connection | None:
        """The database of a crawl that is only in memory; it outlives the log."""
        return self.database if self.folder == IN_MEMORY else None

    @property
    def _folder(self) -> TakenFolder | NoFolder:
        if self._taken is None:
            raise RuntimeError("a log is written to only after open() or begin()")
        return self._taken

    def _write_batch(self) -> None:
        self.retry()
        self._look_for_room()

    def _look_for_room(self) -> None:
        """Ask those who drive the crawl to wait, if it takes as much room as it may."""
        lack = self._room.lack() if self._room is not None else None
        self._waits_for_room = lack is not None
        self.trouble = self.trouble or lack

    def _need(self, page: Page) -> None:
        """The log uses the words and URLs of a page."""
        self._spelled["word"].need_all(page.tokens)
        self._spelled["url"].need_all(page.links.url)
        for url in (page.url, page.canonical, page.refresh):
            if url != NO_URL:
                self._spelled["url"].need(url)

    def _spell_out(self, db: sqlite3.Connection) -> None:
        """Write the texts that what is written now needs."""
        self._new = {name: spelled.missing() for name, spelled in self._spelled.items()}
        urls, words = self._new["url"], self._new["word"]
        db.executemany("INSERT INTO url VALUES (?,?)", zip(urls, self._urls.spell(urls), strict=True))
        if words:
            row = pack_words(words, self._words.spell(words), self._zstd)
            db.execute("INSERT INTO words (ids, texts) VALUES (?,?)", row)

    def _spelled_out(self) -> None:
        """They are written for good."""
        for name, ids in self._new.items():
            self._spelled[name].wrote(ids)

    def _spelling(self, table: Table, written: Sequence[int] = ()) -> Spelling:
        return Everything(table, len(written)) if self._own_tables else Needed(written)

    def _fill_tables(self) -> None:
        """Give every URL and word of the log the id it had."""
        rows = self.database.execute("SELECT CAST(text AS BLOB) FROM url ORDER BY id")
        while batch := rows.fetchmany(_AT_ONCE):
            refill(self._urls, [text for (text,) in batch])
        for row in self._words_rows():
            refill(self._words, [text.encode() for _, text in unpack_words(*row)])

    def _words_rows(self) -> Iterable[tuple[bytes, bytes]]:
        return self.database.execute("SELECT ids, texts FROM words ORDER BY batch")

    def _told(self, call: str, body: object) -> None:
        self._rows["told"].append((self._next(), call, msgspec.json.encode(body).decode()))

    def _next(self) -> int:
        self._seq += 1
        return self._seq


def _facts(facts: Mapping[str, object]) -> list[tuple[str, str]]:
    return [(name, msgspec.json.encode(value).decode()) for name, value in facts.items()]
