"""What shards send each other: excerpts of pages, the outbox, and the owner of each host."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

import numpy as np

from salticid.messages import Extension, Sight
from salticid.model import FROM_OFFER, NO_SHARD, NO_URL, Choice, Glimpse, Ints, Link, Outcome, Page, Visit
from salticid.protocols import Table, Tables, UrlTable
from salticid.runs import ByHost, KnownPages
from salticid.store import CrawlLog, Database, all_messages, arrivals, unpack_page
from salticid.tables import Translation, excerpt

# Which shard owns which host.

BUCKETS = 1024
"""Hosts fall into so many buckets, whatever the number of shards."""


def bucket_of(host: str) -> int:
    """The bucket of a host, port included: the same on every machine.

    >>> bucket_of("example.org"), bucket_of("example.org:8080")
    (548, 469)
    """
    return int.from_bytes(hashlib.blake2b(host.encode(), digest_size=8).digest(), "little") % BUCKETS


def owner_of(bucket: int, shards: int) -> int:
    """The shard that owns a bucket; each shard owns neighbouring ones, as many as the others or one more."""
    return bucket * shards // BUCKETS


class Owners(ByHost[int]):
    """The owners of the URLs of a table."""

    def __init__(self, urls: UrlTable, shards: int) -> None:
        super().__init__(urls, lambda host: owner_of(bucket_of(host), shards))

    def of_all(self, urls: Ints) -> list[int]:
        return [self.of(url) for url in urls.tolist()]


# What other shards are shown of a page: the words around the links that are theirs.


def glimpses(visit: Visit, tables: Tables, owners: Owners, shard: int) -> dict[int, Glimpse]:
    """A glimpse of a visit of `shard` for each other shard that owns a URL the page links to.

    One that was led to a host of another shard, and not further, is a bare link for that shard.
    """
    page = visit.page
    if page is None:
        other = owners.of(visit.final)
        return {} if other == shard else {other: _link_alone(visit, tables, shard)}
    if page.nofollow:
        return {}
    theirs: dict[int, list[int]] = {}
    for place, owner in enumerate(owners.of_all(page.links.url)):
        if owner != shard and not page.links.nofollow[place]:
            theirs.setdefault(owner, []).append(place)
    return {owner: _excerpt(visit, page, places, tables, shard) for owner, places in theirs.items()}


def _excerpt(visit: Visit, page: Page, places: list[int], tables: Tables, shard: int) -> Glimpse:
    return excerpt(
        page, places, tables, origin=shard, step=visit.step, score=visit.score, positive=visit.positive,
        depth=visit.depth,
    )  # fmt: skip


def _link_alone(visit: Visit, tables: Tables, shard: int) -> Glimpse:
    url = tables.urls[visit.url]
    link = (tables.urls[visit.final], 0, 0)
    return Glimpse(shard, visit.step, url, "", (), (link,), visit.score, visit.positive, visit.depth)


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


# What a shard has yet to show another one.

ROOM = 1000
"""Glimpses that wait in memory for one receiver. The others wait in the log, which holds all of them anyway."""
A_LOOK = 200
"""Visits of the log that are looked through at once."""

Look = Callable[[int, int], tuple[list[Glimpse], int | None]]
"""Given a step and a number of visits: what there is to show of so many visits after that step, and the last of
them; None in its place when there are no more."""


@dataclass(slots=True)
class Outbox:
    """Glimpses for one receiver, in the order of their steps.

    It `has_begun` when it is known what the receiver has; it begins with what the log holds after that. What
    finds no room is left to the log and read from it later.
    """

    has_begun: bool = False
    _step: int = -1
    _waiting: list[Glimpse] = field(default_factory=list)
    _behind: bool = True

    def begin(self, after: int) -> None:
        """All up to this step was shown."""
        self.has_begun, self._step = True, after

    def __len__(self) -> int:
        """How much waits, as far as it is known; 0 exactly when nothing does."""
        return len(self._waiting) + self._behind

    def add(self, glimpse: Glimpse) -> None:
        """There is something to show of the visit just made."""
        if self._behind:
            return
        if len(self._waiting) < ROOM:
            self._waiting.append(glimpse)
        else:
            self._step, self._behind = glimpse.step - 1, True

    def read_on(self, look: Look) -> None:
        """Look at the log, if that is where more waits. It must hold every visit made."""
        if self._behind and not self._waiting:
            self._waiting, until = look(self._step, A_LOOK)
            self._behind = until is not None
            self._step = self._step if until is None else until

    def first(self, count: int) -> list[Glimpse]:
        """What is to be shown next."""
        return self._waiting[:count]

    def remove(self, count: int) -> None:
        """The receiver keeps so many of the first: forget them."""
        del self._waiting[:count]

    def last_done(self, steps: int) -> int:
        """The last step of which nothing is to be shown any more, of so many that were made."""
        if self._waiting:
            return self._waiting[0].step - 1
        return self._step if self._behind else steps - 1


# Known pages on their way to another machine: with the texts of their ids.


@dataclass(frozen=True)
class Luggage:
    """The known pages of a topic, and what their ids stand for."""

    known_pages: KnownPages
    urls: dict[int, str]
    words: dict[int, str]

    def unpack(self, urls: UrlTable, words: Table) -> KnownPages:
        """The same pages under the ids of these tables."""
        into = Translation(self.urls.__getitem__, self.words.__getitem__)
        examples, negatives = (
            tuple(into.page(page, urls, words) for page in pages)
            for pages in (self.known_pages.examples, self.known_pages.negatives)
        )
        return KnownPages(examples, negatives)


def pack(known_pages: KnownPages, tables: Tables) -> Luggage:
    """Known pages, ready to travel."""
    pages = [*known_pages.examples, *known_pages.negatives]
    urls = sorted({url for page in pages for url in _urls(page)})
    words = np.unique(np.concatenate([np.zeros(0, np.int32), *(page.tokens for page in pages)])).tolist()
    return Luggage(
        known_pages,
        dict(zip(urls, tables.urls.spell(urls), strict=True)),
        dict(zip(words, tables.words.spell(words), strict=True)),
    )


def _urls(page: Page) -> list[int]:
    return [
        *(url for url in (page.url, page.canonical, page.refresh) if url != NO_URL),
        *page.links.url.tolist(),
    ]
