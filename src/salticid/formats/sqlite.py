"""SQLite: tables for those who ask in SQL, with all that a crawl keeps packed."""

from __future__ import annotations

import errno
import shutil
import sqlite3
import tempfile
from collections import deque
from collections.abc import Iterable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any, BinaryIO

import msgspec
import numpy as np

from salticid.formats import Export, FileFormat
from salticid.store import HOSTS_OF_VISITS, CrawlFolder, StoredVisit, is_on_topic, time_of
from salticid.store.exports import Anchors, Document, Documents, ExportPage, Pages
from salticid.store.news import Versions
from salticid.urls import host

_NAME = "export.db"
_TABLES = """
CREATE TABLE visits (step INTEGER PRIMARY KEY, url TEXT, final_url TEXT, host TEXT, outcome TEXT, status INTEGER,
    score REAL, current_score REAL, on_topic INTEGER, word TEXT, title TEXT, source_step INTEGER, source TEXT,
    place INTEGER, depth INTEGER, promise REAL, why TEXT, agent INTEGER, revisit INTEGER, duplicate_of TEXT,
    seconds REAL, at REAL, fetched TEXT, last_modified TEXT, size INTEGER);
CREATE TABLE pages (step INTEGER PRIMARY KEY REFERENCES visits, url TEXT, final_url TEXT, host TEXT, title TEXT,
    score REAL, current_score REAL, on_topic INTEGER, word TEXT, fetched TEXT, last_modified TEXT, source_step INTEGER,
    source TEXT, depth INTEGER, duplicate_of TEXT, noindex INTEGER, gone INTEGER, size INTEGER, text TEXT,
    markdown TEXT, language TEXT, anchor TEXT, licence TEXT, noarchive INTEGER, noai INTEGER, tdm_reservation INTEGER);
CREATE TABLE links (step INTEGER REFERENCES pages, place INTEGER, url TEXT, anchor TEXT, nofollow INTEGER,
    PRIMARY KEY (step, place)) WITHOUT ROWID;
CREATE TABLE page_words (step INTEGER REFERENCES pages, word TEXT, count INTEGER,
    PRIMARY KEY (step, word)) WITHOUT ROWID;
CREATE TABLE hosts (host TEXT PRIMARY KEY, visits INTEGER, pages INTEGER, on_topic INTEGER, best_score REAL,
    first_step INTEGER, depth INTEGER, size INTEGER);
"""
_END = f"""
INSERT INTO hosts {HOSTS_OF_VISITS};
CREATE INDEX visits_host ON visits (host);
CREATE INDEX visits_url ON visits (url);
CREATE INDEX links_url ON links (url);
CREATE INDEX page_words_word ON page_words (word);
CREATE VIRTUAL TABLE pages_fts USING fts5 (title, text, content="pages", content_rowid="step");
INSERT INTO pages_fts (pages_fts) VALUES ('rebuild');
"""


class Sqlite(FileFormat):
    """All visits, the pages that are wanted, and the links and words of these."""

    title = "SQLite"
    about = "tables to ask in SQL: visits, pages, links, words"
    suffix = "sqlite"
    is_text = False

    def write(self, export: Export, out: BinaryIO) -> None:
        place = getattr(out, "name", None)
        with tempfile.TemporaryDirectory(dir=Path(place).parent if isinstance(place, str) else None) as folder:
            file = Path(folder) / _NAME
            with closing(sqlite3.connect(file)) as db:
                try:
                    db.execute("PRAGMA journal_mode = OFF")  # it has its name only when it is whole
                    db.executescript(_TABLES)
                    _Writer(export.crawl, export.pages, db).write()
                    db.commit()
                    db.executescript(_END)
                except sqlite3.OperationalError as error:
                    full = error.sqlite_errorcode == sqlite3.SQLITE_FULL
                    raise OSError(errno.ENOSPC if full else errno.EIO, str(error)) from error
            with file.open("rb") as made:
                shutil.copyfileobj(made, out)


class _Writer:
    """Fills the tables. `Documents` lags behind the pages that it asks for: those are in `_waiting`."""

    def __init__(self, crawl: CrawlFolder, pages: Pages, db: sqlite3.Connection) -> None:
        self._crawl, self._pages, self._db = crawl, pages, db
        self._line = crawl.line()
        self._anchors = Anchors(crawl.database)
        self._waiting: deque[ExportPage] = deque()

    def write(self) -> None:
        self._insert("visits", map(self._visit_row, self._crawl.visits()))
        with closing(Documents(self._crawl, self, markdown=True)) as documents:
            for document in documents:
                page = self._waiting.popleft()
                self._insert("pages", [self._page_row(page, document)])
                self._write_parts(page)

    def __iter__(self) -> Iterator[ExportPage]:
        for page in self._pages:
            self._waiting.append(page)
            yield page

    def text(self, page: ExportPage) -> str:
        return self._pages.text(page)

    @property
    def versions(self) -> Versions:
        return self._pages.versions

    def _insert(self, table: str, rows: Iterable[dict[str, Any]]) -> None:
        """Add rows of which the table need not have every value."""
        names = [name for _, name, *_ in self._db.execute(f"PRAGMA table_info({table})")]
        statement = f"INSERT INTO {table} VALUES ({', '.join('?' * len(names))})"
        self._db.executemany(statement, ([row[name] for name in names] for row in rows))

    def _about(self, visit: StoredVisit) -> dict[str, Any]:
        """What both tables tell of a visit."""
        good = visit.outcome == "ok" and not visit.revisit
        return {
            "host": host(visit.final_url),
            "on_topic": good and is_on_topic(visit.current_score, visit.word, self._line),
            **{name: getattr(visit, name) for name in ("step", "source_step", "depth", "size")},
        }

    def _visit_row(self, visit: StoredVisit) -> dict[str, Any]:
        more = {
            "why": msgspec.json.encode(visit.why).decode() if visit.why else None,
            "fetched": _time(visit.fetched),
            "last_modified": _time(visit.modified),
            **{name: getattr(visit, name) for name in ("promise", "place")},
        }
        return visit.listing() | self._about(visit) | more

    def _page_row(self, page: ExportPage, document: Document) -> dict[str, Any]:
        more = {
            "fetched": _time(page.fetched), "last_modified": _time(page.modified),
            "gone": self._pages.is_gone(page), "size": page.size,
        }  # fmt: skip
        return msgspec.structs.asdict(document) | self._about(page.visit) | more

    def _write_parts(self, page: ExportPage) -> None:
        """Its links and its words."""
        step, newest = page.visit.step, self._pages.newest(page)
        urls, nofollow = newest.links.url.tolist(), newest.links.nofollow.tolist()
        anchors = self._anchors.all_on(newest)
        links = [
            (step, place, self._crawl.url(url), anchor, forbidden)
            for place, (url, anchor, forbidden) in enumerate(zip(urls, anchors, nofollow, strict=True))
        ]
        self._db.executemany("INSERT INTO links VALUES (?,?,?,?,?)", links)
        ids, counts = np.unique(newest.tokens, return_counts=True)
        words = zip(self._anchors.spell(ids), counts.tolist(), strict=True)
        self._db.executemany("INSERT INTO page_words VALUES (?,?,?)", [(step, *pair) for pair in words])


def _time(seconds: float | None) -> str | None:
    time = time_of(seconds)
    return None if time is None else time.strftime("%Y-%m-%dT%H:%M:%SZ")
