"""Assessment by classifiers: numbers worked out by hand, those of scikit-learn, and what must always hold."""

from __future__ import annotations

from math import exp, sqrt

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse import csr_array, hstack
from sklearn.feature_extraction.text import TfidfTransformer
from sklearn.feature_selection import chi2
from sklearn.metrics import f1_score

from salticid.metrics.parts.classifiers import (
    TopicClassifiers,
    Vectorizer,
    best_features,
    best_threshold,
    correlation,
    exponentiated_gradient,
    rocchio,
    training_order,
    unit_vectors,
    widrow_hoff,
)
from salticid.metrics.parts.retrieval import idf
from salticid.model import Bools, Floats, Ints

CLASSIFIERS = ("rocchio", "widrow_hoff", "eg")


def sparse(*rows: list[int]) -> csr_array:
    return csr_array(np.array(rows, np.int32))


def bools(text: str) -> Bools:
    return np.array([sign == "+" for sign in text])


def ints(*numbers: int) -> Ints:
    return np.array(numbers, np.int32)


def topical(seed: int, on: int = 8, off: int = 60, terms: int = 300) -> tuple[csr_array, Bools]:
    """Pages of some 45 random words, those on the topic with 40 more of the first twenty."""
    dice = np.random.default_rng(seed)
    expected = np.full((on + off, terms), 0.15)
    expected[:on, :20] += 2.0
    positive = np.arange(on + off) < on
    shuffled = dice.permutation(on + off)
    return csr_array(dice.poisson(expected)[shuffled]), positive[shuffled]


def train(counts: csr_array, positive: Bools, seed: int = 0) -> TopicClassifiers:
    trained = TopicClassifiers.train(counts, positive, np.random.default_rng(seed))
    assert trained is not None
    return trained


def test_the_correlation_coefficient_of_a_table_worked_out_by_hand() -> None:
    # 4 positive and 6 negative pages; 3 positive and 1 negative have the term.
    counts = sparse(*[[n] for n in (2, 1, 5, 0, 1, 0, 0, 0, 0, 0)])
    # a = 3, b = 1, c = 1, d = 5: (15 - 1) sqrt(10) / sqrt(4 * 6 * 4 * 6)
    assert correlation(counts, bools("++++------")).tolist() == pytest.approx([14 * sqrt(10) / 24])


@pytest.mark.parametrize("seed", range(5))
def test_its_square_is_the_chi_squared_of_scikit_learn(seed: int) -> None:
    counts, positive = topical(seed)
    present = (counts.toarray() > 0).astype(int)
    # Theirs sums over pages that have the term alone; those that have it not are the rest of the table.
    with_term, _ = chi2(present, positive)
    without, _ = chi2(1 - present, positive)
    ours = correlation(counts, positive)
    varies = (present.sum(axis=0) > 0) & (present.sum(axis=0) < len(present))
    assert (ours**2)[varies] == pytest.approx((with_term + without)[varies])
    more_on_positives = present[positive].mean(axis=0) > present[~positive].mean(axis=0)
    assert ((ours > 0) == more_on_positives).all()


def test_terms_on_every_page_or_on_none_say_nothing() -> None:
    assert correlation(sparse([1, 0, 1], [2, 0, 0]), bools("+-"))[:2].tolist() == [0.0, 0.0]


def test_zeros_that_are_stored_are_no_presence() -> None:
    stored = csr_array((np.array([1, 0, 2]), np.array([0, 0, 0]), np.array([0, 1, 2, 3])), shape=(3, 1))
    assert correlation(stored, bools("+-+")) == pytest.approx(correlation(sparse([1], [0], [2]), bools("+-+")))


def test_the_best_features_are_those_of_largest_correlation_and_never_mark_negatives() -> None:
    counts, positive = topical(1)
    chosen = best_features(counts, positive, k=15)
    marks = correlation(counts, positive)
    others = np.setdiff1d(np.arange(counts.shape[1]), chosen)
    assert set(chosen.tolist()) <= set(range(20))
    assert marks[chosen].min() >= marks[others].max()
    assert (np.diff(marks[chosen]) <= 0).all()
    assert (marks[best_features(counts, positive, k=10_000)] > 0).all()


def test_equal_correlation_goes_by_the_share_of_positive_text_then_of_negative() -> None:
    # Terms 0, 1 and 2 are each on both positives and one negative; the positive text has more of term 2, and
    # of 0 and 1, which it has equally often, the negative text has less of term 1.
    counts = sparse([1, 1, 2, 0], [1, 1, 2, 0], [3, 1, 1, 5], [0, 0, 0, 7])
    assert best_features(counts, bools("++--")).tolist() == [2, 1, 0]
    assert best_features(counts, bools("++--"), k=2).tolist() == [2, 1]


