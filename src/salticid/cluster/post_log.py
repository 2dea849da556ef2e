"""What a shard's log says about the post: what it was shown, what it has shown, and what it has yet to show."""

from __future__ import annotations

import sqlite3

import msgspec

from salticid.cluster.excerpts import glimpses
from salticid.cluster.owners import Owners
from salticid.model import FROM_OFFER, Choice, Glimpse, Link, Outcome, Visit
from salticid.protocols import Tables
from salticid.store.log import CrawlLog
from salticid.store.schema import PAGE_OF, unpack_page

POSTED = "posted"
"""The fact in a shard's log that says by receiver up to which of its steps all was shown."""


def received(db: sqlite3.Connection) -> dict[int, int]:
    """By shard the last of its steps that this one was shown something of."""
    rows = db.execute(
        "SELECT json_extract(body, '$.origin'), max(json_extract(body, '$.step')) FROM told "
        "WHERE call = 'glimpse' GROUP BY 1"
    )
    return dict(rows.fetchall())


def posted(db: sqlite3.Connection) -> dict[int, int]:
    """By receiver the last step of which, and of all before, everything was shown."""
    row = db.execute("SELECT value FROM about WHERE name = ?", (POSTED,)).fetchone()
    return msgspec.json.decode(row[0], type=dict[int, int]) if row else {}


def was_allowed(db: sqlite3.Connection) -> bool:
    """Whether a shard has ever been told how far it may go."""
    return db.execute("SELECT 1 FROM told WHERE call = 'extend' LIMIT 1").fetchone() is not None


def to_be_posted(
    log: CrawlLog, owner: int, owners: Owners, shard: int, tables: Tables, after: int, most: int
) -> tuple[list[Glimpse], int | None]:
    """The glimpses for another shard of up to `most` visits after a step, as they were or would have been posted.

    With them the step of the last of these visits; None when there are no more.
    """
    rows = log.database.execute(
        "SELECT v.step, c.url, v.final, v.outcome, v.score, v.positive, v.depth "
        "FROM visit v JOIN choice c ON c.id = v.choice WHERE v.step > ? AND NOT v.revisit ORDER BY v.step LIMIT ?",
        (after, most),
    ).fetchall()
    found = []
    for at, url, final, outcome, score, positive, depth in rows:
        page = log.database.execute(PAGE_OF, (at,)).fetchone()
        visit = Visit(
            step=at,
            choice=Choice(Link(url, FROM_OFFER)),
            final=final,
            outcome=Outcome(outcome),
            page=None if page is None else unpack_page(page),
            score=score,
            positive=bool(positive),
            depth=depth,
        )
        if (glimpse := glimpses(visit, tables, owners, shard).get(owner)) is not None:
            found.append(glimpse)
    return found, rows[-1][0] if len(rows) == most else None
