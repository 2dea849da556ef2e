"""Reading a crawl folder back."""

from __future__ import annotations

import hashlib
import os
import sqlite3
from collections.abc import Iterator
from functools import cached_property
from pathlib import Path
from typing import Any

import msgspec

from salticid.errors import UserError
from salticid.model import Outcome, Page
from salticid.store import write_ahead as ahead
from salticid.store.damage import unpacks
from salticid.store.folder_lock import SHARDS
from salticid.store.schema import FILE, FORMAT, PAGE_OF, unpack_page, unpack_words

_VISITS = """
SELECT v.step, u.text AS url, f.text AS final_url, v.outcome, v.status, v.score, p.title, s.text AS source, c.agent,
       v.revisit, d.text AS duplicate_of, v.seconds, v.at, c.why, c.score AS promise, v.depth, v.positive, v.size,
       v.modified, v.etag, v.records, c.source AS source_step, c.place,
       (SELECT wall - at FROM session WHERE at <= v.at ORDER BY id DESC LIMIT 1) + v.at AS fetched, p.noindex
FROM visit v JOIN choice c ON c.id = v.choice JOIN url u ON u.id = c.url JOIN url f ON f.id = v.final
LEFT JOIN page p ON p.step = v.step
LEFT JOIN visit sv ON sv.step = c.source LEFT JOIN url s ON s.id = sv.final
LEFT JOIN visit dv ON dv.step = v.duplicate_of LEFT JOIN url d ON d.id = dv.final
"""


