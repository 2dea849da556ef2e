"""The coordinator: deals the budget of a crawl out to its shards, and sees when there is nothing left to do.

It remembers nothing that the shards do not know: one that is killed and made anew goes on where it was.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Sequence
from dataclasses import dataclass
from typing import Protocol

from salticid.cluster.shard import ASKED_FOR, ShardState, allowances, batch, leases
from salticid.model import StopReason
from salticid.topic import Limits


class CoordinatedShard(Protocol):
    """A shard, wherever it is."""

    def state(self, best: int) -> Awaitable[ShardState]: ...

    def allow(self, pages: int, fetches: int) -> Awaitable[None]: ...


@dataclass(frozen=True, slots=True)
class CrawlProgress:
    """How the whole crawl stands; `seconds` by its own clock, `stopped` once there is a reason to."""

    pages: int
    fetches: int
    positive: int
    harvest: float
    hosts: int
    waiting: int
    seconds: float
    stopped: StopReason | None


class Coordinator:
    """Leads the shards of one crawl."""

    def __init__(self, shards: Sequence[CoordinatedShard], limits: Limits) -> None:
        self._shards, self._limits = shards, limits
        self._quiet: tuple[tuple[int, int, int, float | None], ...] | None = None

    async def round(self) -> CrawlProgress:
        """Ask all shards how they stand, and allow those with the best links more pages."""
        states = await asyncio.gather(*(shard.state(ASKED_FOR) for shard in self._shards))
        reports = {number: state.report for number, state in enumerate(states)}
        pages = sum(state.pages for state in states)
        shares = leases(reports, self._limits.max_pages, batch(pages, len(states)))
        budgets = allowances(reports, shares, self._limits)
        await asyncio.gather(*(self._shards[number].allow(*more) for number, more in budgets.items()))
        positive, recent = (sum(each) for each in zip(*(state.recent for state in states), strict=True))
        return CrawlProgress(
            pages=pages,
            fetches=sum(state.fetches for state in states),
            positive=sum(state.positive for state in states),
            harvest=positive / recent if recent else 0.0,
            hosts=sum(state.hosts for state in states),
            waiting=sum(state.waiting for state in states),
            seconds=max(state.seconds for state in states),
            stopped=self._reason_to_stop(states, positive, recent),
        )

    def _reason_to_stop(self, states: Sequence[ShardState], positive: int, recent: int) -> StopReason | None:
        limits = self._limits
        if sum(state.pages for state in states) >= limits.max_pages:
            return StopReason.BUDGET
        if sum(state.fetches for state in states) >= limits.fetches:
            return StopReason.FETCHES
        if limits.max_seconds is not None and max(each.seconds for each in states) >= limits.max_seconds:
            return StopReason.TIME
        if limits.min_harvest is not None and recent >= _ENOUGH and positive / recent < limits.min_harvest:
            return StopReason.CONDITION
        return self._nothing_left(states)

    def _nothing_left(self, states: Sequence[ShardState]) -> StopReason | None:
        """No shard has anything to do or to post, twice in a row, and nothing happened in between."""
        at_rest = all(state.idle and not state.unsent for state in states)
        counts = tuple((each.sights, each.fetches, each.waiting, each.until) for each in states)
        quiet = counts if at_rest else None
        before, self._quiet = self._quiet, quiet
        if quiet is None or quiet != before:
            return None
        some_wait = any(state.until is not None for state in states)
        return StopReason.WAITING if some_wait else StopReason.FRONTIER_EMPTY


_ENOUGH = 100
"""Pages that a share of the last ones needs to mean something."""
