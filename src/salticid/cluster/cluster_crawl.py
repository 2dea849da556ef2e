"""A crawl of the live web by many machines, from the order to the one folder that holds what was found."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, closing, contextmanager, suppress
from dataclasses import replace
from heapq import merge
from pathlib import Path
from threading import Event
from typing import Any
from uuid import uuid4

import ray
from ray.exceptions import RayError

from salticid.cluster.actors import plain, start_coordinator, start_shard
from salticid.cluster.coordinator import CrawlProgress
from salticid.cluster.post import Luggage, pack
from salticid.cluster.shard import Plan
from salticid.errors import SalticidError, UserError
from salticid.model import StopReason
from salticid.runs import LiveSettings, Order, Result, changed, live_web, read_known_pages
from salticid.store import (
    DATABASE_FILE,
    FILES_A_PART,
    INDEX_FILE,
    SHARDS,
    CrawlFolder,
    CrawlLog,
    Part,
    Whole,
    check_same,
    first_limits,
    lock,
    new_limits,
    remove_in,
)
from salticid.tables import Texts, Urls
from salticid.topic import Topic

# One crawl folder made of the folders of its shards: what people search, export and build worlds from.

_PARTIAL = "gathering"


def shard_folder(folder: Path, number: int) -> Path:
    """Where a shard keeps what it has."""
    return folder / SHARDS / f"{number:03}"


def gather(folder: Path, shards: int, facts: Mapping[str, Any], ending: Mapping[str, Any]) -> None:
    """Write the visits of all shards, in the order they were made, into the folder as one crawl.

    What an earlier gathering wrote is replaced, all at once: whoever reads the folder sees the old crawl or the new
    one. Archives are not copied: their files get a second name. What is added to them later goes into files that
    no shard has.
    """
    partial = folder / SHARDS / _PARTIAL
    remove_in(folder, f"{SHARDS}/{_PARTIAL}")
    urls, words = Urls(), Texts()
    with ExitStack() as stack:
        parts = []
        for number in range(shards):
            part = Part(number, stack.enter_context(closing(CrawlFolder(shard_folder(folder, number)))))
            part.link_archives(folder)
            parts.append(part)
        log = stack.enter_context(closing(CrawlLog(partial, urls, words, own_tables=True)))
        log.begin(facts)
        whole = Whole(parts, log, urls, words, shards=parts)
        visits = merge(*(part.visits() for part in parts), key=lambda each: each[:2])
        for step, (_, number, visit) in enumerate(visits):
            whole.add(parts[number], visit, step)
        log.about({**ending, "warc": (FILES_A_PART * shards, 0)})
    for name in (f"{DATABASE_FILE}-wal", f"{DATABASE_FILE}-shm", INDEX_FILE):
        (folder / name).unlink(missing_ok=True)
    (partial / DATABASE_FILE).replace(folder / DATABASE_FILE)
    remove_in(folder, f"{SHARDS}/{_PARTIAL}")


A_ROUND_EVERY = 0.15
"""Seconds between two rounds of the coordinator."""
MOST_SHARDS = 256
_A_LOOK = 0.2
"""Seconds between two looks whether the wait for an answer was interrupted."""

Show = Callable[[CrawlProgress], None]


def crawl_on_ray(order: Order, shards: int, interrupted: Event, show: Show) -> Result:
    """Crawl with so many shards on the cluster this program has joined, or go on with it.

    The folder must be visible to all nodes: each shard keeps its own there, and is restarted from it. When it is
    over, however it ends, all that was found is gathered in the folder as one crawl. SalticidError if a shard has
    failed; KeyboardInterrupt if it was interrupted before it had begun.
    """
    if not isinstance(order.web, LiveSettings):
        raise UserError("a recorded world is crawled on one machine; crawl the live web")
    facts = {**order.facts(shards), "shards": shards}
    _check(order, shards, facts)
    with closing(lock(order.folder)):
        failure: RayError | None = None
        with _at_work(order, order.web, shards, interrupted) as (coordinator, actors):
            try:
                seconds, reason = _lead(coordinator, interrupted, show)
            except RayError as error:
                seconds, reason, failure = 0.0, StopReason.INTERRUPTED, error
            ends = [_end(ending) for ending in [actor.finish.remote() for actor in actors]]
        results = [end for end in ends if isinstance(end, Result)]
        failure = failure or next((end for end in ends if isinstance(end, RayError)), None)
        seconds = max([seconds, *(end.seconds for end in results)])
        gather(order.folder, shards, facts, {"stopped": reason.value, "seconds": seconds})
    if failure is not None:
        raise SalticidError(
            f"{plain(failure)}; what was found is in {order.folder}, and the same command goes on with it"
        ) from failure
    return Result(sum(end.pages for end in results), sum(end.fetches for end in results), reason, seconds)


@contextmanager
def _at_work(order: Order, settings: LiveSettings, shards: int, interrupted: Event) -> Iterator[tuple[Any, list[Any]]]:
    """The coordinator and the shards, which have all begun; gone when this ends, however it ends."""
    known_pages = _known_pages(order, settings, shards)
    crawl = f"salticid {order.folder.resolve()} {uuid4().hex[:8]}"
    plans = [_plan(order, settings, number, shards) for number in range(shards)]
    actors = [start_shard(crawl, plan, known_pages) for plan in plans]
    coordinator = start_coordinator(crawl, plans[0])
    try:
        for begin in [actor.begin.remote() for actor in actors]:
            _answer(begin, interrupted)
        yield coordinator, actors
    except RayError as error:
        raise plain(error) from error
    finally:
        for actor in (*actors, coordinator):
            ray.kill(actor)


def _lead(coordinator: Any, interrupted: Event, show: Show) -> tuple[float, StopReason]:
    """Let the coordinator deal until there is a reason to stop; the crawl's seconds so far, and the reason."""
    seconds = 0.0
    while True:
        try:
            progress: CrawlProgress = _answer(coordinator.round.remote(), interrupted)
        except KeyboardInterrupt:
            return seconds, StopReason.INTERRUPTED
        show(progress)
        seconds = progress.seconds
        if progress.stopped is not None:
            return seconds, progress.stopped
        if interrupted.wait(A_ROUND_EVERY):
            return seconds, StopReason.INTERRUPTED


