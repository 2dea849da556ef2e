"""A crawl folder made by hand, and its pages as programs read them."""

from __future__ import annotations

import io
import json
import sqlite3
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import msgspec
import zstandard
from tests.support.tampering import seal

from salticid.formats import ExportResult, export
from salticid.messages import Answer, Message, Question, Revision, Round, RoundEnd, Sight
from salticid.model import Glimpse
from salticid.parse.html import Parser
from salticid.store.archive.warc import Archive
from salticid.store.crawl_folder import CrawlFolder
from salticid.store.exports.selection import Criteria
from salticid.store.packing import pack_page, pack_words
from salticid.store.schema import (
    CHOICE,
    DATABASE_FILE,
    MESSAGE,
    PAGE,
    RECHECK,
    SCRIPT,
    SESSION,
    URL,
    VERSION,
    VISIT,
    WORDS,
    SqlTable,
)
from salticid.tables.texts import Texts, Urls

BEGAN = datetime(2026, 3, 1, 12, tzinfo=UTC).timestamp()
NAV = "<nav><ul><li><a href=/>Home of all menus</a></li></ul></nav>"
ESSAY = "Jumping spiders have four pairs of eyes, and the front pair sees almost as sharply as we do."
DEFAULT = Criteria()


def article(title: str, text: str = ESSAY, more: str = "") -> str:
    return f"<title>{title}</title>{NAV}<main><h1>{title}</h1><p>{text}</p>{more}</main>"


class Made:
    """A crawl folder, made by hand: each visit as the test wants it."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        folder.mkdir()
        self.db = sqlite3.connect(folder / DATABASE_FILE)
        self.db.execute("PRAGMA journal_mode = WAL")
        self.db.executescript(SCRIPT)
        self._insert(SESSION, 0, BEGAN, 0.0, "{}")
        self.urls, self.words, self.zstd = Urls(), Texts(), zstandard.ZstdCompressor()
        self.parser, self.archive = Parser(self.urls, self.words), Archive(folder)
        self.steps = self.spelled = self.told = self.heard = 0

    def add(
        self,
        url: str,
        html: str,
        *,
        to: str = "",
        raw: str | None = None,
        found_by: tuple[int, int] = (-1, 0),
        **values: Any,
    ) -> int:
        """A visit of `url`, which leads on `to` another; `raw`: what the WARC has, if it has anything."""
        step = self.steps
        self.steps += 1
        final = to or url
        page = self.parser.parse(html.encode(), final)
        records = []
        if to:
            records.append(self.record(url, "301 Moved", f"Location: {to}", ""))
        if raw is not None:
            records.append(self.record(final, "200 OK", "Content-Type: text/html", raw))
        source, place = found_by
        self._insert(CHOICE, step, 0, self.urls.intern(url), source, place, 0.0, None, None)
        row = {
            "step": step, "seq": step, "choice": step, "final": page.url, "outcome": "ok", "status": 200,
            "score": 0.5, "positive": 1, "depth": 0, "seconds": 0.1, "at": float(step), "size": len(html),
            "modified": None, "etag": None, "revisit": 0, "records": json.dumps(records) if records else None,
            "duplicate_of": None, **values,
        }  # fmt: skip
        self._insert(VISIT, *row.values())
        if row["outcome"] == "ok" and not row["revisit"]:
            self._insert(PAGE, step, *pack_page(page, self.zstd))
        return step

    def record(self, url: str, status: str, field: str, body: str) -> int:
        answer = f"HTTP/1.1 {status}\r\n{field}\r\n\r\n{body}".encode()
        return self.archive.add(url, b"GET / HTTP/1.1\r\n\r\n", answer, None, False)

    def ask_again(self, step: int, found: str, html: str | None = None, raw: str | None = None) -> None:
        wall, modified = BEGAN + 86_400 + self.told, BEGAN + 80_000
        places = [self.record("http://a.example/", "200 OK", "Content-Type: text/html", raw)] if raw else None
        records = places and json.dumps(places)
        self._insert(RECHECK, self.told, step, wall, found, 200, 1, modified, None, records)
        if html is not None:
            page = self.parser.parse(html.encode(), f"http://again.example/{self.told}")
            self._insert(VERSION, self.told, *pack_page(page, self.zstd))
        self.told += 1

    def hear(self, scores: dict[int, float], likings: dict[str, int]) -> None:
        """The judge gives other scores, by step; a person speaks about pages, by URL."""
        self._tell(Revision([*scores.items()], [*likings.items()]))

    def ask(self, *answers: Answer) -> None:
        """Somebody is asked about pages, and answers."""
        self._tell(Question([answer.url for answer in answers]))
        self._tell(Revision([], [], [*answers], changed=1))

    def begin_round(self, number: int) -> None:
        """What is added from here on belongs to a round, a day after the one before."""
        self._tell(Round(number, BEGAN + 86_400 * number, self.steps, self.told))

    def end_round(self, number: int) -> None:
        self._tell(RoundEnd(number, BEGAN + 86_400 * number + 60, "done"))

    def explain(self, step: int, why: list[list[Any]]) -> None:
        """The strategy says why it chose the link of a visit."""
        self.db.execute("UPDATE choice SET why = ? WHERE id = ?", (json.dumps(why), step))

    def show(self, glimpse: Glimpse) -> None:
        """The crawl is shown a page that it did not fetch, or a feed."""
        self._tell(Sight(glimpse))

    def _tell(self, message: Message) -> None:
        self._insert(MESSAGE, 1000 + self.heard, msgspec.json.encode(message).decode())
        self.heard += 1

    def commit(self) -> Path:
        spelled = self.db.execute("SELECT count(*) FROM url").fetchone()[0]
        urls = range(spelled, len(self.urls))
        for row in zip(urls, self.urls.spell(urls), strict=True):
            self._insert(URL, *row)
        words = range(self.spelled, len(self.words))
        if words:
            self._insert(WORDS, self.spelled, *pack_words(words, self.words.spell(words), self.zstd))
        self.spelled = len(self.words)
        self.archive.flush()
        self.db.commit()
        seal(self.db)
        return self.folder

    def _insert(self, table: SqlTable, *row: Any) -> None:
        self.db.execute(table.insert, table.with_checksum(row))


def exported(
    folder: Path,
    form: str = "jsonl",
    wanted: Criteria = DEFAULT,
    progress: Callable[[int, int], None] = lambda _visits, _pages: None,
) -> tuple[bytes, ExportResult]:
    crawl, out = CrawlFolder(folder), io.BytesIO()
    try:
        done = export(crawl, form, wanted, out, progress)
    finally:
        crawl.close()
    return out.getvalue(), done


def documents(folder: Path, wanted: Criteria = DEFAULT) -> list[dict[str, Any]]:
    return [json.loads(line) for line in exported(folder, wanted=wanted)[0].splitlines()]
