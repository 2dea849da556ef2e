"""A shard: the ordinary crawl of some hosts, with a budget from the coordinator; it posts what others own."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from heapq import merge
from itertools import islice
from math import ceil
from typing import Protocol

from salticid.cluster.post import (
    POST,
    Luggage,
    Outbox,
    Owners,
    bucket_of,
    glimpses,
    has_budget,
    last_posts,
    last_sights,
    next_post,
    owner_of,
)
from salticid.errors import SalticidError
from salticid.model import Glimpse, Visit
from salticid.runs import LiveRun, Onlooker, Order, Part, Result, Run, run_async
from salticid.topic import Limits

# How a budget is dealt out to shards, so that together they behave like one crawl.


@dataclass(frozen=True, slots=True)
class ShardReport:
    """How a shard stands: pages it may fetch in all, pages it has, and the scores of its best waiting links.

    `fetches` are the attempts it may make in all.
    """

    allowed: int
    pages: int
    best: Sequence[float]
    fetches: int = 0


A_ROUND = 16
"""Pages a shard is allowed in one round at the most, in the mean."""
ASKED_FOR = 4 * A_ROUND
"""Scores a shard reports at the most: no shard is allowed more pages ahead of what it has."""
_AT_LEAST = 4
"""Pages dealt out at once, however young the crawl."""


def batch(pages: int, shards: int) -> int:
    """How many pages to deal out at once: a sixteenth of those there are, so that a young crawl learns as it goes.

    >>> [batch(pages, shards=4) for pages in (0, 200, 5000)]
    [4, 12, 64]
    """
    return min(A_ROUND * shards, max(_AT_LEAST, pages // 16))


def leases(reports: Mapping[int, ShardReport], budget: int, most: int) -> dict[int, int]:
    """How many pages more each shard may fetch: of the next `most`, as many as are among its best.

    What a crawl with one frontier would fetch next are the best of all waiting links; each shard is allowed as
    many as it has of these. Links it is allowed already, its best ones, are not counted again. Of equals the
    lower shard's come first. The sum of what is allowed never exceeds the budget.

    >>> leases({0: ShardReport(5, 5, [0.9, 0.2]), 1: ShardReport(6, 5, [0.8, 0.7, 0.6])}, budget=100, most=3)
    {0: 1, 1: 2}
    """
    pages_left = budget - sum(report.allowed for report in reports.values())
    waiting = (
        [(-score, shard) for score in sorted(report.best, reverse=True)[report.allowed - report.pages :][:most]]
        for shard, report in sorted(reports.items())
    )
    shares: dict[int, int] = {}
    for _, shard in islice(merge(*waiting), max(0, min(most, pages_left))):
        shares[shard] = shares.get(shard, 0) + 1
    return dict(sorted(shares.items()))


def allowances(
    reports: Mapping[int, ShardReport], shares: Mapping[int, int], limits: Limits
) -> dict[int, tuple[int, int]]:
    """The pages and the attempts that each shard with a lease is allowed in all.

    What is left of the attempts goes with what is left of the pages, at least one with each lease. Their sum never
    exceeds the limit; who would get none gets no pages either.

    >>> reports = {0: ShardReport(5, 5, [0.9], fetches=20), 1: ShardReport(6, 6, [0.8, 0.7], fetches=30)}
    >>> allowances(reports, {0: 1, 1: 2}, Limits(max_pages=14, max_fetches=65))
    {0: (6, 25), 1: (8, 40)}
    """
    pages = limits.max_pages - sum(report.allowed for report in reports.values())
    fetches = limits.fetches - sum(report.fetches for report in reports.values())
    budgets = {}
    for shard, more in shares.items():
        attempts = max(0, ceil(fetches * more / pages))
        if attempts:
            budgets[shard] = reports[shard].allowed + more, reports[shard].fetches + attempts
        pages, fetches = pages - more, fetches - attempts
    return budgets


POST_EVERY, A_PEER = 0.1, 0.01
"""Seconds between two posts to the other shards: at least the one, and so many for each of them."""
AT_ONCE = 200
"""Glimpses in one message."""


@dataclass(frozen=True, slots=True)
class Plan:
    """Which part of which crawl a shard is. The folder of the order is its own.

    `whole` are the limits of the whole crawl. Those of the order are the same without what the shard cannot tell
    by itself: how late it is, and how well all of them do.
    """

    order: Order
    number: int
    shards: int
    whole: Limits

    def owns(self, host: str) -> bool:
        """Whether a host is the shard's to ask."""
        return owner_of(bucket_of(host), self.shards) == self.number


