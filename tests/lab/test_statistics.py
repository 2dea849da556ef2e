"""Means, tests and curves: numbers worked out by hand, those of scipy, and what must always hold."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from itertools import combinations
from math import sqrt

import msgspec
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats
from scipy.sparse import csr_array
from sklearn.metrics.pairwise import cosine_similarity

from salticid.lab import results
from salticid.lab.results import Curve, Score
from salticid.lab.statistics import adjust, all_pairs, compare, curve, interval, summary, unpaired
from salticid.lab.topic_measures import dependence, heterogeneity, rank_correlation
from salticid.metrics.parts.retrieval import idf

A = [0.31, 0.42, 0.50, 0.11, 0.64, 0.29, 0.48, 0.37]
B = [0.25, 0.45, 0.38, 0.10, 0.52, 0.21, 0.33, 0.36]
values = st.lists(st.one_of(st.none(), st.floats(-1e6, 1e6)), min_size=1, max_size=12)


def compared(a: Sequence[float | None], b: Sequence[float | None]) -> results.Test:
    test = compare("harvest", "a", "b", a, b)
    assert test is not None
    return test


def with_p(p: float | None, metric: str = "harvest") -> results.Test:
    return results.Test(metric, "a", "b", 0.1, p, p, None, 0.0, 0.2, 9)


def adjusted(*ps: float | None) -> list[float | None]:
    return [test.p_adjusted for test in adjust([with_p(p) for p in ps])]


def test_a_summary_by_hand() -> None:
    # mean 4, squared deviations 4 + 0 + 4, variance 8 / 2, standard error 2 / sqrt(3)
    assert summary([2.0, 4.0, 6.0]) == Score(4.0, 2 / sqrt(3), 3)
    assert summary([7.0]) == Score(7.0, None, 1)
    assert summary([]) == summary([None, float("nan")]) == Score(None, None, 0)


def test_a_summary_agrees_with_scipy() -> None:
    found = summary(A)
    assert found.mean == pytest.approx(np.mean(A))
    assert found.se == pytest.approx(stats.sem(A))
    assert found.n == len(A)


def test_a_comparison_agrees_with_scipy() -> None:
    test = compared([*A, None, 0.9], [*B, 0.5, None])
    assert test.n == 8
    assert test.diff == pytest.approx(np.mean(A) - np.mean(B))
    assert test.p == pytest.approx(stats.ttest_rel(A, B).pvalue)
    differences = (np.array(A) - np.array(B)).round(10)
    assert test.p_wilcoxon == pytest.approx(stats.wilcoxon(differences).pvalue)
    assert test.p_adjusted is None


def test_the_t_test_by_hand() -> None:
    # Differences 1, 2, 3: mean 2, standard error 1 / sqrt(3), t = 2 sqrt(3). With 2 degrees of freedom the two
    # tails together hold 1 - t / sqrt(2 + t^2).
    t = 2 * sqrt(3)
    assert compared([1.0, 2.0, 3.0], [0.0, 0.0, 0.0]).p == pytest.approx(1 - t / sqrt(2 + t * t))


def test_signed_ranks_by_hand() -> None:
    # Differences 3, 2, 2, -1, 0: the 0 is left out, ranks 4, 2.5, 2.5, 1, gained 9 of 10. Of the 16 ways to
    # sign them two gain 9 or more: all of them, and all but the 1.
    assert compared([3, 2, 2, -1, 0], [0] * 5).p_wilcoxon == 2 * 2 / 16


@pytest.mark.parametrize("seed", range(5))
def test_signed_ranks_agree_with_scipy_with_and_without_ties(seed: int) -> None:
    dice = np.random.default_rng(seed)
    distinct = dice.normal(0.2, 1, 30).tolist()
    assert compared(distinct, [0] * 30).p_wilcoxon == pytest.approx(stats.wilcoxon(distinct).pvalue)
    tied = dice.integers(-2, 5, 8)
    exact = stats.wilcoxon(tied[tied != 0], method=stats.PermutationMethod(n_resamples=9999))
    assert compared(tied.tolist(), [0] * 8).p_wilcoxon == pytest.approx(exact.pvalue)


def test_signed_ranks_of_very_many_topics_are_approximate() -> None:
    many = np.random.default_rng(0).normal(0.1, 1, 400)
    approximate = compared(many.tolist(), [0] * 400).p_wilcoxon
    assert approximate == pytest.approx(stats.wilcoxon(many, method="asymptotic").pvalue)
    few = compared(many[:200].tolist(), [0] * 200).p_wilcoxon
    assert few == pytest.approx(stats.wilcoxon(many[:200], method="asymptotic").pvalue, abs=0.005)


def test_the_interval_is_that_of_the_paired_t_test() -> None:
    test, theirs = compared(A, B), stats.ttest_rel(A, B).confidence_interval()
    assert (test.low, test.high) == pytest.approx((theirs.low, theirs.high))


@pytest.mark.parametrize("topics", [6, 12, 33])
@pytest.mark.parametrize("kind", ["normal", "laplace"])
def test_intervals_cover_what_they_claim_under_the_null(topics: int, kind: str) -> None:
    """Differences of equally good strategies, with light and with heavy tails: 95 % intervals hold 0 in 93 to 97 %."""
    samples = getattr(np.random.default_rng(topics), kind)(size=(4000, topics))
    bounds = [interval(sample) for sample in samples]
    assert 0.93 < np.mean([low is not None and high is not None and low <= 0 <= high for low, high in bounds]) < 0.97


def test_topics_of_two_kinds_are_compared_without_pairs() -> None:
    test, theirs = unpaired(A, B[:5]), stats.ttest_ind(A, B[:5], equal_var=False)
    assert test is not None
    assert test.p == pytest.approx(theirs.pvalue)
    assert test.n == 13
    assert (test.low, test.high) == pytest.approx((theirs.confidence_interval().low, theirs.confidence_interval().high))
    assert unpaired(A, [0.5]) is None


def test_who_comes_first_decides_the_sign_alone() -> None:
    one, other = compared(A, B), compared(B, A)
    assert (other.p, other.p_wilcoxon) == (one.p, one.p_wilcoxon)
    turned = one.turned()
    assert (other.diff, other.low, other.high) == pytest.approx((turned.diff, turned.low, turned.high))


def test_equal_strategies_do_not_differ() -> None:
    test = compared(A, A)
    assert (test.diff, test.p, test.p_wilcoxon, test.low, test.high) == (0.0, 1.0, 1.0, 0.0, 0.0)


def test_a_difference_of_rounding_alone_is_none() -> None:
    test = compared([0.1 + 0.2, 0.7, 0.3], [0.3, 0.7, 0.1 + 0.2])
    assert (test.diff, test.p, test.p_wilcoxon) == (0.0, 1.0, 1.0)


def test_the_t_test_has_no_word_where_every_topic_has_the_same_difference() -> None:
    # 0.3 - 0.1 and 0.9 - 0.7 differ in their last bits
    test = compared([0.3, 0.9, 0.5, 0.4], [0.1, 0.7, 0.3, 0.2])
    assert test.p is None
    assert test.p_wilcoxon == pytest.approx(2 / 2**4)  # all four signs alike
    assert (test.low, test.high) == pytest.approx((0.2, 0.2))


def test_one_topic_proves_nothing_and_none_gives_no_test() -> None:
    test = compared([0.5, None], [0.25, 0.75])
    assert (test.n, test.diff, test.p, test.p_wilcoxon) == (1, 0.25, None, None)
    assert (test.low, test.high) == (None, None)
    assert compare("harvest", "a", "b", [0.5, None], [None, 0.75]) is None


@settings(max_examples=60, deadline=None)
@given(values, st.integers(0, 11))
def test_whatever_the_values_results_are_finite_and_nobody_warns(a: list[float | None], by: int) -> None:
    turned = a[by:] + a[:by]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        tests = all_pairs("m", {"a": a, "b": turned, "c": a})
    encoded = msgspec.json.encode(tests)
    assert msgspec.json.decode(encoded, type=list[results.Test]) == tests
    for test in tests:
        numbers = [test.diff, test.low, test.high, test.p, test.p_wilcoxon, test.p_adjusted]
        assert all(number is None or np.isfinite(number) for number in numbers)
        assert all(p is None or 0 <= p <= 1 for p in numbers[3:])
        assert (test.low is None) == (test.high is None) == (test.n < 2)
        if test.low is not None and test.high is not None:
            assert test.low <= test.diff + 1e-9 * abs(test.diff)
            assert test.diff <= test.high + 1e-9 * abs(test.diff)


def test_holm_by_hand() -> None:
    # 0.01 * 4, 0.02 * 3, then 0.03 * 2 raised to no less than the one before, and 0.04 * 1 likewise
    assert adjusted(0.03, 0.01, 0.04, 0.02) == pytest.approx([0.06, 0.04, 0.06, 0.06])
    assert adjusted(0.5, 0.9) == [1.0, 1.0]
    assert adjusted(0.01, None, 0.03) == [pytest.approx(0.02), None, pytest.approx(0.03)]
    assert adjusted() == []


def test_measures_are_adjusted_apart_and_keep_their_order() -> None:
    made = [with_p(0.01, "harvest"), with_p(0.02, "novelty"), with_p(0.03, "harvest")]
    found = adjust(made)
    assert [test.metric for test in found] == ["harvest", "novelty", "harvest"]
    assert [test.p_adjusted for test in found] == [0.02, 0.02, 0.03]
    assert [test.p for test in found] == [0.01, 0.02, 0.03]


@settings(max_examples=60, deadline=None)
@given(st.lists(st.floats(0, 1), min_size=1, max_size=10))
def test_adjusting_never_makes_surer_and_never_swaps(ps: list[float]) -> None:
    found = [p for p in adjusted(*ps) if p is not None]
    assert all(p <= after <= 1 for p, after in zip(ps, found, strict=True))
    assert max(found) <= min(1.0, max(ps) * len(ps)) + 1e-12
    assert all(x <= y for (p, x), (q, y) in combinations(sorted(zip(ps, found, strict=True)), 2) if p < q)


def test_all_pairs_come_in_the_order_of_the_strategies_and_are_adjusted() -> None:
    by_strategy = {"z": A, "a": B, "m": [value + 0.2 for value in reversed(A)]}
    found = all_pairs("harvest", by_strategy)
    assert [(test.a, test.b) for test in found] == [("z", "a"), ("z", "m"), ("a", "m")]
    assert found == adjust(found)
    assert all(test.p_adjusted is not None for test in found)


def test_a_crawl_that_ended_early_holds_its_last_value() -> None:
    found = curve([np.array([1.0, 0.5, 0.25]), np.array([0.0]), np.array([])])
    assert found == Curve([1.0, 2.0, 3.0], [0.5, 0.25, 0.125], [0.5, 0.25, 0.125])


def test_a_curve_of_one_topic_has_no_error_and_one_of_none_no_points() -> None:
    assert curve([np.array([1.0, 2.0])]) == Curve([1.0, 2.0], [1.0, 2.0], [0.0, 0.0])
    assert curve([]) == curve([np.array([])]) == Curve([], [], [])


@pytest.mark.parametrize("pages", [1, 99, 100, 101, 150, 199, 1000, 12345])
def test_a_long_curve_is_thinned_and_keeps_its_ends(pages: int) -> None:
    found = curve([np.arange(1.0, pages + 1)])
    assert found.mean == found.x
    assert len(found.x) == min(pages, 100)
    assert (found.x[0], found.x[-1]) == (1.0, pages)
    assert sorted(set(found.x)) == found.x


def test_the_error_of_a_curve_is_that_of_scipy() -> None:
    table = np.random.default_rng(0).random((6, 20))
    found = curve(list(table))
    assert found.mean == pytest.approx(table.mean(axis=0))
    assert found.se == pytest.approx(stats.sem(table, axis=0))


def test_heterogeneity_is_the_mean_over_pairs() -> None:
    counts = np.random.default_rng(0).poisson(0.5, (30, 12))
    counts[5] = 0
    pool, targets = csr_array(counts), csr_array(counts[:9])
    alike = cosine_similarity(counts[:9] * idf(pool))
    expected = np.mean([1 - alike[i, j] for i, j in combinations(range(9), 2)])
    assert heterogeneity(targets, pool) == pytest.approx(expected)


def test_heterogeneity_at_its_ends() -> None:
    same = csr_array(np.array([[1, 2], [2, 4], [3, 6]]))
    apart = csr_array(np.eye(3, dtype=np.int32))
    assert heterogeneity(same, same) == pytest.approx(0.0, abs=1e-12)
    assert heterogeneity(apart, apart) == 1.0
    assert heterogeneity(apart[[0]], apart) is None


def test_rank_correlation_by_hand_and_with_ties_as_scipy_has_it() -> None:
    # ranks differ by 0, 0, 0, 1, 1: 1 - 6 * 2 / (5 * 24)
    assert rank_correlation([1, 2, 3, 4, 5], [1, 2, 3, 5, 4]) == pytest.approx(0.9)
    trait, measured = [3, 1, 4, 1, 5, 9, 2], [2.0, 7.0, 1.0, 8.0, 2.0, 8.0, 1.0]
    assert rank_correlation(trait, measured) == pytest.approx(stats.spearmanr(trait, measured).statistic)


def test_there_is_no_rank_correlation_of_few_topics_or_of_what_never_varies() -> None:
    assert rank_correlation([1, 2, 3, 4, None, 6], [1, 2, 3, 4, 5, None]) is None
    assert rank_correlation([1, 2, 3, 4, 5], [7, 7, 7, 7, 7]) is None
    assert rank_correlation([1, 1, 1, 1, 1, 2], [1, 2, 3, 4, 5, None]) is None


def test_dependence_has_an_entry_where_there_is_a_correlation() -> None:
    topics: dict[str, list[float | None]] = {"size": [1, 2, 3, 4, 5], "distance": [1, None, None, 2, 3]}
    measured: dict[str, dict[str, list[float | None]]] = {
        "harvest": {"one": [5, 4, 3, 2, 1], "two": [None] * 5},
        "novelty": {"one": [0.31, 0.42, 0.50, 0.11, 0.64]},  # ranks 2, 3, 4, 1, 5: 1 - 6 * 12 / (5 * 24)
    }
    assert dependence(topics, measured) == {
        "size": {"harvest": {"one": -1.0}, "novelty": {"one": 0.4}},
        "distance": {"harvest": {}, "novelty": {}},
    }
