"""The pages of a crawl as they were last seen."""

from __future__ import annotations

import sqlite3
from typing import NamedTuple

from salticid.model import Page
from salticid.store.schema import PAGE_COLUMNS, PAGE_OF, unpack_page

_DUE = """
SELECT v.step, v.final FROM visit v JOIN page p ON p.step = v.step
LEFT JOIN (SELECT step, max(id) AS last FROM asked_again GROUP BY step) a ON a.step = v.step
WHERE NOT v.revisit ORDER BY a.last, v.step
"""
_SEEN = """
SELECT modified, etag FROM (
    SELECT 0 AS id, modified, etag FROM visit WHERE step = :step
    UNION ALL SELECT id, modified, etag FROM asked_again WHERE step = :step AND found = 'changed'
) ORDER BY id DESC LIMIT 1
"""
_VERSION = f"""
SELECT {PAGE_COLUMNS} FROM version
WHERE asked_again = (SELECT max(id) FROM asked_again WHERE step = ? AND found = 'changed')
"""


class Seen(NamedTuple):
    """How a page was last seen: when it had been changed, its tag, and itself."""

    modified: float | None
    etag: str | None
    page: Page


def due(db: sqlite3.Connection) -> list[tuple[int, int]]:
    """The good pages, by step and URL: those never asked for again first, then those not asked for longest."""
    return db.execute(_DUE).fetchall()


def newest(db: sqlite3.Connection, step: int) -> Seen:
    """A good page as it was last seen."""
    modified, etag = db.execute(_SEEN, {"step": step}).fetchone()
    row = db.execute(_VERSION, (step,)).fetchone() or db.execute(PAGE_OF, (step,)).fetchone()
    return Seen(modified, etag, unpack_page(row))
