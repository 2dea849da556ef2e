"""What a shard's log says about the post: what it was shown, and what it has yet to show."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator

from salticid.cluster.excerpts import glimpses
from salticid.cluster.owners import Owners
from salticid.model import FROM_OFFER, Choice, Glimpse, Link, Outcome, Visit
from salticid.protocols import Tables
from salticid.store.log import CrawlLog
from salticid.store.schema import PAGE_OF, unpack_page


def received(db: sqlite3.Connection) -> dict[int, int]:
    """By shard the last of its steps that this one was shown something of."""
    rows = db.execute(
        "SELECT json_extract(body, '$.origin'), max(json_extract(body, '$.step')) FROM told "
        "WHERE call = 'glimpse' GROUP BY 1"
    )
    return dict(rows.fetchall())


def posted_after(
    log: CrawlLog, step: int, owner: int, owners: Owners, shard: int, tables: Tables
) -> Iterator[Glimpse]:
    """The glimpses for another shard of all visits after a step, in order, as they were or would have been posted."""
    rows = log.database.execute(
        "SELECT v.step, c.url, v.final, v.outcome, v.score, v.positive, v.depth "
        "FROM visit v JOIN choice c ON c.id = v.choice WHERE v.step > ? AND NOT v.revisit ORDER BY v.step",
        (step,),
    )
    for at, url, final, outcome, score, positive, depth in rows.fetchall():
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
            yield glimpse
