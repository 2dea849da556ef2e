"""The crawls of one topic, measured and summed up strategy by strategy."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from math import sqrt
from typing import Any, TypeVar

import msgspec
import numpy as np
from scipy.sparse import csr_array
from scipy.stats import spearmanr

from salticid.lab.crawl_record import RECALLS, CrawlMeasures, CrawlRecord, grid, measure_crawl, recorded_web
from salticid.lab.experiment import Case, Experiment, find_measures
from salticid.lab.results import Curve, Results, TopicResult
from salticid.lab.statistics import all_pairs, known_together, summary
from salticid.metrics import (
    JudgedCrawl,
    JudgedTopic,
    JudgedWorld,
    Measure,
    idf,
    mean_distance,
    measure_of,
    oracle_share,
    unit_vectors,
)
from salticid.model import Floats, Ints

# What a topic is like, and how far a measure depends on it.

MIN_TOPICS = 5


def heterogeneity(targets: csr_array, among: csr_array) -> float | None:
    """How unlike each other the targets' pages are: the mean of 1 - cosine over all pairs, tf * idf.

    Both are counts of stems, pages x stems; the idf, 1 + ln(N / n_k), is that of the pages of `among`, a pool
    or a world with the targets in it. None for fewer than two pages. An empty page is like no other.

    >>> pages = csr_array(np.array([[1, 0], [1, 0], [0, 1]]))
    >>> round(heterogeneity(pages, pages), 4)    # pairs: 0, 1 and 1
    0.6667
    """
    many = int(targets.shape[0])
    if many < 2:
        return None
    vectors = unit_vectors(targets, idf(among))
    together = np.bincount(vectors.indices, vectors.data, targets.shape[1])
    itself = float((vectors.data * vectors.data).sum())
    likeness = (float((together * together).sum()) - itself) / (many * (many - 1))
    return min(1.0, max(0.0, 1.0 - likeness))


def rank_correlation(trait: Sequence[float | None], values: Sequence[float | None]) -> float | None:
    """Spearman's, over the topics where both are known; None when these are fewer than 5 or either is constant.

    >>> rank_correlation([1, 2, 3, 4, 5], [10, 20, 30, 50, 40])
    0.9
    """
    both = known_together(trait, values)
    if both.shape[1] < MIN_TOPICS or (both == both[:, :1]).all(axis=1).any():
        return None
    return round(float(spearmanr(both[0], both[1]).statistic), 12)


def chance_correlation(topics: int) -> float | None:
    """The rank correlation that chance alone exceeds about once in twenty times; None for too few topics.

    >>> round(chance_correlation(33), 2), chance_correlation(4)
    (0.35, None)
    """
    return 1.96 / sqrt(topics - 1) if topics >= MIN_TOPICS else None


def dependence(
    traits: Mapping[str, Sequence[float | None]],
    values: Mapping[str, Mapping[str, Sequence[float | None]]],
) -> dict[str, dict[str, dict[str, float]]]:
    """By trait, measure and strategy the rank correlation over topics, where there is one.

    `traits` has for each trait, `values` for each measure and strategy, one number a topic.

    >>> dependence({"size": [1, 2, 3, 4, 5]}, {"harvest": {"a": [5, 4, 3, 2, 1], "b": [0, 0, 0, 0, 0]}})
    {'size': {'harvest': {'a': -1.0}}}
    """
    return {
        trait: {
            metric: {
                strategy: rho
                for strategy, each in by_strategy.items()
                if (rho := rank_correlation(numbers, each)) is not None
            }
            for metric, by_strategy in values.items()
        }
        for trait, numbers in traits.items()
    }


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


def measure_topic(experiment: Experiment, crawls: Crawls, examples: KnownPages, ranks: PageRanks) -> TopicMeasures:
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
        swept=_sweep(topic, [each for each in crawls if each[0].strategy not in failures]) if experiment.sweep else {},
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


# From topics measured one by one to what can be said of strategies.


def gather(experiment: Experiment, topics: Sequence[TopicMeasures], about: dict[str, Any]) -> Results:
    measures = {name: measure_of(each, name) for name, each in find_measures(experiment.measures).items()}
    metrics = sorted(measures)
    by_metric = {
        metric: {
            strategy: [topic.values.get(strategy, {}).get(metric) for topic in topics]
            for strategy in experiment.strategies
        }
        for metric in metrics
    }
    traits: dict[str, list[float | None]] = {
        "size": [float(topic.targets) for topic in topics],
        "heterogeneity": [topic.heterogeneity for topic in topics],
        "distance": [topic.distance for topic in topics],
    }
    return Results(
        strategies={
            strategy: {metric: summary(by_metric[metric][strategy]) for metric in metrics}
            for strategy in experiment.strategies
        },
        tests=[test for metric in metrics for test in all_pairs(metric, by_metric[metric])],
        topics=[
            TopicResult(topic.name, topic.targets, topic.heterogeneity, topic.values, topic.failed) for topic in topics
        ],
        curves={**_curves(experiment, topics, measures), **_sweeps(experiment, topics)},
        histograms=_histograms(experiment, topics),
        dependence=dependence(traits, by_metric),
        about=about,
        measures=measures,
    )


def _curves(
    experiment: Experiment, topics: Sequence[TopicMeasures], measures: Mapping[str, Measure]
) -> dict[str, dict[str, Curve]]:
    along = [float(n) for n in grid(experiment.max_pages)]
    over = {name: [float(n) for n in measure.tops] or along for name, measure in measures.items()}
    over["precision_recall"] = list(RECALLS)
    return {
        name: {
            strategy: curve
            for strategy in experiment.strategies
            if (curve := _curve(over[name], [topic.curves.get(name, {}).get(strategy) for topic in topics]))
        }
        for name in sorted({name for topic in topics for name in topic.curves})
    }


def _sweeps(experiment: Experiment, topics: Sequence[TopicMeasures]) -> dict[str, dict[str, Curve]]:
    """How near the strategies come to the oracle with smaller and larger frontiers, where that was tried."""
    curves: dict[str, Curve] = {}
    for strategy in experiment.strategies:
        rows = [topic.swept.get(strategy) for topic in topics]
        sizes = sorted({size for row in rows if row for size in row})
        curve = _curve([float(n) for n in sizes], [[row[n] for n in sizes] if row else None for row in rows])
        if curve is not None:
            curves[strategy] = curve
    return {"oracle_share_by_max_buffer": curves} if curves else {}


def _curve(places: list[float], rows: Sequence[list[float] | None]) -> Curve | None:
    """Mean and standard error over the topics that have it."""
    there = np.array([row for row in rows if row], np.float64)
    if not places or not len(there):
        return None
    error = there.std(axis=0, ddof=1) / np.sqrt(len(there)) if len(there) > 1 else np.zeros(len(places))
    return Curve(places, there.mean(axis=0).tolist(), error.tolist())


def _histograms(experiment: Experiment, topics: Sequence[TopicMeasures]) -> dict[str, dict[str, list[int]]]:
    totals: dict[str, dict[str, list[int]]] = {}
    for name in sorted({name for topic in topics for name in topic.histograms}):
        for strategy in experiment.strategies:
            rows = [topic.histograms.get(name, {}).get(strategy, []) for topic in topics]
            totals.setdefault(name, {})[strategy] = total_counts(rows)
    return totals