class StoredVisit(msgspec.Struct, frozen=True):
    """A visit as outsiders read it: URLs spelled out, nothing to look up.

    `fetched` is in seconds since 1970, `records` are places in the crawl's WARC, `source_step` and `place` say
    which link of which visit led here. `duplicate_of` is the URL of an earlier page that is all but the same.
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

    def shown(self) -> dict[str, Any]:
        """What is shown of it in listings."""
        return {name: getattr(self, name) for name in _SHOWN}


_SHOWN = StoredVisit.__struct_fields__[: StoredVisit.__struct_fields__.index("why") + 1]
_GOOD = f"v.outcome = '{Outcome.OK.value}' AND NOT v.revisit"
_DIGESTED = StoredVisit.__struct_fields__[: StoredVisit.__struct_fields__.index("records")]
"""All that a crawl decided or met; what follows says only where it is kept, and when it was."""


class NoCrawlYet(UserError):
    """A folder in which a crawl was about to begin, and did not."""


class CrawlFolder:
    """A crawl on disk, opened for reading; a crawl still running may be read too.

    `missing` is the sentence to tell when its write-ahead log was left behind. A crawl that is only `in_memory` is
    read likewise.
    """

    def __init__(self, folder: Path, in_memory: sqlite3.Connection | None = None) -> None:
        self.folder, self.missing = folder, None
        self._lent = in_memory is not None
        if in_memory is not None:
            self.db = in_memory
            return
        nothing_ahead = ahead.holds_nothing(folder)
        file = folder / FILE
        if not file.is_file() and (folder / SHARDS).is_dir():
            raise UserError(
                f"the shards of the crawl in {folder} are not gathered yet, which is done when it ends: wait for that, "
                f"or give its command again; meanwhile each can be read alone, as in {folder / SHARDS / '000'}"
            )
        if not file.is_file():
            raise UserError(
                f"{folder} holds no crawl: there is no {FILE}; name the folder a crawl was told by --out"
            )
        if file.with_name(f"{FILE}-journal").exists():  # it has one until it has a write-ahead log
            raise _no_crawl_yet(folder)
        try:
            # Where nothing may be written, SQLite cannot share a database that nobody writes to either.
            alone = not os.access(folder, os.W_OK) and not (folder / ahead.AHEAD).exists()
            self.db = sqlite3.connect(f"{file.absolute().as_uri()}?mode=ro{'&immutable=1' * alone}", uri=True)
            found = self.db.execute("PRAGMA user_version").fetchone()[0]
        except sqlite3.Error as error:
            raise UserError(
                f"{file} cannot be read as a crawl: {error}; name the folder a crawl was told by --out"
            ) from None
        if not found:
            raise _no_crawl_yet(folder)
        if found != FORMAT:
            raise UserError(
                f"{folder} is a crawl of format {found}, this program reads {FORMAT}; crawl into a new folder"
            )
        self.missing = ahead.left_behind(folder, self.db) if nothing_ahead else None

    def about(self) -> dict[str, Any]:
        """The facts written down about the whole crawl."""
        rows = self.db.execute("SELECT name, value FROM about")
        return {name: msgspec.json.decode(value) for name, value in rows}

    def visits(self) -> Iterator[StoredVisit]:
        """All visits in order."""
        return map(_visit, self.db.execute(f"{_VISITS} ORDER BY v.step"))

    def visit(self, step: int) -> StoredVisit:
        """The visit of a step."""
        return _visit(self.db.execute(f"{_VISITS} WHERE v.step = ?", (step,)).fetchone())

    def outcomes(self) -> dict[str, int]:
        """How many visits had which outcome; pages shown again to a walker are not counted."""
        rows = self.db.execute(
            "SELECT outcome, count(*) FROM visit WHERE NOT revisit GROUP BY outcome ORDER BY count(*) DESC, outcome"
        )
        return dict(rows.fetchall())

    def best(self, count: int) -> list[StoredVisit]:
        """The good pages the judge liked best, the earliest first among equals."""
        rows = self.db.execute(f"{_VISITS} WHERE {_GOOD} ORDER BY v.score DESC, v.step LIMIT ?", (count,))
        return [_visit(row) for row in rows]

    def positive(self) -> list[bool]:
        """For each good page in order whether the judge called it positive."""
        rows = self.db.execute(f"SELECT v.positive FROM visit v WHERE {_GOOD} ORDER BY v.step")
        return [bool(positive) for (positive,) in rows]

    def digest(self) -> str:
        """One short text for all visits: equal for two crawls exactly when they did the same."""
        digest = hashlib.blake2b(digest_size=16)
        for visit in self.visits():
            told = msgspec.structs.asdict(visit)
            digest.update(msgspec.json.encode({name: told[name] for name in _DIGESTED}) + b"\n")
        return digest.hexdigest()

    def page(self, step: int) -> Page | None:
        """The page of a visit, if it delivered one; ids as in `url` and `words`."""
        row = self.db.execute(PAGE_OF, (step,)).fetchone()
        return unpack_page(row) if row else None

    def __len__(self) -> int:
        """The number of visits."""
        count: int = self.db.execute("SELECT count(*) FROM visit").fetchone()[0]
        return count

    def url(self, at: int) -> str:
        """The URL of an id."""
        text: str = self.db.execute("SELECT text FROM url WHERE id = ?", (at,)).fetchone()[0]
        return text

    @cached_property
    def words(self) -> dict[int, str]:
        """All words of the crawl by id; read once, kept."""
        rows = self.db.execute("SELECT ids, texts FROM words ORDER BY batch")
        return {at: text for ids, texts in rows for at, text in unpack_words(ids, texts)}

    def close(self) -> None:
        if not self._lent:
            self.db.close()


def _no_crawl_yet(folder: Path) -> NoCrawlYet:
    return NoCrawlYet(f"{folder} holds no crawl yet; name the folder a crawl was told by --out")


@unpacks
def _visit(row: tuple[Any, ...]) -> StoredVisit:
    """The row of a visit, its packed columns unpacked."""
    values = dict(zip(StoredVisit.__struct_fields__, row, strict=True))
    values["why"] = msgspec.json.decode(values["why"]) if values["why"] else []
    values["records"] = msgspec.json.decode(values["records"]) if values["records"] else []
    for flag in ("revisit", "positive", "noindex"):
        values[flag] = bool(values[flag])
    return StoredVisit(**values)
