"""The coordinator: deals the budget of a crawl out to its shards, and sees when there is nothing left to do.

It remembers nothing that the shards do not know: one that is killed and made anew goes on where it was.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Sequence
from dataclasses import dataclass
from typing import Protocol

from salticid.cluster.leases import ASKED_FOR, allowances, batch, leases
from salticid.cluster.shard import Standing
from salticid.model import Limits, StopReason


class Led(Protocol):
    """A shard, wherever it is."""

    def standing(self, best: int) -> Awaitable[Standing]: ...

    def allow(self, pages: int, fetches: int) -> Awaitable[None]: ...


@dataclass(frozen=True, slots=True)
class Progress:
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

    def __init__(self, shards: Sequence[Led], limits: Limits) -> None:
        self._shards, self._limits = shards, limits
        self._quiet: tuple[tuple[int, int, int, float | None], ...] | None = None

    async def round(self) -> Progress:
        """Ask all shards how they stand, and allow those with the best links more pages."""
        all_ = await asyncio.gather(*(shard.standing(ASKED_FOR) for shard in self._shards))
        reports = {number: standing.report for number, standing in enumerate(all_)}
        pages = sum(standing.pages for standing in all_)
        dealt = leases(reports, self._limits.max_pages, batch(pages, len(all_)))
        allowed = allowances(reports, dealt, self._limits)
        await asyncio.gather(*(self._shards[number].allow(*more) for number, more in allowed.items()))
        positive, recent = (sum(each) for each in zip(*(standing.recent for standing in all_), strict=True))
        return Progress(
            pages=pages,
            fetches=sum(standing.fetches for standing in all_),
            positive=sum(standing.positive for standing in all_),
            harvest=positive / recent if recent else 0.0,
            hosts=sum(standing.hosts for standing in all_),
            waiting=sum(standing.waiting for standing in all_),
            seconds=max(standing.seconds for standing in all_),
            stopped=self._reason_to_stop(all_, positive, recent),
        )

    def _reason_to_stop(self, all_: Sequence[Standing], positive: int, recent: int) -> StopReason | None:
        limits = self._limits
        if sum(standing.pages for standing in all_) >= limits.max_pages:
            return StopReason.BUDGET
        if sum(standing.fetches for standing in all_) >= limits.fetches:
            return StopReason.FETCHES
        if limits.max_seconds is not None and max(each.seconds for each in all_) >= limits.max_seconds:
            return StopReason.TIME
        if limits.min_harvest is not None and recent >= _ENOUGH and positive / recent < limits.min_harvest:
            return StopReason.CONDITION
        return self._nothing_left(all_)

    def _nothing_left(self, all_: Sequence[Standing]) -> StopReason | None:
        """Nobody has anything to do or to tell, twice in a row, and nothing happened between, whatever was dealt."""
        at_rest = all(standing.idle and not standing.unsent for standing in all_)
        quiet = (
            tuple((each.taken, each.fetches, each.waiting, each.until) for each in all_) if at_rest else None
        )
        before, self._quiet = self._quiet, quiet
        if quiet is None or quiet != before:
            return None
        parked = any(standing.until is not None for standing in all_)
        return StopReason.WAITING if parked else StopReason.FRONTIER_EMPTY


_ENOUGH = 100
"""Pages that a share of the last ones needs to mean something."""
