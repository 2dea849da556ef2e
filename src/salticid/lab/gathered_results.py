"""From topics measured one by one to what can be said of strategies."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from salticid.lab.crawl_measures import RECALLS, grid
from salticid.lab.experiment import Experiment
from salticid.lab.measure_names import find_measures
from salticid.lab.results import Curve, Results, TopicResult
from salticid.lab.statistics import all_pairs, summary
from salticid.lab.topic_measures import TopicMeasures, total_counts
from salticid.lab.traits import dependence
from salticid.metrics.parts.measure import Measure, measure_of


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
        tests=[test for metric in metrics for test in all_pairs(metric, by_metric[metric], experiment.seed)],
        topics=[
            TopicResult(topic.name, topic.targets, topic.heterogeneity, topic.values, topic.failed)
            for topic in topics
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
