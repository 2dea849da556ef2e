"""One crawl of an experiment, made in memory; what measures need of it."""

from __future__ import annotations

import hashlib
import time
from collections.abc import Callable, Mapping
from dataclasses import asdict, replace
from functools import cache, lru_cache
from pathlib import Path
from typing import Any, ParamSpec, TypeVar

import msgspec
import numpy as np

from salticid.encoders import find_encoder
from salticid.errors import UserError
from salticid.lab.experiment import Case, Experiment
from salticid.metrics import JudgedCrawl, Measure, Metric, Need, histogram, measure_of
from salticid.model import Bools, Floats
from salticid.protocols import Encoder, Judge, Strategy
from salticid.runs import MemoryLog, Recipe, RecordedCrawl, uses_meanings
from salticid.version import __version__
from salticid.webs import RecordedWeb

# The processor time that a strategy takes, apart from fetching, parsing and judging, which all strategies share.

P = ParamSpec("P")
T = TypeVar("T")
TIMED = ("start", "choose", "observe")


class StrategyClock:
    """Counts the seconds of processor time that a strategy's calls take, from when it is set on one.

    A strategy that takes no attributes, for it has slots, is not timed.
    """

    def __init__(self, strategy: Strategy) -> None:
        self.seconds = 0.0
        for name in TIMED if hasattr(strategy, "__dict__") else ():
            setattr(strategy, name, self._timed(getattr(strategy, name)))

    def _timed(self, call: Callable[P, T]) -> Callable[P, T]:
        def timed(*args: P.args, **kwargs: P.kwargs) -> T:
            begin = time.process_time()
            try:
                return call(*args, **kwargs)
            finally:
                self.seconds += time.process_time() - begin

        return timed


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


@cache
def _encoder() -> Encoder | None:
    return find_encoder()


def encoder_here(*parts: Strategy | Judge) -> Encoder | None:
    """The encoder of this machine, opened once a process, if one of these uses it."""
    return _encoder() if uses_meanings(*parts) else None


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
    encoder = encoder_here(experiment.strategy(case.strategy), experiment.new_judge(case.strategy))
    if encoder is not None:
        decides["encoder"] = encoder.digest
    return hashlib.blake2b(msgspec.json.encode(decides, order="deterministic"), digest_size=16).hexdigest()


def crawl_once(experiment: Experiment, case: Case) -> CrawlRecord:
    """Make a crawl; what is kept of it."""
    web = recorded_web(experiment.world)
    topic = experiment.topic(case.topic)
    strategy = experiment.strategy(case.strategy)
    clock = StrategyClock(strategy)
    judge = experiment.new_judge(case.strategy)
    recipe = Recipe(
        strategy,
        judge,
        replace(experiment.limits, max_buffer=case.max_buffer),
        experiment.arrivals,
        experiment.seed + case.repeat,
        encoder=encoder_here(strategy, judge),
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


# All measures of one crawl.

POINTS = 100
"""Values a curve along the crawl is shown with."""
RECALLS = tuple(round(0.05 * step, 2) for step in range(1, 21))
"""Recall at which precision is looked at."""


class CrawlMeasures(msgspec.Struct):
    """What the measures say of a crawl: a value each, curves at the places of `grid`, histograms."""

    values: dict[str, float | None]
    curves: dict[str, list[float]]
    histograms: dict[str, list[int]]


def grid(max_pages: int) -> list[int]:
    """After how many pages a curve is looked at.

    >>> grid(3)
    [1, 2, 3]
    """
    places: list[int] = np.unique(np.rint(np.linspace(1, max_pages, POINTS)).astype(np.int64)).tolist()
    return places


def measure_crawl(crawl: JudgedCrawl, metrics: Mapping[str, Metric]) -> CrawlMeasures:
    """Measure one crawl of a topic; and draw what reports show beside measures."""
    values: dict[str, float | None] = {}
    curves: dict[str, list[float]] = {}
    for name, metric in metrics.items():
        measure = measure_of(metric, name)
        value = _compute(crawl, measure, metric)
        if isinstance(value, np.ndarray):
            curves[name] = value.tolist() if measure.tops else _at_grid(value, crawl.topic.length)
            value = float(value[-1 if measure.top is None else measure.tops.index(measure.top)])
        values[name] = value
    if targets := len(crawl.topic.targets):
        curves["precision_recall"] = _precision_at_recall(np.array(crawl.relevant, np.bool_), targets)
    away = crawl.topic.away
    return CrawlMeasures(
        values,
        curves,
        {
            "distance_all": histogram(away, crawl.pages),
            "distance_relevant": histogram(away, crawl.pages[crawl.is_target]),
        },
    )


def _compute(crawl: JudgedCrawl, measure: Measure, metric: Metric) -> float | Floats | None:
    """A number or a curve; None where what the measure needs is not there, or where it is not finite throughout."""
    if not all(crawl.has(need) for need in measure.needs if isinstance(need, Need)):
        return None
    try:
        value = metric(crawl)
        numbers = np.zeros(0) if value is None else np.asarray(value, np.float64)
    except Exception as error:
        cause = f"{type(error).__name__}: {error}"
        raise UserError(f"the measure {measure.name} failed on {crawl.topic.topic.name}: {cause}") from error
    if not numbers.size or not np.isfinite(numbers).all():
        return None
    if numbers.ndim > 1 or (measure.tops and numbers.shape != (len(measure.tops),)):
        raise UserError(f"the measure {measure.name} gave numbers of shape {numbers.shape}; give one, or a curve")
    return numbers if numbers.ndim else float(numbers)


def _precision_at_recall(relevant: Bools, targets: int) -> list[float]:
    """Precision at the page where each recall is reached; 0 where it never is."""
    hits = np.cumsum(relevant)
    places = hits.searchsorted([np.ceil(recall * targets - 1e-9) for recall in RECALLS])
    pages = np.minimum(places, max(len(hits) - 1, 0))
    there = places < len(hits)
    precise = hits[pages] / (pages + 1) if len(hits) else np.zeros(len(RECALLS))
    shares: list[float] = np.where(there, precise, 0.0).tolist()
    return shares


def _at_grid(curve: Floats, length: int) -> list[float]:
    """The values of a curve at the grid; one that ended sooner keeps its last."""
    places = np.minimum(np.array(grid(length)), len(curve)) - 1
    values: list[float] = curve[places].tolist()
    return values
