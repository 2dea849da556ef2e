"""A race of strategies on one world, and what can be read off it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from salticid.lab.compare import Watch, crawls_and_measures
from salticid.lab.crawl_measures import grid
from salticid.lab.experiment import Experiment
from salticid.lab.reproduce.findings import SURE, FigureTable, Finding, finding_of
from salticid.lab.statistics import compare, summary
from salticid.lab.topic_measures import TopicMeasures
from salticid.metrics import metrics
from salticid.metrics.parts.measure import Better, measure_of
from salticid.metrics.parts.ranks import TOPS

NamedValues = tuple[str, Sequence[float | None]]
"""A strategy and its values, topic by topic."""


@dataclass(frozen=True, slots=True)
class PaperRace:
    """The topics of an experiment, measured; `names` are what people call the strategies."""

    ground: str
    experiment: Experiment
    names: Mapping[str, str]
    topics: Sequence[TopicMeasures]

    @classmethod
    def run(
        cls,
        ground: str,
        experiment: Experiment,
        names: Mapping[str, str],
        out: Path,
        workers: int,
        watch: Watch,
    ) -> PaperRace:
        """Make the crawls and the measures that are not in `out` yet."""

        def report(what: str, count: int, of: int) -> None:
            watch(f"{ground}: {what}", count, of)

        return cls(ground, experiment, names, crawls_and_measures(experiment, out, workers, report)[1])

    def values(self, strategy: str, metric: str) -> list[float | None]:
        """A measure of a strategy, topic by topic."""
        return [topic.values.get(strategy, {}).get(metric) for topic in self.topics]

    def after(self, strategy: str, curve: str, pages: int) -> list[float | None]:
        """A curve of a strategy after so many pages, topic by topic."""
        place = int(np.searchsorted(grid(self.experiment.max_pages), pages, "right")) - 1
        rows = [topic.curves.get(curve, {}).get(strategy) for topic in self.topics]
        return [None if row is None else row[place] for row in rows]

    def top(self, strategy: str, curve: str, best: int) -> list[float | None]:
        """The coverage of the `best` pages of the pool, topic by topic."""
        rows = [topic.curves.get(curve, {}).get(strategy) for topic in self.topics]
        return [None if row is None else row[TOPS.index(best)] for row in rows]

    def table(self, title: str, names: Sequence[str]) -> FigureTable:
        """Strategies and measures: mean and standard error over topics."""
        rows = [
            [self.names[strategy], *(_mean(self.values(strategy, name)) for name in names)]
            for strategy in self.experiment.strategies
        ]
        return FigureTable(
            f"{title}, {self.ground}, {len(self.topics)} topics",
            ["crawler", *(_title(name) for name in names)],
            rows,
        )

    def ahead(self, claim: str, metric: str, a: str, b: str) -> Finding:
        """Whether `a` does better than `b` by a measure."""
        return self.difference(
            claim,
            measure_of(metrics.find(metric)).better,
            (a, self.values(a, metric)),
            (b, self.values(b, metric)),
        )

    def difference(self, claim: str, better: Better, a: NamedValues, b: NamedValues) -> Finding:
        """Whether the first does better than the second, topic by topic."""
        sign = 1 if better is Better.HIGHER else -1
        return self._finding(claim, a, b, lambda diff, p: diff * sign > 0 and p < SURE, sign)

    def tie(self, claim: str, a: NamedValues, b: NamedValues) -> Finding:
        """Whether two cannot be told apart."""
        return self._finding(claim, a, b, lambda _, p: p >= SURE)

    def _finding(
        self, claim: str, a: NamedValues, b: NamedValues, holds: Callable[[float, float], bool], sign: int = 0
    ) -> Finding:
        test = compare(claim, a[0], b[0], a[1], b[1], self.experiment.seed)
        means = f"{self.names.get(a[0], a[0])} {_mean(a[1])}, {self.names.get(b[0], b[0])} {_mean(b[1])}"
        return finding_of(f"{claim} ({self.ground})", means, test, holds, sign)


def _mean(values: Sequence[float | None]) -> str:
    """Mean and standard error, with digits that mean something.

    >>> _mean([0.25, 0.75]), _mean([]), _mean([612.0, 640.0])
    ('0.500 ± 0.250', 'none', '626.0 ± 14.0')
    """
    score = summary(values)
    if score.mean is None:
        return "none"
    digits = 3 if abs(score.mean) < 10 else 1
    return f"{score.mean:.{digits}f}" + (f" ± {score.se:.{digits}f}" if score.se is not None else "")


def _title(metric: str) -> str:
    measure = measure_of(metrics.find(metric))
    return f"{measure.title} (less is better)" if measure.better is Better.LOWER else measure.title
