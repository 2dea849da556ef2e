"""What the numbers say, in words: never more than the tests allow."""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Callable, Mapping, Sequence

from salticid.lab.plots import decimals, finite, mean_and_error, number, p_text
from salticid.lab.report.tables import LEADING, LEVEL, Findings, Ranking, Rival
from salticid.lab.results import Curve, Score, TopicResult
from salticid.lab.topic_measures import chance_correlation
from salticid.metrics import Better, Measure

MOST_NAMES = 4
"""Of more strategies only the first three are named, and the rest are counted."""
NOISE = 0.05
"""Who leads in so small a part of a crawl is left to chance."""


def verdict(findings: Findings, measure: Measure, pages: float | None = None) -> str:
    """Who is better by a measure, after so many pages: "" where nobody has a value."""
    standing = findings.standing(measure)
    if standing is None:
        return ""
    numbers = _Numbers(standing, pages)
    if not standing.rivals:
        return f"{_capital(measure.title)}: {numbers.best}; there is nothing to compare it with."
    if measure.better is Better.NEITHER:
        return _description(numbers, findings)
    if not standing.tested:
        return _without_test(numbers, len(findings.results.topics))
    behind = [rival for rival in standing.rivals if rival.holds]
    level = [rival for rival in standing.rivals if not rival.holds]
    if not behind:
        least = min(p for rival in standing.tested if (p := rival.p) is not None)
        return (
            f"Nobody's lead in {measure.title} is significant: {numbers.best}; {numbers.names(level)}; "
            f"{p_text(least)} at the least ({numbers.how})."
        )
    claim = f"{standing.best} {measure.claim}: {numbers.value}"
    if not level and len(behind) == 1:
        return f"{claim}; {numbers.name(behind[0])}; {p_text(behind[0].p)} ({numbers.how})."
    if not level:
        return f"{claim}; {numbers.names(behind, p=True)}; {numbers.how}."
    return (
        f"{claim}; ahead of {numbers.names(behind, p=True)}; not told apart from "
        f"{numbers.names(level, p=True)}; {numbers.how}."
    )


def lead_since(curves: Mapping[str, Curve], better: Better) -> str:
    """From where on the curve that ends best is the best of all; "" when it all but always or never was."""
    lines = {name: curve for name, curve in curves.items() if len(curve.x) > 1}
    if len(lines) < 2 or better is Better.NEITHER:
        return ""
    last = min(curve.x[-1] for curve in lines.values())
    grid = sorted({x for curve in lines.values() for x in curve.x if x <= last})
    leaders = [_leader(lines, x, better) for x in grid]
    since = len(leaders)
    while since and leaders[since - 1] == leaders[-1]:
        since -= 1
    if leaders[-1] is None or min(since, len(grid) - since) <= NOISE * len(grid):
        return ""
    before = Counter(name for name in leaders[:since] if name is not None)
    others = "" if len(before) != 1 else f"; before that, {next(iter(before))}"
    return f"The mean of {leaders[-1]} is ahead from page {grid[since]:,.0f} on{others}."


def at_places(curves: Mapping[str, Curve], places: Sequence[float], what: str, better: Better) -> str:
    """The values of the curves at a few places, better ones first: "top 10: a 0.50, b 0.40; top 100: ..."."""
    parts = []
    for place in places:
        values = _at(curves, place, better)
        if values:
            parts.append(f"{what} {place:,.0f}: {_list_of([f'{name} {number(value, 2)}' for name, value in values])}")
    return "; ".join(parts)