def test_terms_that_nothing_tells_apart_are_left_out_together() -> None:
    counts = sparse([2, 1, 1, 0], [2, 1, 1, 0], [0, 0, 0, 1])
    assert best_features(counts, bools("++-"), k=3).tolist() == [0, 1, 2]
    assert best_features(counts, bools("++-"), k=2).tolist() == [0]
    alike = sparse([1, 1, 0], [0, 0, 1])
    assert best_features(alike, bools("+-"), k=1).tolist() == [0, 1]


@settings(max_examples=30, deadline=None)
@given(st.integers(0, 2**32 - 1), st.integers(1, 60))
def test_neither_the_numbers_of_terms_nor_the_order_of_pages_choose_a_feature(seed: int, k: int) -> None:
    dice = np.random.default_rng(seed)
    table = dice.poisson(0.4, (12, 40))
    positive = np.arange(12) < 4
    chosen = set(best_features(csr_array(table), positive, k).tolist())
    rows, columns = dice.permutation(12), dice.permutation(40)
    again = best_features(csr_array(table[rows][:, columns]), positive[rows], k)
    assert {int(columns[at]) for at in again} == chosen


def test_unit_vectors_are_those_of_scikit_learn() -> None:
    counts, _ = topical(2)
    theirs = TfidfTransformer(smooth_idf=False).fit_transform(counts).toarray()  # idf = 1 + ln(N / n_k), l2
    assert unit_vectors(counts, idf(counts)).toarray() == pytest.approx(theirs)


def test_a_page_has_one_vector_whoever_comes_with_it_and_strange_words_change_nothing() -> None:
    counts, positive = topical(3)
    reading = Vectorizer.of(counts, positive)
    together = reading.vectors(counts)
    for at in (0, 7, 30):
        assert reading.vectors(counts[[at]])[0].tolist() == together[at].tolist()
    wider = csr_array(hstack([counts, csr_array(np.zeros(counts.shape, np.int32))]))
    with_strange_words = csr_array(hstack([counts, counts]))
    assert (Vectorizer.of(wider, positive).vectors(with_strange_words) == together).all()


def test_rocchio_by_hand() -> None:
    x = np.array([[0.5, 0.2, 0.0], [0.3, 0.0, 0.1], [0.1, 0.4, 0.4]])
    # 16 (0.4, 0.1, 0.05) - 4 (0.1, 0.4, 0.4) = (6, 0, -0.8)
    assert rocchio(x, bools("++-")).tolist() == pytest.approx([6.0, 0.0, 0.0])
    assert rocchio(x, bools("++-"), beta=1, gamma=0).tolist() == pytest.approx([0.4, 0.1, 0.05])


def test_widrow_hoff_by_hand() -> None:
    x = np.array([[1.0, 1.0], [1.0, 0.0]])  # the largest norm is sqrt(2): eta = 1/8
    # w1 = (0, 0); page 0, y = 1: w2 = -1/4 (0 - 1) (1, 1) = (1/4, 1/4)
    # page 1, y = 0: w3 = w2 - 1/4 (1/4) (1, 0) = (3/16, 1/4); the mean of the three
    assert widrow_hoff(x, bools("+-"), ints(0, 1)).tolist() == [7 / 48, 1 / 6]
    # the other way round page 1 changes nothing: (0, 0), (0, 0), (1/4, 1/4)
    assert widrow_hoff(x, bools("+-"), ints(1, 0)).tolist() == [1 / 12, 1 / 12]


def test_exponentiated_gradient_by_hand() -> None:
    x = np.array([[2.0, 0.0], [0.0, 1.0]])  # the widest range is 2: eta = 2/12
    # w1 = (1/2, 1/2); page 0, y = 1: w.x = 1, no error, w2 = w1; page 1, y = 0: w.x = 1/2, so the second
    # weight is multiplied by exp(-2 (1/6) (1/2)) = exp(-1/6)
    second = exp(-1 / 6) / (1 + exp(-1 / 6))
    mean = (0.5 + 0.5 + second) / 3
    assert exponentiated_gradient(x, bools("+-"), ints(0, 1)).tolist() == pytest.approx([1 - mean, mean])


@settings(max_examples=50, deadline=None)
@given(st.integers(0, 2**32 - 1))
def test_exponentiated_weights_are_shares_and_online_weights_do_not_know_the_scale(seed: int) -> None:
    dice = np.random.default_rng(seed)
    x, positive = dice.random((20, 6)), np.arange(20) % 3 == 0
    order = dice.permutation(20).astype(np.int32)
    weights = exponentiated_gradient(x, positive, order)
    assert weights.sum() == pytest.approx(1.0)
    assert (weights > 0).all()
    # eta X^2 is fixed, so pages k times as long give weights a k-th as large: the same scores
    assert widrow_hoff(4 * x, positive, order) * 4 == pytest.approx(widrow_hoff(x, positive, order))


