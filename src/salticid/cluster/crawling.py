"""A crawl of the live web by many machines, from the order to the one folder that holds what was found."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from threading import Event
from typing import Any

import ray
from ray.exceptions import RayTaskError

from salticid.cluster.actors import start_coordinator, start_shard
from salticid.cluster.coordinator import Progress
from salticid.cluster.gathering import gather, shard_folder
from salticid.cluster.portable import Luggage, packed
from salticid.cluster.shard import Plan
from salticid.drivers.live_crawl import live_web, read_known
from salticid.drivers.live_settings import LiveSettings
from salticid.drivers.order import Hunted, Order
from salticid.errors import UserError
from salticid.model import StopReason, Topic
from salticid.store.schema import FILE

A_ROUND_EVERY = 0.15
"""Seconds between two rounds of the coordinator."""
MOST_SHARDS = 256


def crawl_on_ray(
    order: Order,
    settings: LiveSettings,
    shards: int,
    interrupted: Event,
    show: Callable[[Progress], None],
) -> Hunted:
    """Crawl with so many shards on the cluster this program has joined, or go on with it.

    The folder must be visible to all nodes: each shard keeps its own there, and is restarted from it. When it is
    over, however it ends, all that was found is gathered in the folder as one crawl.
    """
    _check(order, shards)
    began = time.monotonic()
    known = _known_pages(order, settings)
    each = _share(settings, shards)
    crawl = f"salticid {order.folder.resolve()}"
    plans = [
        Plan(replace(order, folder=shard_folder(order.folder, number).resolve()), each, number, shards)
        for number in range(shards)
    ]
    actors = [start_shard(crawl, plan, known) for plan in plans]
    _answers([actor.begin.remote() for actor in actors])
    coordinator = start_coordinator(crawl, shards, order.recipe.limits)
    progress, stopped = _lead(coordinator, order, interrupted, show, began)
    _answers([actor.finish.remote() for actor in actors])
    for actor in (*actors, coordinator):
        ray.kill(actor)
    seconds = time.monotonic() - began
    facts = {**order.facts({"live": settings.deciding(), "shards": shards}), "shards": shards}
    gather(order.folder, shards, facts, {"stopped": stopped.value, "seconds": seconds})
    return Hunted(progress.pages, progress.fetches, stopped, seconds)


def _lead(
    coordinator: Any, order: Order, interrupted: Event, show: Callable[[Progress], None], began: float
) -> tuple[Progress, StopReason]:
    limit = order.recipe.limits.max_seconds
    while True:
        progress: Progress = ray.get(coordinator.round.remote())
        show(progress)
        if progress.stopped is not None:
            return progress, progress.stopped
        if limit is not None and time.monotonic() - began >= limit:
            return progress, StopReason.TIME
        if interrupted.wait(A_ROUND_EVERY):
            return progress, StopReason.INTERRUPTED


def _check(order: Order, shards: int) -> None:
    if not 1 <= shards <= MOST_SHARDS:
        raise UserError(f"{shards} shards; take 1 to {MOST_SHARDS}")
    limits = order.recipe.limits
    if limits.min_remaining is not None:
        raise UserError('"remaining" is not worked out across shards; use --stop-when "harvest < 0.05"')
    there = _shards_in(order.folder)
    if there not in (0, shards):
        raise UserError(
            f"{order.folder} holds a crawl of {there} shards, not {shards}; go on with --shards {there}, or crawl "
            "into a new folder with --out"
        )
    if not there and (order.folder / FILE).exists():
        raise UserError(
            f"{order.folder} holds a crawl without shards; go on without --ray, or crawl into a new folder with --out"
        )


def _shards_in(folder: Path) -> int:
    """How many shards a folder holds."""
    return sum(1 for number in range(MOST_SHARDS) if shard_folder(folder, number).is_dir())


def _share(settings: LiveSettings, shards: int) -> LiveSettings:
    """The settings of one shard, so that all together do what a single crawl may do."""
    return replace(
        settings,
        concurrency=max(1, settings.concurrency // shards),
        per_address=max(1, settings.per_address // shards),
        workers=1,
    )


def _known_pages(order: Order, settings: LiveSettings) -> Luggage | None:
    """The known pages, asked for once, before any shard asks its hosts; None if the shards have them already."""
    topic = order.topic
    if _shards_in(order.folder) or not (topic.examples or topic.negatives):
        return None
    return asyncio.run(_read(topic, settings))


async def _read(topic: Topic, settings: LiveSettings) -> Luggage:
    async with live_web(settings, time.monotonic) as web:
        return packed(await read_known(topic, web), web)


def _answers(refs: list[Any]) -> list[Any]:
    """What the actors answer; a user's mistake that one of them met is raised as such."""
    try:
        answers: list[Any] = ray.get(refs)
    except RayTaskError as error:
        if isinstance(error.cause, UserError):
            raise error.cause from None
        raise
    return answers
