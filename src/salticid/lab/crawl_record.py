"""One crawl of an experiment, made in memory; what measures need of it."""

from __future__ import annotations

import hashlib
import time
from dataclasses import asdict, replace
from functools import lru_cache
from pathlib import Path
from typing import Any

import msgspec

from salticid.lab.experiment import Case, Experiment
from salticid.lab.strategy_clock import StrategyClock
from salticid.runs.order import Recipe
from salticid.runs.recorded import RecordedCrawl
from salticid.store.memory_log import MemoryLog
from salticid.version import __version__
from salticid.webs.recorded import RecordedWeb


class CrawlRecord(msgspec.Struct, frozen=True):
    """What is kept of a crawl: its good pages in order, as numbers of the world's pages, with the judge's scores.

    `failed` says what a strategy raised; `cpu` is the processor time of the whole crawl in seconds, `own_cpu` that of
    the strategy alone.
    """

    pages: list[int]
    scores: list[float]
    fetches: int
    stopped: str
    cpu: float
    failed: str | None = None
    own_cpu: float = 0.0


@lru_cache(maxsize=1)
def recorded_web(world: str) -> RecordedWeb:
    """The world, opened once a process."""
    return RecordedWeb(Path(world))


def key_of(experiment: Experiment, case: Case, digest: str) -> str:
    """A name for a crawl that is the same exactly when all that decides it is the same."""
    topic = experiment.topic(case.topic)
    decides: dict[str, Any] = {
        "version": __version__,
        "world": digest,
        "topic": asdict(replace(topic, seeds=case.seeds_of(topic))),
        "strategy": experiment.description(case.strategy),
        "judge": experiment.judge_description(case.strategy),
        "limits": asdict(replace(experiment.limits, max_buffer=case.max_buffer)),
        "arrivals": experiment.arrivals,
        "seed": experiment.seed + case.repeat,
    }
    return hashlib.blake2b(msgspec.json.encode(decides, order="deterministic"), digest_size=16).hexdigest()


def crawl_once(experiment: Experiment, case: Case) -> CrawlRecord:
    """Make a crawl; what is kept of it."""
    web = recorded_web(experiment.world)
    topic = experiment.topic(case.topic)
    strategy = experiment.strategy(case.strategy)
    clock = StrategyClock(strategy)
    recipe = Recipe(
        strategy,
        experiment.new_judge(case.strategy),
        replace(experiment.limits, max_buffer=case.max_buffer),
        experiment.arrivals,
        experiment.seed + case.repeat,
    )
    log = MemoryLog()
    start = time.process_time()
    failed, stopped, fetches = None, "failed", 0
    try:
        run = RecordedCrawl(replace(topic, seeds=case.seeds_of(topic)), web, recipe, log)
        stopped = run.run().value
        fetches = run.crawl.fetches
    except Exception as error:  # noqa: BLE001 - whatever a strategy raises is a finding about it
        failed = f"{type(error).__name__}: {error}"
    cpu = time.process_time() - start
    good = [visit for visit in log.visits if visit.good]
    pages = [web.number_at(visit.final) for visit in good]
    return CrawlRecord(pages, [visit.score for visit in good], fetches, stopped, cpu, failed, clock.seconds)
