"""The tables of a report, and which strategy is ahead by more than chance."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from salticid.lab.plots import MISSING, decimals, finite, mean_and_error, number, p_value
from salticid.lab.results import Results, Score, Test, TopicResult
from salticid.lab.topic_measures import chance_correlation
from salticid.metrics import Better, Group, Measure

# Who is ahead, by which measure, and whether it is more than chance.

LEVEL = 0.05
"""Below this a difference holds."""
LEADING = ("oracle_share", "target_recall", "recall_auc", "harvest")
"""By the first of these that was measured the strategies are put in order; without them, by another."""


@dataclass(frozen=True, slots=True)
class Rival:
    """A strategy beside the best one: its score and the test between the two, if one was made.

    `holds` when it is behind and the difference survives the correction.
    """

    name: str
    score: Score
    test: Test | None
    holds: bool

    @property
    def p(self) -> float | None:
        """How likely chance alone makes such a difference, corrected for all comparisons of the measure."""
        return finite(self.test.p_adjusted) if self.test else None


@dataclass(frozen=True, slots=True)
class Ranking:
    """The strategies that have a value for a measure: the best, and the others, better ones first.

    Where neither way is better, the best is only the highest.
    """

    measure: Measure
    best: str
    score: Score
    rivals: list[Rival]

    @property
    def tested(self) -> list[Rival]:
        """The rivals whose test has a p-value."""
        return [rival for rival in self.rivals if rival.p is not None]

    @property
    def scores(self) -> list[Score]:
        """The scores of the best and of its rivals."""
        return [self.score, *(rival.score for rival in self.rivals)]


class Findings:
    """Results with their tests at hand."""

    def __init__(self, results: Results) -> None:
        self.results = results
        self.strategies = list(results.strategies)
        self._tests = {(test.metric, test.a, test.b): test for test in results.tests}

    def measures(self) -> list[Measure]:
        """All measures of the experiment, also those without a value."""
        return self.in_order(name for scores in self.results.strategies.values() for name in scores)

    def measure(self, name: str) -> Measure:
        """What a measure says about itself; one that says nothing praises nobody."""
        return self.results.measures.get(name) or Measure().with_name(name)

    def in_order(self, names: Iterable[str]) -> list[Measure]:
        """The measures of these names, each once: group by group, the leading ones first, then by name."""
        leading = {name: place for place, name in enumerate(LEADING)}
        groups = list(Group)
        return sorted(
            map(self.measure, set(names)),
            key=lambda each: (groups.index(each.group), leading.get(each.name, len(leading)), each.name),
        )

    def score(self, strategy: str, measure: str) -> Score:
        """The score of a strategy; one without a value where there is none."""
        return self.results.strategies[strategy].get(measure, Score(None, None, 0))

    def has_value(self, measure: Measure) -> bool:
        return any(finite(self.score(each, measure.name).mean) is not None for each in self.strategies)

    def leading(self) -> Measure | None:
        """The measure that sums the comparison up: one of those that lead, else the first that praises anybody."""
        praising = [measure for measure in self.measures() if measure.better is not Better.NEITHER]
        return next(filter(self.has_value, praising), None)

    def test(self, measure: str, a: str, b: str) -> Test | None:
        """The test between two strategies, whichever of them it names first; its `diff` may be of either sign."""
        return self._tests.get((measure, a, b)) or self._tests.get((measure, b, a))

    def standing(self, measure: Measure) -> Ranking | None:
        """None where nobody has a value. Equal ones stay in the order in which the strategies were named."""
        scores = [(name, self.score(name, measure.name)) for name in self.strategies]
        order = sorted(
            ((name, score, mean) for name, score in scores if (mean := finite(score.mean)) is not None),
            key=lambda each: each[2] if measure.better is Better.LOWER else -each[2],
        )
        if not order:
            return None
        best, score, _ = order[0]
        rivals = [self._rival(measure, best, name, theirs) for name, theirs, _ in order[1:]]
        return Ranking(measure, best, score, rivals)

    def in_standing(self) -> list[str]:
        """All strategies, the best first by the leading measure; those it does not measure last."""
        leading = self.leading()
        standing = self.standing(leading) if leading else None
        names = [standing.best, *(rival.name for rival in standing.rivals)] if standing else []
        return names + [name for name in self.strategies if name not in names]

    def _rival(self, measure: Measure, best: str, name: str, score: Score) -> Rival:
        test = self.test(measure.name, best, name)
        return Rival(name, score, test, test is not None and _ahead(test, best, measure.better))


def _ahead(test: Test, best: str, better: Better) -> bool:
    """Whether the difference holds, and on the topics both were measured on points the way the means do."""
    p = finite(test.p_adjusted)
    lead = test.diff if test.a == best else -test.diff
    return p is not None and p < LEVEL and (lead < 0 if better is Better.LOWER else lead > 0)


SHADES = 9
"""So many shades the style sheet knows for a heat map."""


@dataclass(frozen=True, slots=True)
class Cell:
    """A text, the number it is sorted by, whether it stands out, and a mark or shade it carries."""

    text: str
    value: float | None = None
    bold: bool = False
    mark: str = ""
    shade: int | None = None


@dataclass(frozen=True, slots=True)
class Row:
    """A line of a table."""

    head: str
    cells: list[Cell]
    note: str = ""


@dataclass(frozen=True, slots=True)
class ReportTable:
    """Rows under column heads; `lower` are the heads of columns in which less is better."""

    heads: list[str]
    rows: list[Row]
    lower: frozenset[str] = frozenset()


def league(findings: Findings, group: Group) -> ReportTable | None:
    """Strategies by the measures of a group, the best in bold; None where nothing of the group was measured."""
    measures = [each for each in findings.measures() if each.group is group and findings.has_value(each)]
    if not measures:
        return None
    columns = [_league_column(findings, measure) for measure in measures]
    rows = [Row(name, [column[name] for column in columns]) for name in findings.in_standing()]
    lower = frozenset(measure.title for measure in measures if measure.better is Better.LOWER)
    return ReportTable([measure.title for measure in measures], rows, lower)


def heat_map(findings: Findings, measure: Measure) -> ReportTable:
    """Topics by strategies: the more, the darker, from the least to the most in the table."""
    strategies, topics = findings.in_standing(), findings.results.topics
    values = [value for topic in topics for name in strategies if (value := _value(topic, name, measure)) is not None]
    low, high = min(values, default=0.0), max(values, default=0.0)
    digits = max(measure.digits, 2) if measure.unit in ("share", "cosine") else measure.digits

    def cell(topic: TopicResult, name: str) -> Cell:
        value = _value(topic, name, measure)
        if value is None:
            return Cell("failed" if name in topic.failed else MISSING)
        shade = int((value - low) / (high - low) * SHADES) if high > low else 0
        return Cell(number(value, digits), value, shade=min(shade, SHADES - 1))

    return ReportTable(strategies, [Row(topic.name, [cell(topic, name) for name in strategies]) for topic in topics])


def topic_table(findings: Findings, topic: TopicResult) -> ReportTable:
    """All that was measured on one topic, measure by measure, the best in bold."""
    strategies = findings.in_standing()
    rows = []
    for measure in findings.in_order(name for values in topic.values.values() for name in values):
        values = {name: _value(topic, name, measure) for name in strategies}
        numbers = [value for value in values.values() if value is not None]
        if not numbers:
            continue
        best = {Better.HIGHER: max(numbers), Better.LOWER: min(numbers), Better.NEITHER: None}[measure.better]
        digits = measure.digits + 1
        cells = [Cell(number(value, digits), value, value is not None and value == best) for value in values.values()]
        rows.append(Row(measure.title, cells))
    return ReportTable(strategies, rows)


def test_tables(findings: Findings) -> list[tuple[Measure, ReportTable]]:
    """All tests, measure by measure; the differences that hold are bold."""
    tests = findings.results.tests
    heads = ["difference", "95 % interval", "p, paired t", "p, Wilcoxon", "p, Holm", "topics"]
    tables = []
    for measure in findings.in_order(test.metric for test in tests):
        mine = [test for test in tests if test.metric == measure.name]
        digits = decimals([test.width for test in mine], 2, measure.digits)
        tables.append((measure, ReportTable(heads, [_test_row(test, measure, digits) for test in mine])))
    return tables


def join_tables(tables: Sequence[tuple[Measure, ReportTable]]) -> ReportTable | None:
    """One table of all tests; None where there are none."""
    rows = [row for _, table in tables for row in table.rows]
    return ReportTable(tables[0][1].heads, rows) if tables else None


def dependence_table(findings: Findings) -> ReportTable:
    """Rank correlations of measures with what topics are like; bold beyond what chance allows."""
    strategies = findings.in_standing()
    chance = chance_correlation(len(findings.results.topics))
    rows = []
    for trait, by_measure in findings.results.dependence.items():
        for measure in findings.in_order(by_measure):
            rhos = [finite(by_measure[measure.name].get(name)) for name in strategies]
            if all(rho is None for rho in rhos):
                continue
            cells = [
                Cell(number(rho, 2), rho, rho is not None and chance is not None and abs(rho) >= chance) for rho in rhos
            ]
            rows.append(Row(measure.title, cells, note=trait))
    return ReportTable(strategies, rows)


def failures(topics: Sequence[TopicResult]) -> list[tuple[str, str, str]]:
    """Who failed on which topic, and what was raised."""
    return [(name, topic.name, why) for topic in topics for name, why in topic.failed.items()]


def missing_values(findings: Findings) -> list[tuple[Measure, str]]:
    """Measures without a value for some strategy or topic: how many topics they have, and what they need."""
    topics = len(findings.results.topics)
    gaps = []
    for measure in findings.measures():
        counts = sorted({findings.score(name, measure.name).n for name in findings.strategies})
        if counts[0] >= topics:
            continue
        on = f"{counts[0]} to {counts[-1]}" if counts[0] < counts[-1] else f"{counts[0]}"
        gaps.append((measure, f"{on} of {topics}"))
    return gaps


def text_of(value: Any) -> str:
    """A setting as a reader writes it.

    >>> text_of({"n": 256, "admit": None, "nets": [0.5, True]})
    'n 256, admit none, nets 0.5 yes'
    >>> text_of({"name": "best_first", "admit": "compete"})
    'best_first, admit compete'
    """
    if value is None or isinstance(value, bool):
        return {None: "none", True: "yes", False: "no"}[value]
    if isinstance(value, int):
        return str(value)
    if isinstance(value, Mapping):
        parts = (text_of(each) if key == "name" else f"{key} {text_of(each)}" for key, each in value.items())
        return ", ".join(parts) or "none"
    if isinstance(value, Sequence) and not isinstance(value, str):
        return " ".join(map(text_of, value)) or "none"
    return str(value)


def _league_column(findings: Findings, measure: Measure) -> dict[str, Cell]:
    standing = findings.standing(measure)
    scores = {name: findings.score(name, measure.name) for name in findings.strategies}
    largest = max((error for score in scores.values() if (error := finite(score.se)) is not None), default=None)
    digits = decimals([largest], 2, measure.digits)
    marks = _marks(standing) if standing and measure.better is not Better.NEITHER else {}
    apart = len({score.mean for score in scores.values()}) > 1
    best = standing.score.mean if standing and marks and apart else None
    return {
        name: Cell(
            mean_and_error(score, digits),
            finite(score.mean),
            best is not None and score.mean == best,
            marks.get(name, ""),
        )
        for name, score in scores.items()
    }


def _marks(standing: Ranking) -> dict[str, str]:
    """How sure it is that each strategy is behind the best: stars, or "" where it is not."""
    marks = {standing.best: ""}
    for rival in standing.rivals:
        p = rival.p if rival.holds else None
        marks[rival.name] = "" if p is None else "***" if p < 0.001 else "**" if p < 0.01 else "*"
    return marks


def _test_row(test: Test, measure: Measure, digits: int) -> Row:
    holds = (p := finite(test.p_adjusted)) is not None and p < LEVEL
    return Row(
        f"{test.a} − {test.b}",
        [
            Cell(number(test.diff, digits), finite(test.diff), holds),
            Cell(f"{number(test.low, digits)} to {number(test.high, digits)}"),
            Cell(p_value(test.p)),
            Cell(p_value(test.p_wilcoxon)),
            Cell(p_value(test.p_adjusted), p, holds),
            Cell(str(test.n)),
        ],
        note=measure.title,
    )


def _value(topic: TopicResult, strategy: str, measure: Measure) -> float | None:
    return finite(topic.values.get(strategy, {}).get(measure.name))
