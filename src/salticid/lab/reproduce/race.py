"""A race of strategies on one world, and what can be read off it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from salticid.lab.compare import Watch, crawls_and_measures
from salticid.lab.crawl_record import grid
from salticid.lab.experiment import Experiment
from salticid.lab.reproduce.findings import Claim, Finding, PrintedFigure, finding_of
from salticid.lab.reproduce.reproduction import FigureTable, PaperFigure
from salticid.lab.results import Curve
from salticid.lab.statistics import compare, known_together, p_of_equality, summary
from salticid.lab.topic_measures import TopicMeasures
from salticid.metrics import TOPS, Better, measure_of, metrics

Values = Sequence[float | None]
"""A number for each topic."""
NamedValues = tuple[str, Values]
"""A strategy and its values, topic by topic."""
EQUAL = 0.1
"""Two are equal when they differ by less than this part of their mean."""
SHARE, PART = 0.01, 0.02
"""The smallest effects that matter: a point in a hundred of shares and cosines, a fiftieth of the mean of ranks and
other sizes."""


@dataclass(frozen=True, slots=True)
class PaperRace:
    """The topics of an experiment, measured; `names` are what people call the strategies."""

    where: str
    experiment: Experiment
    names: Mapping[str, str]
    topics: Sequence[TopicMeasures]
    costs: Mapping[str, Sequence[tuple[float, int]]]
    """For each crawl of a strategy the processor time of the strategy alone, in seconds, and the pages."""

    @classmethod
    def run(
        cls,
        where: str,
        experiment: Experiment,
        names: Mapping[str, str],
        out: Path,
        workers: int,
        watch: Watch,
    ) -> PaperRace:
        """Make the crawls and the measures that are not in `out` yet."""

        def report(what: str, count: int, of: int) -> None:
            watch(f"{where}: {what}", count, of)

        records, topics = crawls_and_measures(experiment, out, workers, report)
        costs = {
            strategy: [
                (record.own_cpu, len(record.pages)) for case, record in records.items() if case.strategy == strategy
            ]
            for strategy in experiment.strategies
        }
        return cls(where, experiment, names, topics, costs)

    def values(self, strategy: str, metric: str) -> list[float | None]:
        """A measure of a strategy, topic by topic."""
        return [topic.values.get(strategy, {}).get(metric) for topic in self.topics]

    def after(self, strategy: str, curve: str, pages: int) -> list[float | None]:
        """A curve of a strategy after so many pages, topic by topic, on a line between the two places it is kept at."""
        places = grid(self.experiment.max_pages)
        return [None if row is None else float(np.interp(pages, places, row)) for row in self._rows(strategy, curve)]

    def top(self, strategy: str, curve: str, best: int) -> list[float | None]:
        """The coverage of the `best` pages of the pool, topic by topic."""
        return [None if row is None else row[TOPS.index(best)] for row in self._rows(strategy, curve)]

    def table(self, title: str, names: Sequence[str]) -> FigureTable:
        """Strategies and measures: mean and standard error over topics."""
        rows = [
            [self.names[strategy], *(mean_text(self.values(strategy, name)) for name in names)]
            for strategy in self.experiment.strategies
        ]
        return FigureTable(
            f"{title}, {self.where}, {len(self.topics)} topics",
            ["crawler", *(_title(name) for name in names)],
            rows,
        )

    def cost_table(self) -> FigureTable:
        """Processor time a page and a topic, as paper 1 accounts for it: of the crawler, without what all share."""
        rows = []
        for strategy, costs in self.costs.items():
            milliseconds: list[float | None] = [1000 * cpu / pages for cpu, pages in costs if pages]
            rows.append([self.names[strategy], mean_text(milliseconds), mean_text([cpu for cpu, _ in costs])])
        return FigureTable(
            f"Processor time of the crawlers alone, {self.where}; it is never the same twice",
            ["crawler", "milliseconds a page", "seconds a topic"],
            rows,
        )

    def figure(self, number: str, printed: PrintedFigure, curve: str, main: bool = False) -> PaperFigure:
        """A figure of the paper: a curve of each strategy, with its standard error over topics."""
        measure = measure_of(metrics.find(curve))
        places = [float(n) for n in (measure.tops or grid(self.experiment.max_pages))]
        curves = {
            self.names[strategy]: _mean_curve(places, [row for row in self._rows(strategy, curve) if row])
            for strategy in self.experiment.strategies
        }
        return PaperFigure(
            f"Figure {number}",
            printed.title,
            self.where,
            printed.quote,
            "best n pages of the pool" if measure.tops else "pages fetched",
            _title(curve),
            curves,
            from_zero=measure.unit != "rank",
            log=bool(measure.tops),
            main=main,
        )

    def bars(
        self, number: str, printed: PrintedFigure, measures: Sequence[str], levels: Mapping[str, float], main: bool
    ) -> PaperFigure:
        """A figure of the paper: bars of each strategy, side by side for some measures."""
        curves = {}
        for strategy in self.experiment.strategies:
            scores = [summary(self.values(strategy, metric)) for metric in measures]
            means, errors = [score.mean or 0.0 for score in scores], [score.se or 0.0 for score in scores]
            curves[self.names[strategy]] = Curve([float(n) for n in range(len(measures))], means, errors)
        return PaperFigure(
            f"Figure {number}",
            printed.title,
            self.where,
            printed.quote,
            "",
            "share of pages",
            curves,
            groups=[measure_of(metrics.find(metric)).title for metric in measures],
            levels=dict(levels),
            main=main,
        )

    def ahead(self, claim: Claim, metric: str, a: str, b: str) -> Finding:
        """Whether `a` does better than `b` by a measure."""
        measure = measure_of(metrics.find(metric))
        values = [(name, self.values(name, metric)) for name in (a, b)]
        least = SHARE if measure.unit in ("share", "cosine") else None
        return self.difference(claim, measure.better, values[0], values[1], least)

    def difference(
        self, claim: Claim, better: Better, a: NamedValues, b: NamedValues, least: float | None = None
    ) -> Finding:
        """Whether the first does better than the second, topic by topic."""
        test = compare(claim.finding, a[0], b[0], a[1], b[1])
        if least is None:
            least = part_of_mean(a[1], b[1])
        return finding_of(claim, self.where, self._means(a, b), test, least, 1 if better is Better.HIGHER else -1)

    def equal(self, claim: Claim, a: NamedValues, b: NamedValues) -> Finding:
        """Whether two differ by less than a tenth of their mean."""
        return equality(claim, self.where, self._means(a, b), a[1], b[1])

    def _means(self, a: NamedValues, b: NamedValues) -> str:
        return f"{self.names.get(a[0], a[0])} {mean_text(a[1])}, {self.names.get(b[0], b[0])} {mean_text(b[1])}"

    def _rows(self, strategy: str, curve: str) -> list[list[float] | None]:
        return [topic.curves.get(curve, {}).get(strategy) for topic in self.topics]


def part_of_mean(*values: Values, part: float = PART) -> float:
    """The smallest effect that matters for sizes without an end of their own.

    >>> part_of_mean([100.0, None], [200.0, 0.0])
    2.0
    """
    return part * (summary([each for row in values for each in row]).mean or 0.0)


def equality(claim: Claim, where: str, here: str, a: Values, b: Values) -> Finding:
    """Whether two differ by less than a tenth of their mean."""
    margin = part_of_mean(*known_together(a, b).tolist(), part=EQUAL)
    test = compare(claim.finding, "", "", a, b)
    return finding_of(claim, where, here, test, margin, p_same=p_of_equality(a, b, margin) if test else None)


def topic_counts(races: Sequence[PaperRace], wanted: int) -> str:
    """How many topics were raced on where, and why there are fewer than were wanted."""
    counts = {race.where: len(race.topics) for race in races}
    return "; ".join(
        f"{where}: {count}" + ("" if count >= wanted else ", all that it has with enough pages")
        for where, count in counts.items()
    )


def less(a: Values, b: Values) -> list[float | None]:
    """a - b, topic by topic.

    >>> less([3.0, None], [1.0, 2.0])
    [2.0, None]
    """
    return [None if x is None or y is None else x - y for x, y in zip(a, b, strict=True)]


def mean_text(values: Values) -> str:
    """Mean and standard error, with digits that mean something.

    >>> mean_text([0.25, 0.75]), mean_text([]), mean_text([612.0, 640.0])
    ('0.500 ± 0.250', 'none', '626.0 ± 14.0')
    """
    score = summary(values)
    if score.mean is None:
        return "none"
    digits = 3 if abs(score.mean) < 10 else 1
    return f"{score.mean:.{digits}f}" + (f" ± {score.se:.{digits}f}" if score.se is not None else "")


def _mean_curve(places: list[float], rows: Sequence[Sequence[float]]) -> Curve:
    scores = [summary(column) for column in zip(*rows, strict=True)]
    return Curve(places[: len(scores)], [score.mean or 0.0 for score in scores], [score.se or 0.0 for score in scores])


def _title(metric: str) -> str:
    measure = measure_of(metrics.find(metric))
    return f"{measure.title} (less is better)" if measure.better is Better.LOWER else measure.title
