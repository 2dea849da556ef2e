"""The crawls of one topic, measured and summed up strategy by strategy."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TypeVar

import msgspec
import numpy as np

from salticid.lab.crawl_measures import Measured, measure
from salticid.lab.crawl_record import CrawlRecord
from salticid.lab.experiment import Case, Experiment
from salticid.lab.judged_topic import JudgedTopic, Known
from salticid.lab.linkage import Ranked
from salticid.metrics.overlap import overlap
from salticid.model import Ints

T = TypeVar("T")
Crawls = Sequence[tuple[Case, CrawlRecord]]


class Assessed(msgspec.Struct, frozen=True):
    """One topic measured: its traits, each strategy's values (the mean of its repeats), curves and histograms.

    `swept` has, by strategy and size of its frontier, the share of the oracle.
    """

    name: str
    targets: int
    heterogeneity: float | None
    distance: float | None
    values: dict[str, dict[str, float | None]]
    failed: dict[str, str]
    curves: dict[str, dict[str, list[float]]]
    histograms: dict[str, dict[str, list[int]]]
    swept: dict[str, dict[int, float]]


def assess(experiment: Experiment, crawls: Crawls, known: Known, ranked: Ranked) -> Assessed:
    """Measure the crawls of one topic; a strategy that failed on one of them has no measures."""
    failed = {case.strategy: record.failed for case, record in crawls if record.failed is not None}
    compared = [(case, record) for case, record in crawls if _is_compared(experiment, case)]
    file = crawls[0][0].topic
    topic = JudgedTopic(experiment, file, [record.pages for _, record in compared], known, ranked)
    crawls = [(case, record) for case, record in crawls if case.strategy not in failed]
    measured: dict[str, list[Measured]] = {}
    for case, record in crawls:
        if _is_compared(experiment, case):
            measured.setdefault(case.strategy, []).append(measure(topic, record))
    values = {strategy: _means(each) for strategy, each in measured.items()}
    for strategy, found in _robustness(crawls).items():
        values[strategy]["robustness"] = found
    return Assessed(
        name=topic.name,
        targets=len(topic.targets),
        heterogeneity=topic.heterogeneity,
        distance=topic.distance,
        values=values,
        failed=failed,
        curves=_by_name(measured, lambda crawl: crawl.curves, lambda rows: np.mean(rows, axis=0).tolist()),
        histograms=_by_name(measured, lambda crawl: crawl.histograms, _summed),
        swept=_swept(topic, crawls) if experiment.sweep else {},
    )


def _is_compared(experiment: Experiment, case: Case) -> bool:
    """Whether a crawl is one of those compared, none of a sweep or from half the seeds."""
    return not case.half and case.max_buffer == experiment.max_buffer


def _robustness(crawls: Crawls) -> dict[str, float | None]:
    """By strategy the overlap of its crawls from either half of the seeds, where there are both."""
    halves: dict[str, dict[int, Ints]] = {}
    for case, record in crawls:
        if case.half:
            halves.setdefault(case.strategy, {})[case.half] = np.array(record.pages, np.int32)
    return {name: overlap(both[1], both[2]) for name, both in halves.items() if len(both) == 2}


def _swept(topic: JudgedTopic, crawls: Crawls) -> dict[str, dict[int, float]]:
    """By strategy and size of the frontier how near its crawl came to the oracle."""
    swept: dict[str, dict[int, float]] = {}
    for case, record in crawls:
        if not case.half and not case.repeat and case.max_buffer is not None:
            share = topic.share_of_oracle(np.array(record.pages, np.int32))
            if share is not None:
                swept.setdefault(case.strategy, {})[case.max_buffer] = share
    return swept


def _means(crawls: list[Measured]) -> dict[str, float | None]:
    """The mean of each measure over the repeats that have it."""
    return {name: _mean(crawl.values[name] for crawl in crawls) for name in crawls[0].values}


def _mean(values: Iterable[float | None]) -> float | None:
    there = [value for value in values if value is not None]
    return sum(there) / len(there) if there else None


def _summed(rows: list[list[int]]) -> list[int]:
    longest = max(map(len, rows))
    total: list[int] = np.sum([row + [0] * (longest - len(row)) for row in rows], axis=0).tolist()
    return total


def _by_name(
    measured: dict[str, list[Measured]],
    part: Callable[[Measured], dict[str, list[T]]],
    joined: Callable[[list[list[T]]], list[T]],
) -> dict[str, dict[str, list[T]]]:
    """By name and strategy what the repeats have in common."""
    found: dict[str, dict[str, list[T]]] = {}
    for strategy, crawls in measured.items():
        for name in part(crawls[0]):
            rows = [part(crawl)[name] for crawl in crawls if name in part(crawl)]
            found.setdefault(name, {})[strategy] = joined(rows)
    return found
