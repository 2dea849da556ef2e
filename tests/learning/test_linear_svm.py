"""The support vector machine against scikit-learn's."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.svm import LinearSVC

from salticid.learning.linear_svm import Features, Keys, LinearSvm


def documents(seed: int, many: int) -> list[Keys]:
    """Two kinds in turn, which share half of their words."""
    dice = np.random.default_rng(seed)
    return [dice.integers(20 * (number % 2), 20 * (number % 2) + 40, 30) for number in range(many)]


def test_it_finds_the_plane_that_scikit_learn_finds() -> None:
    taught = documents(1, 30)
    features = Features(taught)
    rows = [features.row(document) for document in taught]
    positive = [number % 2 == 1 for number in range(30)]
    plane = LinearSvm.train(rows, positive, len(features), c=0.5)
    dense = np.zeros((len(rows), len(features)))
    for line, row in zip(dense, rows, strict=True):
        line[row.columns] = row.values
    theirs = LinearSVC(C=0.5, dual=True, tol=1e-8, max_iter=100_000, random_state=0).fit(dense, positive)
    assert plane.weights == pytest.approx(theirs.coef_[0], abs=2e-3)
    assert plane.bias == pytest.approx(theirs.intercept_[0], abs=2e-3)
    right = [
        (plane.margin(features.row(document)) > 0) == (number % 2 == 1)
        for number, document in enumerate(documents(2, 40))
    ]
    assert sum(right) > 32


def test_both_sides_matter_alike_however_many_they_are() -> None:
    taught = [np.array([1]), *[np.array([2])] * 9]
    features = Features(taught)
    rows = [features.row(document) for document in taught]
    plane = LinearSvm.train(rows, [True] + [False] * 9, len(features))
    assert plane.margin(rows[0]) == pytest.approx(-plane.margin(rows[1]), abs=1e-3)


def test_a_row_by_hand() -> None:
    features = Features([np.array([7, 3, 7])])
    # Column 0 is key 7, which came first: 1 + log 2 = 1.6931; column 1 is key 3: 1. Length 1.9664.
    row = features.row(np.array([3, 9, 7, 7]))
    assert row.columns.tolist() == [0, 1]
    assert row.values == pytest.approx([0.8610, 0.5086], abs=1e-4)


def test_other_keys_for_the_same_features_change_not_a_bit() -> None:
    taught, asked = documents(3, 20), documents(4, 5)
    renumbered = np.random.default_rng(0).permutation(60)

    def margins(all_taught: list[Keys], all_asked: list[Keys]) -> list[float]:
        features = Features(all_taught)
        rows = [features.row(document) for document in all_taught]
        plane = LinearSvm.train(rows, [n % 2 == 1 for n in range(len(rows))], len(features))
        return [plane.margin(features.row(document)) for document in all_asked]

    again = margins([renumbered[d] for d in taught], [renumbered[d] for d in asked])
    assert margins(taught, asked) == again


def test_nothing_known_is_an_empty_row() -> None:
    for features in (Features([]), Features([np.zeros(0, np.int64)]), Features([np.array([1])])):
        assert len(features.row(np.array([5, 6])).columns) == 0
        assert len(features.row(np.zeros(0, np.int64)).columns) == 0
