"""Shards and coordinator as actors of Ray, which starts each anew, elsewhere if need be, when it is killed."""

from __future__ import annotations

import asyncio
import logging
import socket
import sys
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stdout
from typing import Any

import ray
from ray.exceptions import RayError, RayTaskError

from salticid.cluster.coordinator import Coordinator, CrawlProgress
from salticid.cluster.post import Luggage
from salticid.cluster.shard import Plan, Shard, ShardState
from salticid.errors import SalticidError, UserError
from salticid.model import Glimpse
from salticid.runs import Result

_ALWAYS = {"max_restarts": -1, "max_task_retries": -1}


def shard_name(crawl: str, number: int) -> str:
    """The name by which the shards of a crawl find each other."""
    return f"{crawl} shard {number}"


class _Far:
    """A shard by its name: looked up when it is first spoken to, for it may not be there yet.

    It stays the same one when Ray starts it anew.
    """

    def __init__(self, name: str) -> None:
        self._name = name
        self._actor: Any = None

    def __getattr__(self, method: str) -> Any:
        if self._actor is None:
            self._actor = ray.get_actor(self._name)
        return getattr(self._actor, method).remote


class ShardActor:
    """A shard in a process of its own."""

    def __init__(self, crawl: str, plan: Plan, known_pages: Luggage | None) -> None:
        peers = {number: _Far(shard_name(crawl, number)) for number in range(plan.shards) if number != plan.number}
        self._plan, self._known_pages, self._peers = plan, known_pages, peers
        self._shard: Shard | None = None
        self._beginning: asyncio.Task[None] | None = None

    async def begin(self) -> None:
        """Begin, or go on from the log."""
        await self._at_work()

    async def state(self, best: int) -> ShardState:
        return await (await self._at_work()).state(best)

    async def allow(self, pages: int, fetches: int) -> None:
        await (await self._at_work()).allow(pages, fetches)

    async def take(self, post: list[Glimpse]) -> None:
        await (await self._at_work()).take(post)

    async def last_sight(self, origin: int) -> int:
        return await (await self._at_work()).last_sight(origin)

    async def finish(self) -> Result:
        return await (await self._at_work()).finish()

    async def _at_work(self) -> Shard:
        """The shard; one that was started anew by Ray goes on from its log by itself."""
        if self._shard is None or self._beginning is None:
            self._shard = Shard(self._plan, self._peers)
            self._beginning = asyncio.create_task(self._shard.begin(self._known_pages))
        await asyncio.shield(self._beginning)
        return self._shard


class CoordinatorActor:
    """The coordinator in a process of its own."""

    def __init__(self, crawl: str, plan: Plan) -> None:
        shards = [_Far(shard_name(crawl, number)) for number in range(plan.shards)]
        self._coordinator = Coordinator(shards, plan.whole)

    async def round(self) -> CrawlProgress:
        return await self._coordinator.round()


def start_shard(crawl: str, plan: Plan, known_pages: Luggage | None) -> Any:
    """A shard on one of the nodes. It asks for no processor of its own: those left after a loss must do."""
    actor = ray.remote(ShardActor).options(
        name=shard_name(crawl, plan.number),
        num_cpus=0,
        scheduling_strategy="SPREAD",
        **_ALWAYS,
    )
    return actor.remote(crawl, plan, known_pages)


def start_coordinator(crawl: str, plan: Plan) -> Any:
    """The coordinator of a crawl, of which this is the plan of any shard."""
    actor = ray.remote(CoordinatorActor).options(name=f"{crawl} coordinator", num_cpus=0, **_ALWAYS)
    return actor.remote(crawl, plan)


# Ray, started or joined.

LOCAL = "local"
_PATIENCE = 5.0
"""Seconds in which a cluster has to answer."""


@contextmanager
def engine(address: str, cpus: int | None = None) -> Iterator[int]:
    """A connection to the cluster at an address, or to one of this machine; how many processors it has.

    One that is there already, in this program, is used and left as it is. UserError if there is none. What went
    wrong on a node is raised as it was raised there. Meanwhile what is printed goes to stderr, for Ray has much to
    say, and stdout is for results.
    """
    ours = not ray.is_initialized()
    if ours:
        _join(address, cpus)
    try:
        with redirect_stdout(sys.stderr):
            yield _processors()
    except RayError as error:
        raise plain(error) from error
    finally:
        if ours:
            ray.shutdown()


def _processors() -> int:
    resources: dict[str, float] = ray.cluster_resources()  # type: ignore[no-untyped-call]
    return max(1, int(resources.get("CPU", 1)))


def _join(address: str, cpus: int | None) -> None:
    quiet: dict[str, Any] = {"log_to_driver": False, "logging_level": logging.ERROR}
    try:
        if address == LOCAL:
            ray.init(address="local", num_cpus=cpus, include_dashboard=False, **quiet)
        else:
            _knock(address)
            ray.init(address=address, **quiet)
    except (ConnectionError, OSError, RuntimeError, ValueError) as error:
        reason = str(error).strip().splitlines()[0] if str(error).strip() else type(error).__name__
        raise UserError(
            f"no Ray cluster at {address!r} ({reason}); start one with 'ray start --head' and give its address, "
            "or write --ray local"
        ) from None


def _knock(address: str) -> None:
    """OSError at once where no server listens: Ray itself would wait for minutes. Other forms are left to it."""
    host, _, port = address.rpartition(":")
    if port.isdecimal() and "/" not in host:
        socket.create_connection((host, int(port)), _PATIENCE).close()


def plain(error: RayError) -> SalticidError:
    """The error that a person sees for something that went wrong on a node."""
    cause: object = error
    while isinstance(cause, RayTaskError):
        cause = cause.cause
    if isinstance(cause, SalticidError):
        return cause
    line = next(iter(str(cause).strip().splitlines()), "")
    return SalticidError(f"a node of the cluster failed: {type(cause).__name__}: {line}")
