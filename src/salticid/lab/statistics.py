"""What can be said of strategies from their values on many topics: means, differences, and how sure they are."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import combinations
from math import sqrt

import numpy as np
from msgspec.structs import replace
from scipy.special import stdtr, stdtrit
from scipy.stats import rankdata, ttest_ind, wilcoxon

from salticid.lab.results import Curve, Score, Test
from salticid.model import Floats

POINTS = 100
EXACT = 200
"""Up to so many topics the signed-rank test is exact."""
_DIGITS = 12
"""Differences that agree in so many digits of the values compared are equal; the rest is rounding."""


def summary(values: Sequence[float | None]) -> Score:
    """Mean and standard error (s / sqrt(n), s with n - 1) of the values there are; one value has no error.

    >>> summary([1.0, 3.0, None]), summary([None])
    (Score(mean=2.0, se=1.0, n=2), Score(mean=None, se=None, n=0))
    """
    there = numbers(values)
    there = there[np.isfinite(there)]
    if not len(there):
        return Score(None, None, 0)
    return Score(float(there.mean()), _error(there) if len(there) > 1 else None, len(there))


def compare(
    metric: str,
    a_name: str,
    b_name: str,
    a: Sequence[float | None],
    b: Sequence[float | None],
) -> Test | None:
    """a - b over the topics where both have a value, topic by topic; None when there is no such topic.

    `p` is of the paired t-test, `p_wilcoxon` of the signed-rank test (topics without a difference left out),
    both two-sided. Both are 1 when a and b are equal everywhere. Both are null for a single topic; `p` also
    when every topic has the same difference, for then the t-test knows no spread. `low` and `high` are the
    `interval` of the differences. `p_adjusted` is left to `adjust`.

    >>> compare("harvest", "one", "other", [0.5, 0.75, None], [0.25, 0.25, 1.0]).diff
    0.375
    """
    both = known_together(a, b)
    scaled_differences = _differences(both)
    if not len(scaled_differences):
        return None
    differences = np.where(scaled_differences == 0, 0.0, both[0] - both[1])
    low, high = interval(differences)
    return Test(
        metric=metric,
        a=a_name,
        b=b_name,
        diff=float(differences.mean()),
        p=p_of_mean(scaled_differences),
        p_wilcoxon=_signed_ranks(scaled_differences),
        p_adjusted=None,
        low=low,
        high=high,
        n=len(differences),
    )


def unpaired(a: Sequence[float], b: Sequence[float]) -> Test | None:
    """a - b where topics of a are others than those of b: Welch's t-test; `n` counts both. None below two of each.

    >>> test = unpaired([1.0, 2.0, 3.0], [1.0, 1.5, 2.0])
    >>> round(test.diff, 3), round(test.p, 3)
    (0.5, 0.496)
    """
    if min(len(a), len(b)) < 2:
        return None
    found = ttest_ind(a, b, equal_var=False)
    low, high = found.confidence_interval()
    diff, p = float(np.mean(a) - np.mean(b)), float(found.pvalue)
    return Test("", "", "", diff, p, None, None, float(low), float(high), len(a) + len(b)) if np.isfinite(p) else None


def interval(values: Floats) -> tuple[float | None, float | None]:
    """Bounds of the mean that hold in 95 of 100 samples (Student's t); None for a single value.

    >>> [round(bound, 3) for bound in interval(np.array([1.0, 2.0, 3.0]))]
    [-0.484, 4.484]
    """
    if len(values) < 2:
        return None, None
    mean, room = float(values.mean()), float(stdtrit(len(values) - 1, 0.975)) * _error(values)
    return mean - room, mean + room


def p_of_mean(differences: Floats) -> float | None:
    """p of a mean of 0 by the t-test: t = mean / standard error, with n - 1 degrees of freedom.

    None where there is one value, or all are the same and not 0.
    """
    if len(differences) < 2:
        return None
    if not differences.any():
        return 1.0
    if (differences == differences[0]).all():
        return None
    t = float(differences.mean()) / _error(differences)
    return float(2 * stdtr(len(differences) - 1, -abs(t)))


def adjust(tests: Sequence[Test]) -> list[Test]:
    """The same tests with `p` corrected for all comparisons of the same measure, by Holm's method.

    >>> tests = [Test("m", "a", b, 0.1, p, p, None, 0.0, 0.2, 9) for b, p in (("b", 0.04), ("c", 0.01))]
    >>> [test.p_adjusted for test in adjust(tests)]
    [0.04, 0.02]
    """
    results = list(tests)
    for metric in dict.fromkeys(test.metric for test in tests):
        family = [at for at, test in enumerate(tests) if test.metric == metric]
        for at, p in zip(family, holm([tests[at].p for at in family]), strict=True):
            results[at] = replace(tests[at], p_adjusted=p)
    return results


def holm(chances: Sequence[float | None]) -> list[float | None]:
    """The p of tests made together, corrected by Holm's method; what has none keeps none and is not counted.

    The i-th smallest of m is multiplied by m - i + 1, made no smaller than the one before and at most 1.

    >>> holm([0.04, None, 0.01, 0.3])
    [0.08, None, 0.03, 0.3]
    """
    corrected = list(chances)
    family = sorted((p, at) for at, p in enumerate(chances) if p is not None)
    least = 0.0
    for before, (p, at) in enumerate(family):
        least = max(least, min(1.0, p * (len(family) - before)))
        corrected[at] = least
    return corrected


def p_of_equality(a: Sequence[float | None], b: Sequence[float | None], margin: float) -> float | None:
    """p of the claim that a and b differ by less than `margin` in the mean: two one-sided paired t-tests.

    None where fewer than two topics have both, or all of them the same difference.

    >>> p_of_equality([1.0, 2.0, 3.0], [1.1, 1.9, 3.05], 1.0) < 0.01
    True
    """
    differences = np.diff(known_together(b, a), axis=0)[0]
    if len(differences) < 2 or (differences == differences[0]).all():
        return None
    room = (margin - abs(float(differences.mean()))) / _error(differences)
    return float(stdtr(len(differences) - 1, -room))


def all_pairs(metric: str, values: Mapping[str, Sequence[float | None]]) -> list[Test]:
    """Each strategy against each that comes after it, adjusted; `values` has, by strategy, one a topic."""
    tests = (compare(metric, a, b, values[a], values[b]) for a, b in combinations(values, 2))
    return adjust([test for test in tests if test is not None])


def curve(values: Sequence[Floats]) -> Curve:
    """Mean and standard error over topics after 1, 2, ... pages; `values` has a curve a topic, of any length.

    A crawl that ended early holds its last value; one without a page is left out. A single topic has error 0.
    At most 100 points, evenly spread, the first and the last always among them.

    >>> curve([np.array([1.0, 3.0]), np.array([3.0])])
    Curve(x=[1.0, 2.0], mean=[2.0, 3.0], se=[1.0, 0.0])
    """
    table = _table(values)
    topics, longest = table.shape
    if not longest:
        return Curve([], [], [])
    x = np.rint(np.linspace(1, longest, min(longest, POINTS))).astype(np.int64)
    at = table[:, x - 1]
    errors = at.std(axis=0, ddof=1) / sqrt(topics) if topics > 1 else np.zeros(len(x))
    return Curve(x.astype(np.float64).tolist(), at.mean(axis=0).tolist(), errors.tolist())


def numbers(values: Sequence[float | None]) -> Floats:
    """The values as an array, nan where there is none."""
    return np.array([np.nan if value is None else value for value in values], np.float64)


def known_together(a: Sequence[float | None], b: Sequence[float | None]) -> Floats:
    """Two rows: what a and b are on the topics where both are known.

    >>> known_together([1.0, None, 3.0], [4.0, 5.0, 6.0]).tolist()
    [[1.0, 3.0], [4.0, 6.0]]
    """
    both = np.stack([numbers(a), numbers(b)])
    shared_values: Floats = both[:, np.isfinite(both).all(axis=0)]
    return shared_values


def _table(values: Sequence[Floats]) -> Floats:
    """Curves as the rows of a table, each with its last value to the end; empty ones left out."""
    there = [each for each in values if len(each)]
    longest = max(map(len, there), default=0)
    table = np.empty((len(there), longest))
    for row, each in zip(table, there, strict=True):
        row[: len(each)] = each
        row[len(each) :] = each[-1]
    return table


def _error(values: Floats) -> float:
    return float(values.std(ddof=1)) / sqrt(len(values))


def _differences(both: Floats) -> Floats:
    """The differences of two rows at the scale of their values, without what is only rounding."""
    scale = float(np.abs(both).max(initial=0.0)) or 1.0
    differences: Floats = (both[0] / scale - both[1] / scale).round(_DIGITS)
    return differences


def _signed_ranks(differences: Floats) -> float | None:
    """p of the signed-rank test, exact also with ties; by the normal approximation for very many topics.

    Each rank is as likely to be gained as lost; `chances[w]` is how likely those gained sum to w / 2.
    """
    if len(differences) < 2:
        return None
    changes = differences[differences != 0]
    if len(changes) > EXACT:
        return float(wilcoxon(changes, method="asymptotic").pvalue)
    double_ranks = np.rint(2 * rankdata(np.abs(changes))).astype(np.int64)  # tied ranks have halves
    chances = np.zeros(int(double_ranks.sum()) + 1)
    chances[0] = 1.0
    for rank in double_ranks.tolist():
        halves = chances / 2
        chances = halves.copy()
        chances[rank:] += halves[:-rank]
    gains = int(double_ranks[changes > 0].sum())
    return min(1.0, 2 * float(min(chances[: gains + 1].sum(), chances[gains:].sum())))
