"""Measures about targets: values worked out by hand, and the laws they obey whatever a crawl finds."""

from random import Random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import average_precision_score

from salticid.metrics.targets import (
    area_under_recall,
    novelty_line,
    pages_until,
    recall_curve,
    share_below,
    share_of_area,
)
from salticid.metrics.texts import average_precision

crawls = st.lists(st.booleans(), max_size=60)
scored = st.lists(st.tuples(st.integers(0, 6).map(lambda n: n / 6), st.booleans()), min_size=1, max_size=40)

FOUND = [False, True, True, False, True]
"""Targets on pages 2, 3 and 5."""


def test_recall_counts_what_was_found_against_all_there_is() -> None:
    assert recall_curve(FOUND, 4).tolist() == [0, 0.25, 0.5, 0.5, 0.75]


def test_nothing_fetched_or_nothing_to_find_is_no_recall() -> None:
    assert recall_curve([], 4).tolist() == []
    assert recall_curve([False], 0).tolist() == [0]
    assert area_under_recall([], 4, length=10) == 0


def test_the_area_under_recall_is_its_mean() -> None:
    assert area_under_recall(FOUND, 4, length=5) == pytest.approx((0 + 0.25 + 0.5 + 0.5 + 0.75) / 5)


def test_a_crawl_that_ended_early_keeps_its_recall() -> None:
    assert area_under_recall(FOUND, 4, length=10) == pytest.approx((2.0 + 5 * 0.75) / 10)


def test_pages_beyond_the_length_have_no_say() -> None:
    assert area_under_recall(FOUND, 4, length=3) == pytest.approx((0 + 0.25 + 0.5) / 3)
    assert share_of_area(FOUND, [True], length=3) == (2 + 1) / 3


@given(crawls, st.integers(1, 80))
def test_a_find_one_page_sooner_is_worth_more(relevant: list[bool], length: int) -> None:
    targets = sum(relevant) + 1
    later, sooner = [False, True, *relevant], [True, False, *relevant]
    gain = area_under_recall(sooner, targets, length) - area_under_recall(later, targets, length)
    assert gain == pytest.approx(1 / targets / length)


def test_search_length_is_the_page_on_which_the_share_is_reached() -> None:
    # Of 4 targets: a quarter on page 2, half on page 3, three quarters on page 5, all never.
    assert [pages_until(FOUND, 4, share) for share in (0.25, 0.5, 0.75, 1.0)] == [2, 3, 5, None]
    assert pages_until(FOUND, 3, 1.0) == 5


def test_a_share_between_two_counts_asks_for_the_larger_one() -> None:
    # Half of 5 targets are 2.5: three of them it must be.
    assert pages_until(FOUND, 5, 0.5) == 5


def test_rounding_asks_for_no_target_too_many() -> None:
    assert 0.1 * 3 * 10 > 3
    assert pages_until([True] * 10, 10, 0.1 * 3) == 3


@given(crawls, st.integers(1, 70), st.sampled_from([0.1, 0.5, 1.0]), st.integers(1, 60))
def test_a_share_is_reached_on_the_first_page_that_completes_it(
    relevant: list[bool], targets: int, share: float, length: int
) -> None:
    reached = pages_until(relevant[:length], targets, share)
    if reached is None:
        assert sum(relevant[:length]) < share * targets
    else:
        found = [sum(relevant[:n]) for n in range(int(reached) + 1)]
        assert found[-2] < share * targets <= found[-1] + 1e-9


def test_the_oracle_share_compares_areas_over_the_same_pages() -> None:
    # The crawl has 0, 1, 2, 2, 3, the oracle 1, 2, 3, 3, 3 targets after 1..5 pages.
    assert share_of_area(FOUND, [True, True, True], length=5) == 8 / 12
    # Over 7 pages both keep what they have.
    assert share_of_area(FOUND, [True, True, True], length=7) == (8 + 2 * 3) / (12 + 2 * 3)


def test_where_the_oracle_finds_nothing_there_is_no_share() -> None:
    assert share_of_area([False, False], [False], length=5) is None
    assert share_of_area([], [], length=5) is None


@given(crawls, st.integers(1, 80))
def test_the_oracle_has_its_whole_share_and_ending_early_costs_it_nothing(oracle: list[bool], length: int) -> None:
    share = share_of_area(oracle, oracle + [False] * 9, length)
    assert share == (1.0 if any(oracle[:length]) else None)
    assert share_of_area([], [*oracle, True], len(oracle) + 1) == 0


@given(crawls, st.integers(1, 60))
def test_the_area_is_the_sum_of_the_curve(relevant: list[bool], length: int) -> None:
    held = relevant[:length] + [False] * (length - len(relevant))
    area = recall_curve(held, 1).sum()
    assert share_of_area(relevant, [True], length) == pytest.approx(area / length)


def test_average_precision_by_hand() -> None:
    # Relevant on ranks 1 and 3: (1/1 + 2/3) / 2.
    scores = np.array([0.2, 0.9, 0.5, 0.4])
    relevant = np.array([False, True, False, True])
    assert average_precision(scores, relevant) == pytest.approx((1 + 2 / 3) / 2)
    assert average_precision(-scores, relevant) == pytest.approx((1 / 2 + 2 / 4) / 2)


def test_a_judge_that_tells_nothing_apart_has_the_precision_of_chance() -> None:
    assert average_precision(np.zeros(8), np.arange(8) < 2) == 0.25


def test_without_relevant_pages_a_judge_cannot_be_measured() -> None:
    assert average_precision(np.array([0.1, 0.2]), np.array([False, False])) is None
    assert average_precision(np.zeros(0), np.zeros(0, np.bool_)) is None


@given(scored)
def test_average_precision_is_that_of_scikit_learn(pages: list[tuple[float, bool]]) -> None:
    scores, relevant = np.array([page[0] for page in pages]), np.array([page[1] for page in pages])
    measured = average_precision(scores, relevant)
    if relevant.any():
        assert measured == pytest.approx(average_precision_score(relevant, scores))
    else:
        assert measured is None


@given(scored, st.randoms())
def test_the_order_of_pages_decides_no_tie(pages: list[tuple[float, bool]], dice: Random) -> None:
    shuffled = dice.sample(pages, len(pages))
    one, other = (
        average_precision(np.array([page[0] for page in some]), np.array([page[1] for page in some]))
        for some in (pages, shuffled)
    )
    assert one == other


def test_novelty_is_the_share_of_finds_below_the_line() -> None:
    similarity = np.array([0.0, 0.1, 0.6, 0.3, 0.2])
    relevant = np.array([False, True, True, True, True])
    # Found: 0.1, 0.6, 0.3, 0.2; below 0.25 are two of four, below 0.2 one, and 0.2 itself counts half.
    assert share_below(relevant, similarity, line=0.25) == 0.5
    assert share_below(relevant, similarity, line=0.2) == 1.5 / 4
    assert share_below(relevant, similarity, line=1.0) == 1


def test_what_was_not_found_or_not_relevant_is_not_novel() -> None:
    assert share_below(np.array([False, False]), np.array([0.0, 0.0]), line=0.5) is None
    assert share_below(np.zeros(0, np.bool_), np.zeros(0), line=0.5) is None
    assert novelty_line(np.zeros(0)) is None


@given(st.lists(st.integers(0, 1000), min_size=1, max_size=40, unique=True))
def test_whoever_finds_all_targets_has_half_of_them_below_the_median(similar: list[int]) -> None:
    similarity = np.array(similar, np.float64)
    line = novelty_line(similarity)
    assert line is not None
    assert share_below(np.ones(len(similar), np.bool_), similarity, line) == 0.5