def precision_at_recall(curves: Mapping[str, Curve]) -> str:
    """Who is most precise at the largest recall where nobody has come down to zero; no test is made of it."""
    lines = {name: curve for name, curve in curves.items() if curve.x}
    if not lines:
        return ""
    common = [x for x in next(iter(lines.values())).x if all(_value(c.mean, c, x) for c in lines.values())]
    if not common:
        return "At no recall has everybody a precision above zero."
    recall = common[-1]
    scores = {
        name: Score(_value(curve.mean, curve, recall), _value(curve.se, curve, recall), 0)
        for name, curve in lines.items()
    }
    digits = decimals([score.se for score in scores.values()], 1, otherwise=2)
    order = sorted(scores, key=lambda name: -(finite(scores[name].mean) or 0.0))
    values = _list_of([f"{name} {mean_and_error(scores[name], digits)}" for name in order])
    return f"Precision at a recall of {recall:.2g}, the most at which nobody is at zero: {values} (not tested)."


def wins(topics: Sequence[TopicResult], strategies: Sequence[str], measure: Measure) -> str:
    """On how many topics each strategy is the best."""
    if measure.better is Better.NEITHER or len(strategies) < 2:
        return ""
    firsts = Counter(dict.fromkeys(strategies, 0))
    tie_count = unknown = 0
    for topic in topics:
        leaders = _best_of(topic, strategies, measure)
        firsts.update(leaders if len(leaders) == 1 else [])
        tie_count += len(leaders) > 1
        unknown += not leaders
    topic_count = len(topics) - unknown
    if not topic_count:
        return ""
    counts = [f"{name} on {count}" for name, count in firsts.most_common() if count]
    ties = f"; {tie_count} {'is a tie' if tie_count == 1 else 'are ties'}" if tie_count else ""
    what = "the lowest" if measure.better is Better.LOWER else "the highest"
    return f"Of {_count(topic_count, 'topic')}, {what} {measure.title}: {_list_of(counts)}{ties}."


def distances(everything: Mapping[str, Sequence[int]], relevant: Mapping[str, Sequence[int]]) -> str:
    """How far from the seeds each strategy went, and how far its targets lie."""
    parts = []
    for name, counts in everything.items():
        mean, good = _mean_of(counts), _mean_of(relevant.get(name, ()))
        if mean is not None:
            parts.append(f"{name} {mean:.1f} and {number(good, 1)}")
    text = _list_of(parts, between="; ")
    return f"Mean links from the seeds to all pages, and to the targets among them: {text}." if parts else ""


def dependences(
    dependence: Mapping[str, Mapping[str, Mapping[str, float]]],
    topics: int,
    measure_of: Callable[[str], Measure],
) -> str:
    """The strongest dependence of the leading measure on each trait, or that there is none to speak of."""
    chance = chance_correlation(topics)
    if chance is None:
        return f"{_count(topics, 'topic')}: too few to tell a dependence from chance." if dependence else ""
    parts = []
    for trait, by_measure in dependence.items():
        measure = next((name for name in LEADING if by_measure.get(name)), None)
        correlations = [
            (rho, name) for name, rho in by_measure.get(measure or "", {}).items() if finite(rho) is not None
        ]
        strongest = max(correlations, key=lambda each: abs(each[0]), default=None)
        if measure is None or strongest is None:
            continue
        rho, name = strongest
        if abs(rho) < chance:
            parts.append(f"{measure_of(measure).title} depends on {trait} no more than chance allows")
        else:
            way = "rises" if rho > 0 else "falls"
            parts.append(f"{measure_of(measure).title} of {name} {way} with {trait} (rho = {number(rho, 2)})")
    return f"{_capital('; '.join(parts))}." if parts else ""


