"""Reading a crawl folder back."""

from __future__ import annotations

import hashlib
import sqlite3
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec

from salticid.errors import UserError
from salticid.model import Page
from salticid.store.schema import FILE, FORMAT, unpack_page

_VISITS = """
SELECT v.step, u.text, f.text, v.outcome, v.status, v.score, p.title, s.text, c.agent, v.revisit, v.seconds, v.at,
       c.why, c.score, v.depth, v.positive
FROM visit v JOIN choice c ON c.id = v.choice JOIN url u ON u.id = c.url JOIN url f ON f.id = v.final
LEFT JOIN page p ON p.step = v.step
LEFT JOIN visit sv ON sv.step = c.source LEFT JOIN url s ON s.id = sv.final
ORDER BY v.step
"""


class StoredVisit(msgspec.Struct, frozen=True):
    """A visit as outsiders read it: URLs spelled out, nothing to look up."""

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


class CrawlFolder:
    """A crawl on disk, opened for reading; a crawl still running may be read too."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        file = folder / FILE
        if not file.is_file():
            raise UserError(f"{folder} holds no crawl: there is no {FILE}; name the folder a crawl was told by --out")
        try:
            self._db = sqlite3.connect(f"{file.absolute().as_uri()}?mode=ro", uri=True)
            found = self._db.execute("PRAGMA user_version").fetchone()[0]
        except sqlite3.Error as error:
            raise UserError(f"{file} cannot be read as a crawl: {error}") from None
        if found != FORMAT:
            raise UserError(
                f"{folder} is a crawl of format {found}, this program reads {FORMAT}; crawl into a new folder"
            )

    def about(self) -> dict[str, Any]:
        """The facts written down about the whole crawl."""
        rows = self._db.execute("SELECT name, value FROM about")
        return {name: msgspec.json.decode(value) for name, value in rows}

    def visits(self) -> Iterator[StoredVisit]:
        """All visits in order."""
        for row in self._db.execute(_VISITS):
            step, url, final, outcome, status, score, title, source, agent, revisit, seconds, at, why, *more = row
            promise, depth, positive = more
            yield StoredVisit(
                step=step,
                url=url,
                final_url=final,
                outcome=outcome,
                status=status,
                score=score,
                title=title,
                source=source,
                agent=agent,
                revisit=bool(revisit),
                duplicate_of=None,
                seconds=seconds,
                at=at,
                why=msgspec.json.decode(why) if why else [],
                promise=promise,
                depth=depth,
                positive=bool(positive),
            )

    def digest(self) -> str:
        """One short text for all visits: equal for two crawls exactly when they did the same."""
        digest = hashlib.blake2b(digest_size=16)
        for visit in self.visits():
            digest.update(msgspec.json.encode(visit) + b"\n")
        return digest.hexdigest()

    def pages(self) -> Iterator[Page]:
        """The pages in the order they were visited; ids as in `url` and `word`."""
        columns = "url, title, stream, text, canonical, refresh, noindex, nofollow"
        for row in self._db.execute(f"SELECT {columns} FROM page ORDER BY step"):  # noqa: S608
            yield unpack_page(row)

    def url(self, at: int) -> str:
        """The URL of an id."""
        return self._spell("SELECT text FROM url WHERE id = ?", at)

    def word(self, at: int) -> str:
        """The word of an id."""
        return self._spell("SELECT text FROM word WHERE id = ?", at)

    def close(self) -> None:
        self._db.close()

    def _spell(self, query: str, at: int) -> str:
        text: str = self._db.execute(query, (at,)).fetchone()[0]
        return text
