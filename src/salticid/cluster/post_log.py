"""What a shard's log says about the post: what it was shown, what it has shown, and what it has yet to show."""

from __future__ import annotations

from collections.abc import Iterator

from salticid.cluster.excerpts import glimpses
from salticid.cluster.owners import Owners
from salticid.messages import Extension, Sight
from salticid.model import FROM_OFFER, NO_SHARD, Choice, Glimpse, Link, Outcome, Visit
from salticid.protocols import Tables
from salticid.store.database import Database
from salticid.store.log import CrawlLog
from salticid.store.packing import unpack_page
from salticid.store.record import all_messages, arrivals

POST = "posted"
"""The fact in a shard's log that says by receiver up to which of its steps all was shown."""


def last_sights(db: Database) -> dict[int, int]:
    """By shard the last of its steps that this one was shown something of."""
    last: dict[int, int] = {}
    for glimpse in glimpses_in(db):
        if glimpse.origin == NO_SHARD:
            continue
        last[glimpse.origin] = max(glimpse.step, last.get(glimpse.origin, -1))
    return last


def glimpses_in(db: Database) -> Iterator[Glimpse]:
    """All that a shard was ever shown, feeds included, in order."""
    return (message.glimpse for _, message in all_messages(db) if isinstance(message, Sight))


def last_posts(db: Database) -> dict[int, int]:
    """By receiver the last step of which, and of all before, everything was shown."""
    return {int(receiver): step for receiver, step in db.facts().get(POST, {}).items()}


def has_budget(db: Database) -> bool:
    """Whether a shard was ever given a budget."""
    return any(isinstance(message, Extension) for _, message in all_messages(db))


def next_post(
    log: CrawlLog, owner: int, owners: Owners, shard: int, tables: Tables, after: int, most: int
) -> tuple[list[Glimpse], int | None]:
    """The glimpses for another shard of up to `most` visits after a step, as they were or would have been posted.

    With them the step of the last of these visits; None when there are no more.
    """
    post, last, count = [], None, 0
    for arrival in arrivals(log.database, after, most, body=True):
        visit, last, count = arrival.visit, arrival.visit.step, count + 1
        if visit.revisit:
            continue
        visit_again = Visit(
            step=visit.step,
            choice=Choice(Link(arrival.choice.url, FROM_OFFER)),
            final=visit.final,
            outcome=Outcome(visit.outcome),
            page=None if arrival.page is None else unpack_page(arrival.page[1:]),
            score=visit.score,
            positive=bool(visit.positive),
            depth=visit.depth,
        )
        if (glimpse := glimpses(visit_again, tables, owners, shard).get(owner)) is not None:
            post.append(glimpse)
    return post, last if count == most else None