def _answer(ref: Any, interrupted: Event) -> Any:
    """The answer; KeyboardInterrupt if the wait for it, which may be long, is interrupted."""
    while not ray.wait([ref], timeout=_A_LOOK)[0]:
        if interrupted.is_set():
            raise KeyboardInterrupt
    return ray.get(ref)


def _end(ending: Any) -> Result | RayError:
    """What came of a shard, or why nothing did."""
    try:
        result: Result = ray.get(ending)
    except RayError as error:
        return error
    return result


def _plan(order: Order, settings: LiveSettings, number: int, shards: int) -> Plan:
    """A shard's part, so that all together do what a single crawl may do."""
    whole = order.spec.limits
    share = changed(
        order.spec,
        max_seconds=None,
        min_harvest=None,
        concurrency=max(1, settings.concurrency // shards),
        per_address=max(1, settings.per_address // shards),
        max_disk=settings.max_disk and settings.max_disk // shards,
        workers=1,
    )
    own = replace(order, spec=share, folder=shard_folder(order.folder, number).resolve())
    return Plan(own, number, shards, whole)


def _check(order: Order, shards: int, facts: dict[str, Any]) -> None:
    folder = order.folder
    if not 1 <= shards <= MOST_SHARDS:
        raise UserError(f"{shards} shards; take 1 to {MOST_SHARDS}")
    if order.spec.limits.min_remaining is not None:
        raise UserError('"remaining" is not worked out across shards; use --stop-when "harvest < 0.05"')
    if order.strategy.walks:
        raise UserError(
            f"the agents of {order.spec.strategy} cannot walk from one shard into another; leave --ray out, or take a "
            "strategy without agents"
        )
    there = _shards_in(folder)
    if there not in (0, shards):
        raise UserError(
            f"{folder} holds a crawl of {there} shards, not {shards}; go on with --shards {there}, or crawl "
            "into a new folder with --out"
        )
    if not (folder / DATABASE_FILE).exists():
        return
    if not there:
        raise UserError(
            f"{folder} holds a crawl without shards; go on without --ray, or crawl into a new folder with --out"
        )
    with closing(CrawlFolder(folder)) as crawl:
        before = crawl.about()
    check_same(folder, before, facts)
    new_limits(folder, first_limits(before), order.spec.limits)


def _shards_in(folder: Path) -> int:
    """How many shards a folder holds."""
    return sum(1 for number in range(MOST_SHARDS) if shard_folder(folder, number).is_dir())


def _known_pages(order: Order, settings: LiveSettings, shards: int) -> Luggage | None:
    """The known pages, asked for once, before any shard asks its hosts; None if the shards have them already."""
    topic = order.topic
    if not (topic.examples or topic.negatives):
        return None
    if all(_has_them(shard_folder(order.folder, number)) for number in range(shards)):
        return None
    return asyncio.run(_pack_known_pages(topic, settings))


def _has_them(folder: Path) -> bool:
    with suppress(UserError), closing(CrawlFolder(folder)) as crawl:
        return "known" in crawl.about()
    return False


async def _pack_known_pages(topic: Topic, settings: LiveSettings) -> Luggage:
    async with live_web(settings, time.monotonic) as web:
        return pack(await read_known_pages(topic, web), web)
