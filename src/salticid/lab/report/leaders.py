"""Who is ahead, by which measure, and whether it is more than chance."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from salticid.lab.plots.numbers import finite
from salticid.lab.results import Results, Score, Test
from salticid.metrics.parts.measure import Better, Group, Measure

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
