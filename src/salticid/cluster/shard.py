"""A shard: the ordinary crawl of some hosts, which is told how many pages it may fetch, and posts what others own."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from math import ceil
from typing import Any, Protocol

from salticid.cluster.excerpts import glimpses
from salticid.cluster.leases import Report
from salticid.cluster.owners import Owners, bucket_of, owner_of
from salticid.cluster.portable import Luggage
from salticid.cluster.remembered import posted_after, received
from salticid.drivers.brief import Known
from salticid.drivers.hunt import Hunt, hunting
from salticid.drivers.live_settings import LiveSettings
from salticid.drivers.order import Hunted, Onlooker, Order
from salticid.model import Glimpse, StopReason, Visit

POST_EVERY = 0.1
"""Seconds between two posts to the other shards."""
AT_ONCE = 200
"""Glimpses in one message."""


@dataclass(frozen=True, slots=True)
class Plan:
    """Which part of which crawl a shard is. The folder of the order is its own; its limits are the whole crawl's."""

    order: Order
    settings: LiveSettings
    number: int
    shards: int

    def owns(self, host: str) -> bool:
        """Whether a host is the shard's to ask."""
        return owner_of(bucket_of(host), self.shards) == self.number


@dataclass(frozen=True, slots=True)
class Standing:
    """How a shard stands. `unsent` counts what it has not yet told others, `taken` all it was ever told."""

    report: Report
    pages: int
    fetches: int
    positive: int
    recent: tuple[int, int]
    hosts: int
    waiting: int
    unsent: int
    taken: int
    idle: bool
    until: float | None


class Peer(Protocol):
    """Another shard, wherever it is."""

    def take(self, post: list[Glimpse]) -> Awaitable[None]:
        """Show it glimpses; they are kept for good when this returns."""
        ...

    def received(self, origin: int) -> Awaitable[int]:
        """The last step of a shard of which it has been shown something."""
        ...