def test_pages_without_any_feature_teach_nothing() -> None:
    x = np.zeros((3, 2))
    assert widrow_hoff(x, bools("+--"), ints(0, 1, 2)).tolist() == [0.0, 0.0]
    assert exponentiated_gradient(x, bools("+--"), ints(0, 1, 2)).tolist() == [0.5, 0.5]


def best_f1_of_all(scores: Floats, positive: Bools) -> float:
    return max(float(f1_score(positive, scores >= line)) for line in scores)


@settings(max_examples=60, deadline=None)
@given(st.lists(st.tuples(st.integers(-5, 5), st.booleans()), min_size=2, max_size=25))
def test_no_line_has_a_better_f1_and_none_as_good_is_higher(pages: list[tuple[int, bool]]) -> None:
    scores = np.array([score for score, _ in pages], np.float64) / 7
    positive = np.array([sign for _, sign in pages])
    positive[0] = True
    line = best_threshold(scores, positive)
    best = best_f1_of_all(scores, positive)
    assert f1_score(positive, scores >= line) == pytest.approx(best)
    higher = [other for other in scores if other > scores[scores >= line].min()]
    assert all(f1_score(positive, scores >= other) < best - 1e-12 for other in higher)


def test_the_line_lies_halfway_and_between_neighbours_on_the_upper_one() -> None:
    assert best_threshold(np.array([3.0, 2.0, 1.0]), bools("+--")) == 2.5
    assert best_threshold(np.array([3.0, 2.0, 1.0]), bools("+++")) == 1.0
    next_up = float(np.nextafter(1.0, 2.0))
    assert best_threshold(np.array([next_up, 1.0]), bools("+-")) == next_up


def test_training_mixes_the_classes_evenly_whatever_the_order_of_pages() -> None:
    positive = np.arange(40) < 8
    order = training_order(positive, np.random.default_rng(0))
    assert sorted(order.tolist()) == list(range(40))
    assert [int(positive[part].sum()) for part in np.split(order, 8)] == [1] * 8
    assert order.tolist() != training_order(positive, np.random.default_rng(1)).tolist()


@pytest.mark.parametrize("seed", range(3))
def test_pages_of_the_topic_that_nobody_trained_on_are_told_from_others(seed: int) -> None:
    trained = train(*topical(seed))
    fresh, truly = topical(seed + 100, on=40, off=200)
    called = trained.positives(fresh)
    assert tuple(called) == CLASSIFIERS
    for name in CLASSIFIERS:
        assert f1_score(truly, called[name]) > 0.8, name


def test_the_same_seed_gives_the_same_classifiers_and_training_pages_keep_their_scores() -> None:
    counts, positive = topical(4)
    one, again = train(counts, positive, seed=9), train(counts, positive, seed=9)
    together = one.positives(counts)
    for name in CLASSIFIERS:
        assert one.lines[name] == again.lines[name]
        assert one.weights[name].tolist() == again.weights[name].tolist()
        alone = [bool(one.positives(counts[[at]])[name][0]) for at in range(counts.shape[0])]
        assert alone == together[name].tolist()


def test_the_order_of_pages_and_the_numbers_of_terms_do_not_change_rocchio() -> None:
    counts, positive = topical(5)
    dice = np.random.default_rng(0)
    rows, columns = dice.permutation(counts.shape[0]), dice.permutation(counts.shape[1])
    asked, _ = topical(6)
    called = train(counts, positive).positives(asked)["rocchio"]
    shuffled = csr_array(counts[rows][:, columns])
    again = train(shuffled, positive[rows]).positives(csr_array(asked[:, columns]))["rocchio"]
    assert called.tolist() == again.tolist()


def test_there_is_no_classifier_where_there_is_nothing_to_learn() -> None:
    rng = np.random.default_rng(0)
    counts, positive = topical(7, on=2)
    assert TopicClassifiers.train(counts, positive, rng) is None
    counts, positive = topical(7, on=3)
    assert TopicClassifiers.train(counts, positive, rng) is not None
    assert TopicClassifiers.train(counts, np.ones(len(positive), np.bool_), rng) is None
    assert TopicClassifiers.train(csr_array(np.ones((9, 4))), np.arange(9) < 4, rng) is None
    assert TopicClassifiers.train(csr_array((9, 4)), np.arange(9) < 4, rng) is None


def test_a_crawl_without_pages_can_be_asked() -> None:
    trained = train(*topical(8))
    assert [called.tolist() for called in trained.positives(csr_array((0, 300))).values()] == [[], [], []]