@dataclass(frozen=True, slots=True)
class ShardState:
    """How a shard stands. `unsent` counts the glimpses it has not yet posted, `sights` those it was ever shown."""

    report: ShardReport
    pages: int
    fetches: int
    positive: int
    recent: tuple[int, int]
    hosts: int
    waiting: int
    unsent: int
    sights: int
    idle: bool
    until: float | None
    seconds: float


class Peer(Protocol):
    """Another shard, wherever it is."""

    def take(self, post: list[Glimpse]) -> Awaitable[None]:
        """Show it glimpses; they are kept for good when this returns."""
        ...

    def last_sight(self, origin: int) -> Awaitable[int]:
        """The last step of a shard of which it has been shown something."""
        ...


class Shard(Onlooker):
    """One shard at work. All is called on one event loop; `peers` are the other shards by number.

    It waits for more whenever it has nothing to do, until it is ended. Once something in it has failed, every call
    says so.
    """

    def __init__(self, plan: Plan, peers: Mapping[int, Peer]) -> None:
        self._plan, self._peers = plan, peers
        self._ready = asyncio.Event()
        self._wake = asyncio.Event()
        self._waits = self._is_over = False
        self._outbox = {number: Outbox() for number in peers}
        self._last: dict[int, int] = {}
        self._sights = 0
        self._run: LiveRun | None = None
        self._work: asyncio.Task[Result] | None = None
        self._posting: asyncio.Task[None] | None = None
        self._failure: Exception | None = None

    async def begin(self, luggage: Luggage | None) -> None:
        """Begin, or go on from the log. `luggage` holds the topic's known pages, if they were read already."""
        plan = self._plan
        part = Part(plan.owns, self._more, None if luggage is None else luggage.unpack, plan.whole)
        self._work = asyncio.create_task(run_async(plan.order, self, part))
        ready = asyncio.create_task(self._ready.wait())
        await asyncio.wait([ready, self._work], return_when=asyncio.FIRST_COMPLETED)
        ready.cancel()
        self._sound()

    async def state(self, best: int) -> ShardState:
        """How it stands, with the scores of its best waiting links. A shard that is idle gives back what is left."""
        run, _ = self._sound()
        driver, crawl = run.driver, run.crawl
        idle = self._waits and not self._wake.is_set()
        if idle and (crawl.limits.max_pages > crawl.pages or crawl.limits.fetches > crawl.fetches):
            self._allow(run, crawl.pages, crawl.fetches)
        waiting, links = crawl.strategy.waiting(best)
        report = ShardReport(
            crawl.limits.max_pages,
            crawl.pages + crawl.in_flight,
            [*driver.parking.overdue, *(choice.score for choice in links)],
            crawl.limits.fetches,
        )
        return ShardState(
            report=report,
            pages=crawl.pages,
            fetches=crawl.fetches,
            positive=crawl.positive,
            recent=crawl.recent,
            hosts=driver.active_hosts,
            waiting=waiting,
            unsent=sum(map(len, self._outbox.values())),
            sights=self._sights,
            idle=idle,
            until=driver.parking.until,
            seconds=run.clock(),
        )

    async def allow(self, pages: int, fetches: int) -> None:
        """It may fetch so many pages, in so many attempts, in all. Saying it twice changes nothing."""
        run, _ = self._sound()
        if pages > run.crawl.limits.max_pages:
            self._allow(run, pages, fetches)

    async def take(self, post: list[Glimpse]) -> None:
        """Show the strategy what others saw, each once, and keep it for good."""
        run, _ = self._sound()
        try:
            for glimpse in post:
                if glimpse.step > self._last.get(glimpse.origin, -1):
                    run.crawl.glimpse(glimpse)
                    self._last[glimpse.origin] = glimpse.step
                    self._sights += 1
        except Exception as error:
            self._failure = error
            raise
        run.log.retry()
        if run.log.write_error is not None:
            raise OSError(run.log.write_error)
        self._look_again(run)

    async def last_sight(self, origin: int) -> int:
        """The last step of a shard of which this one was shown something; -1 for none."""
        self._sound()
        return self._last.get(origin, -1)

    async def finish(self) -> Result:
        """End cleanly; what came of it."""
        run, work = self._sound()
        self._is_over = True
        run.driver.interrupt()
        self._wake.set()
        if self._posting is not None:
            self._posting.cancel()
        return await work

    def _sound(self) -> tuple[LiveRun, asyncio.Task[Result]]:
        """The run, and the task that it is at work in; SalticidError if something has failed."""
        for task in (self._work, self._posting):
            if task is not None and task.done() and not task.cancelled() and task.exception() is not None:
                raise self._error(task.exception())
        if self._failure is not None:
            raise self._error(self._failure)
        if self._run is None or self._work is None or self._work.done():
            raise SalticidError(f"shard {self._plan.number} is not at work")
        return self._run, self._work

    def _error(self, error: BaseException | None) -> BaseException:
        if isinstance(error, SalticidError):
            return error
        return SalticidError(f"shard {self._plan.number} failed: {type(error).__name__}: {error}")

    def ready(self, run: Run) -> None:
        """All is set up: from here on it can be talked to."""
        if not isinstance(run, LiveRun):
            raise SalticidError("a recorded world is crawled on one machine")
        self._run, self._tables = run, run.web
        self._owners = Owners(run.web.urls, self._plan.shards)
        self._last = last_sights(run.log.database)
        self._sights = len(self._last)
        if not has_budget(run.log.database):
            self._allow(run, 0, 0)
            run.log.retry()
        self._wake.clear()
        self._posting = asyncio.create_task(self._post(run))
        self._ready.set()

    def visit(self, visit: Visit) -> None:
        """Put what others own into the post."""
        for owner, glimpse in glimpses(visit, self._tables, self._owners, self._plan.number).items():
            self._outbox[owner].add(glimpse)

    async def _more(self) -> bool:
        """Wait until there may be more to do; False once it is ended."""
        if not self._is_over:
            self._waits = True
            await self._wake.wait()
            self._waits = False
            self._wake.clear()
        return not self._is_over

    def _allow(self, run: LiveRun, pages: int, fetches: int) -> None:
        run.crawl.extend(replace(run.crawl.limits, max_pages=pages, max_fetches=fetches))
        self._look_again(run)

    def _look_again(self, run: LiveRun) -> None:
        """There may be something to do."""
        if not self._is_over:
            run.crawl.wake()
            run.nudge()
            self._wake.set()

    async def _post(self, run: LiveRun) -> None:
        """Post what others own, in order; only what is kept here, so that it is never said twice in two ways.

        Nobody waits for a receiver that is being restarted but what is meant for it.
        """
        log, before = run.log, last_posts(run.log.database)
        under_way: dict[int, asyncio.Task[None]] = {}
        try:
            while True:
                free = {
                    owner: box
                    for owner, box in self._outbox.items()
                    if box and (owner not in under_way or under_way[owner].done())
                }
                if free and log.trouble is None:
                    log.about({POST: self._done_with(run)})
                    log.retry()
                if log.trouble is None:
                    for owner, box in free.items():
                        if box.has_begun:
                            box.read_on(partial(next_post, log, owner, self._owners, self._plan.number, run.web))
                            under_way[owner] = asyncio.create_task(self._send(owner, box))
                        else:
                            under_way[owner] = asyncio.create_task(self._ask(owner, before.get(owner, -1)))
                await asyncio.sleep(max(POST_EVERY, A_PEER * len(self._peers)))
        finally:
            for task in under_way.values():
                task.cancel()

    def _done_with(self, run: LiveRun) -> dict[int, int]:
        """By receiver the last step of which nothing is left to be shown."""
        steps = run.crawl.step
        return {owner: box.last_done(steps) for owner, box in self._outbox.items() if box.has_begun}

    async def _ask(self, owner: int, before: int) -> None:
        """Begin the post for a shard with what it has not been shown."""
        with suppress(Exception):  # one that is being restarted is asked again
            self._outbox[owner].begin(max(before, await self._peers[owner].last_sight(self._plan.number)))

    async def _send(self, owner: int, box: Outbox) -> None:
        with suppress(Exception):  # whatever kept it from arriving: it is sent again
            if first := box.first(AT_ONCE):
                await self._peers[owner].take(first)
                box.remove(len(first))