class Shard:
    """One shard at work. All is called on one event loop; `peers` are the other shards by number."""

    def __init__(self, plan: Plan, peers: Mapping[int, Peer]) -> None:
        self._plan, self._peers = plan, peers
        self._ready = asyncio.Event()
        self._outbox: dict[int, list[Glimpse]] = {number: [] for number in peers}
        self._last: dict[int, int] = {}
        self._taken = 0
        self._hunt: _PartOfAHunt | None = None
        self._work: asyncio.Task[Hunted] | None = None
        self._posting: asyncio.Task[None] | None = None

    async def begin(self, known: Luggage | None) -> None:
        """Begin, or go on from the log. `known` are the topic's known pages, read by somebody already."""
        if self._work is None:
            make = partial(_PartOfAHunt, shard=self, plan=self._plan, known=known)
            self._work = asyncio.create_task(hunting(self._plan.order, self._plan.settings, Onlooker(), make))
        ready = asyncio.create_task(self._ready.wait())
        await asyncio.wait([ready, self._work], return_when=asyncio.FIRST_COMPLETED)
        ready.cancel()
        if not self._ready.is_set():
            self._work.result()
            raise RuntimeError("the shard ended before it had begun")

    async def standing(self, best: int) -> Standing:
        """How it stands, with the scores of its best waiting links. A shard that is idle gives back what is left."""
        await self._ready.wait()
        hunt = self._at_hunt()
        crawl = hunt.driver.crawl
        waiting, links = crawl.strategy.waiting(best)
        if hunt.idle and crawl.limits.max_pages > crawl.pages:
            self._allow(crawl.pages)
        report = Report(
            crawl.limits.max_pages, crawl.pages + crawl.in_flight, [choice.score for choice in links]
        )
        return Standing(
            report=report,
            pages=crawl.pages,
            fetches=crawl.fetches,
            positive=crawl.positive,
            recent=crawl.recent,
            hosts=hunt.driver.active_hosts,
            waiting=waiting,
            unsent=sum(map(len, self._outbox.values())),
            taken=self._taken,
            idle=hunt.idle,
            until=hunt.driver.waits_until,
        )

    async def allow(self, pages: int) -> None:
        """It may fetch so many pages in all. Saying it twice changes nothing."""
        await self._ready.wait()
        if pages > self._at_hunt().driver.crawl.limits.max_pages:
            self._allow(pages)

    async def take(self, post: list[Glimpse]) -> None:
        """Show the strategy what others saw, each once, and keep it for good."""
        await self._ready.wait()
        hunt = self._at_hunt()
        for glimpse in post:
            if glimpse.step > self._last.get(glimpse.origin, -1):
                hunt.driver.crawl.glimpse(glimpse)
                self._last[glimpse.origin] = glimpse.step
                self._taken += 1
        hunt.log.retry()
        if hunt.log.trouble is not None:
            raise OSError(hunt.log.trouble)
        self._look_again()

    async def received(self, origin: int) -> int:
        """The last step of a shard of which this one was shown something; -1 for none."""
        await self._ready.wait()
        return self._last.get(origin, -1)

    async def finish(self) -> Hunted:
        """End cleanly; what came of it."""
        if self._work is None:
            raise RuntimeError("the shard was never begun")
        if self._hunt is not None:
            self._hunt.end()
        if self._posting is not None:
            self._posting.cancel()
        return await self._work

    def _at_hunt(self) -> _PartOfAHunt:
        if self._hunt is None:
            raise RuntimeError("the shard is not at work")
        return self._hunt

    def at_work(self, hunt: _PartOfAHunt) -> None:
        """All is set up: from here on it can be talked to."""
        self._hunt = hunt
        self._owners = Owners(hunt.web.urls, self._plan.shards)
        self._last = received(hunt.log.database)
        self._taken = len(self._last)
        if hunt.new:
            self._allow(0)
        self._posting = asyncio.create_task(self._post())
        self._ready.set()

    def visited(self, visit: Visit) -> None:
        """Put what others own into the post."""
        for owner, glimpse in glimpses(visit, self._at_hunt().web, self._owners, self._plan.number).items():
            self._outbox[owner].append(glimpse)

    def _allow(self, pages: int) -> None:
        crawl, whole = self._at_hunt().driver.crawl, self._plan.order.recipe.limits
        fetches = whole.max_fetches
        share = None if fetches is None else ceil(fetches * pages / whole.max_pages)
        crawl.extend(replace(crawl.limits, max_pages=pages, max_fetches=share))
        self._look_again()

    def _look_again(self) -> None:
        self._at_hunt().look_again()

    async def _post(self) -> None:
        """Post what others own, in order; only what is kept here, so that it is never said twice in two ways."""
        log, web, number = self._at_hunt().log, self._at_hunt().web, self._plan.number
        for owner, peer in self._peers.items():
            after = await _until_answered(partial(peer.received, number))
            log.retry()
            while log.trouble is not None:
                await asyncio.sleep(POST_EVERY)
                log.retry()
            self._outbox[owner] = list(posted_after(log, after, owner, self._owners, number, web))
        while True:
            await asyncio.sleep(POST_EVERY)
            if not any(self._outbox.values()):
                continue
            counts = {owner: min(len(post), AT_ONCE) for owner, post in self._outbox.items()}
            log.retry()
            if log.trouble is None:
                await asyncio.gather(*(self._send(owner, count) for owner, count in counts.items() if count))

    async def _send(self, owner: int, count: int) -> None:
        with suppress(Exception):  # whatever kept it from arriving: it is sent again
            await self._peers[owner].take(self._outbox[owner][:count])
            del self._outbox[owner][:count]


class _PartOfAHunt(Hunt):
    """A hunt that waits for more whenever it has nothing to do, until it is ended."""

    def __init__(self, *ordered: Any, shard: Shard, plan: Plan, known: Luggage | None) -> None:
        super().__init__(*ordered)
        self.hosts = plan.owns
        self.larger = None
        self.idle = self._ended = False
        self._shard, self._known, self._more = shard, known, asyncio.Event()

    async def read_known(self) -> Known:
        if self._known is None:
            return await super().read_known()
        return self._known.unpacked(self.web.urls, self.web.words)

    async def crawling(self) -> StopReason:
        self._shard.at_work(self)
        while True:
            self._more.clear()
            stopped = await self.driver.run(self._shard.visited)
            if self._ended or stopped in (StopReason.TIME, StopReason.INTERRUPTED):
                return stopped
            self.idle = True
            await self._more.wait()
            self.idle = False

    def look_again(self) -> None:
        """There may be something to do."""
        self.driver.crawl.wake()
        self.driver.nudge()
        self._more.set()

    def end(self) -> None:
        """Do nothing more."""
        self._ended = True
        self.driver.interrupt()
        self._more.set()


async def _until_answered(ask: Callable[[], Awaitable[int]]) -> int:
    while True:
        with suppress(Exception):  # a peer that is being restarted answers later
            return await ask()
        await asyncio.sleep(POST_EVERY)