class _Numbers:
    """The numbers of a standing, all with the same decimals."""

    def __init__(self, standing: Ranking, pages: float | None) -> None:
        self.standing = standing
        measure = standing.measure
        self._digits = decimals([score.se for score in standing.scores], 1, measure.digits)
        of = f" {measure.of}" if measure.of else ""
        after = f" after {pages:,.0f} pages" if pages else ""
        self.value = f"{mean_and_error(standing.score, self._digits)}{of}{after}"
        self.best = f"{standing.best} {self.value}"

    @property
    def how(self) -> str:
        """The test and the number of topics it saw."""
        sizes = sorted({rival.test.n for rival in self.standing.rivals if rival.test})
        topics = _count(sizes[-1], "topic") if len(sizes) == 1 else f"{sizes[0]} to {sizes[-1]} topics"
        return f"paired t over {topics}, Holm"

    def name(self, rival: Rival, p: bool = False) -> str:
        value = f"{rival.name} {mean_and_error(rival.score, self._digits)}"
        return f"{value} ({p_text(rival.p)})" if p else value

    def names(self, rivals: Sequence[Rival], p: bool = False) -> str:
        return _list_of([self.name(rival, p) for rival in rivals])


def _description(numbers: _Numbers, findings: Findings) -> str:
    """Where neither way is better: the values, and how many of the differences hold."""
    standing = numbers.standing
    measure = standing.measure
    tests = [test for test in findings.results.tests if test.metric == measure.name]
    p_values = [p for test in tests if (p := finite(test.p_adjusted)) is not None]
    sure = sum(p < LEVEL for p in p_values)
    values = f"{numbers.best}; {numbers.names(standing.rivals)}"
    line = f"{_capital(measure.title)}: {values}; neither more nor less is better."
    if not p_values:
        return line
    if not sure:
        return f"{line} No difference is significant."
    hold = "holds" if sure == 1 else "hold"
    return f"{line} {sure} of {_count(len(p_values), 'difference')} {hold} (p < {LEVEL:g}, Holm)."


def _without_test(numbers: _Numbers, topics: int) -> str:
    why = "one topic allows no test" if topics == 1 else "no test could be made"
    standing = numbers.standing
    values = f"{numbers.best}; {numbers.names(standing.rivals)}"
    return f"{_capital(standing.measure.title)}: {values}; {why}, so this may be chance."


def _leader(curves: Mapping[str, Curve], x: float, better: Better) -> str | None:
    values = _at(curves, x, better)
    return values[0][0] if values else None


def _at(curves: Mapping[str, Curve], x: float, better: Better) -> list[tuple[str, float]]:
    """The curves that reach so far, with their values there, better ones first."""
    values = [(name, _value(curve.mean, curve, x)) for name, curve in curves.items() if curve.x]
    pairs = [(name, value) for name, value in values if value is not None]
    return sorted(pairs, key=lambda each: each[1] if better is Better.LOWER else -each[1])


def _value(values: Sequence[float], curve: Curve, x: float) -> float | None:
    """The value at x, on a straight line between the points beside it; None beyond the ends."""
    if x < curve.x[0] or x > curve.x[-1]:
        return None
    right = bisect_left(curve.x, x)
    if curve.x[right] == x:
        return finite(values[right])
    x0, x1 = curve.x[right - 1], curve.x[right]
    return finite(values[right - 1] + (values[right] - values[right - 1]) * (x - x0) / (x1 - x0))


def _best_of(topic: TopicResult, strategies: Sequence[str], measure: Measure) -> list[str]:
    values = {name: finite(topic.values.get(name, {}).get(measure.name)) for name in strategies}
    scores = {name: value for name, value in values.items() if value is not None}
    choose: Callable[..., float] = min if measure.better is Better.LOWER else max
    best = choose(scores.values(), default=0.0)
    return [name for name, value in scores.items() if value == best]


def _mean_of(counts: Sequence[int]) -> float | None:
    total = sum(counts)
    return sum(far * count for far, count in enumerate(counts)) / total if total else None


def _list_of(parts: Sequence[str], between: str = ", ") -> str:
    if len(parts) <= MOST_NAMES:
        return between.join(parts)
    return f"{between.join(parts[: MOST_NAMES - 1])} and {len(parts) - MOST_NAMES + 1} more"


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]


def _count(n: int, noun: str) -> str:
    return f"{n:,} {noun}" if n == 1 else f"{n:,} {noun}s"
