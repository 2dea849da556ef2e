"""The crawls of one topic, measured and summed up strategy by strategy."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import TypeVar

import msgspec
import numpy as np

from salticid.lab.crawl_measures import CrawlMeasures, measure_crawl
from salticid.lab.crawl_record import CrawlRecord, recorded_web
from salticid.lab.experiment import Case, Experiment
from salticid.lab.measure_names import find_measures
from salticid.lab.traits import heterogeneity
from salticid.metrics.distance import mean_distance
from salticid.metrics.oracle_share import oracle_share
from salticid.metrics.parts.judged_crawl import JudgedCrawl
from salticid.metrics.parts.judged_topic import JudgedTopic
from salticid.metrics.parts.judged_world import JudgedWorld
from salticid.model import Floats, Ints

T = TypeVar("T")
Crawls = Sequence[tuple[Case, CrawlRecord]]
KnownPages = dict[str, list[int]]
"""The pages that each topic is known by, by topic file."""
PageRanks = tuple[Ints, Floats]
"""All pages that the crawls of an experiment fetched, of all topics, ascending, and the PageRank of each."""


@lru_cache(maxsize=1)
def judged_world(world: str) -> JudgedWorld:
    """The world as measures see it, made once a process."""
    return JudgedWorld(recorded_web(world))


class TopicMeasures(msgspec.Struct, frozen=True):
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


def measure_topic(
    experiment: Experiment, crawls: Crawls, examples: KnownPages, ranks: PageRanks
) -> TopicMeasures:
    """Measure the crawls of one topic; a strategy that failed on one of them has no measures."""
    failures = {case.strategy: record.failed for case, record in crawls if record.failed is not None}
    size = experiment.max_buffer  # crawls of a sweep, and from half the seeds, are not compared
    main_crawls = [each for each in crawls if not each[0].half and each[0].max_buffer == size]
    topic = _topic(experiment, main_crawls, examples, ranks)
    metrics, halves = find_measures(experiment.measures), _halves(crawls)
    by_strategy: dict[str, list[CrawlMeasures]] = {}
    for case, record in main_crawls:
        if case.strategy not in failures:
            both = halves.get(case.strategy) if not case.repeat else None
            crawl = JudgedCrawl(topic, _pages(record), np.array(record.scores), both)
            by_strategy.setdefault(case.strategy, []).append(measure_crawl(crawl, metrics))
    targets = topic.target_terms.counts
    return TopicMeasures(
        name=topic.topic.name,
        targets=len(topic.targets),
        heterogeneity=heterogeneity(targets, targets),
        distance=mean_distance(topic.away, topic.targets),
        values={strategy: _means(each) for strategy, each in by_strategy.items()},
        failed=failures,
        curves=_by_name(by_strategy, lambda crawl: crawl.curves, lambda rows: np.mean(rows, axis=0).tolist()),
        histograms=_by_name(by_strategy, lambda crawl: crawl.histograms, total_counts),
        swept=_sweep(topic, [each for each in crawls if each[0].strategy not in failures])
        if experiment.sweep
        else {},
    )


def _topic(experiment: Experiment, crawls: Crawls, examples: KnownPages, ranks: PageRanks) -> JudgedTopic:
    """The topic of some crawls; what other topics are known by teaches classifiers what it is not."""
    file = crawls[0][0].topic
    pool = np.unique(np.concatenate([np.zeros(0, np.int32), *(_pages(record) for _, record in crawls)]))
    own = set(examples[file])
    others = [pages for other, pages in examples.items() if other != file and own.isdisjoint(pages)]
    return JudgedTopic(
        judged_world(experiment.world),
        experiment.topic(file),
        experiment.truth(file),
        length=experiment.max_pages,
        pool_pages=pool,
        pagerank=ranks[1][ranks[0].searchsorted(pool)],
        positives=examples[file],
        negatives=list(dict.fromkeys(page for pages in others for page in pages)),
        seed=experiment.seed,
    )


def _pages(record: CrawlRecord) -> Ints:
    return np.array(record.pages, np.int32)


def _halves(crawls: Crawls) -> dict[str, tuple[Ints, Ints]]:
    """By strategy the pages of its crawls from either half of the seeds, where there are both."""
    halves: dict[str, dict[int, Ints]] = {}
    for case, record in crawls:
        if case.half:
            halves.setdefault(case.strategy, {})[case.half] = _pages(record)
    return {name: (both[1], both[2]) for name, both in halves.items() if len(both) == 2}


def _sweep(topic: JudgedTopic, crawls: Crawls) -> dict[str, dict[int, float]]:
    """By strategy and size of the frontier how near its crawl came to the oracle."""
    shares: dict[str, dict[int, float]] = {}
    for case, record in crawls:
        if not case.half and not case.repeat and case.max_buffer is not None:
            share = oracle_share(JudgedCrawl(topic, _pages(record), np.array(record.scores)))
            if share is not None:
                shares.setdefault(case.strategy, {})[case.max_buffer] = share
    return shares


def _means(crawls: list[CrawlMeasures]) -> dict[str, float | None]:
    """The mean of each measure over the repeats that have it."""
    rows = {name: [crawl.values[name] for crawl in crawls] for name in crawls[0].values}
    finite = {name: [value for value in row if value is not None] for name, row in rows.items()}
    return {name: sum(row) / len(row) if row else None for name, row in finite.items()}


def total_counts(rows: list[list[int]]) -> list[int]:
    """The sums of histograms of any length, column by column."""
    longest = max(map(len, rows))
    total: list[int] = np.sum([row + [0] * (longest - len(row)) for row in rows], axis=0).tolist()
    return total


def _by_name(
    by_strategy: dict[str, list[CrawlMeasures]],
    part: Callable[[CrawlMeasures], dict[str, list[T]]],
    join: Callable[[list[list[T]]], list[T]],
) -> dict[str, dict[str, list[T]]]:
    """By name and strategy what the repeats have in common."""
    by_name: dict[str, dict[str, list[T]]] = {}
    for strategy, crawls in by_strategy.items():
        for name in part(crawls[0]):
            rows = [part(crawl)[name] for crawl in crawls if name in part(crawl)]
            by_name.setdefault(name, {})[strategy] = join(rows)
    return by_name
