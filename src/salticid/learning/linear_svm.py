"""A linear support vector machine, trained by dual coordinate descent: small, exact, without chance."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import sqrt
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from salticid.exact import logs_of_counts
from salticid.model import Floats

Keys = npt.NDArray[np.int64]

_CLOSE_ENOUGH = 1e-4
_MOST_ROUNDS = 1000


class FeatureRow(NamedTuple):
    """A document: its columns, ascending, and their values, at length 1."""

    columns: npt.NDArray[np.int64]
    values: Floats


class Features:
    """The features of the documents one is trained on, and documents as rows of them.

    A document is a list of keys, any numbers, repeats kept. The value of a feature that occurs f times is
    1 + log f, over the length of the row. Columns are numbered as they first turn up, so that what the keys
    are, which is accidental, changes nothing, not even the order of a sum. Keys never seen in training are
    passed over.
    """

    def __init__(self, documents: Sequence[Keys]) -> None:
        together = np.concatenate([np.zeros(0, np.int64), *documents])
        self._keys, first = np.unique(together, return_index=True)
        self._column = np.empty(len(first), np.int64)
        self._column[np.argsort(first)] = np.arange(len(first))

    def __len__(self) -> int:
        return len(self._keys)

    def table(self) -> tuple[Keys, npt.NDArray[np.int64]]:
        """All keys, ascending, and the column of each."""
        return self._keys, self._column

    def row(self, document: Keys) -> FeatureRow:
        """A document as a row; empty when nothing in it is known."""
        if not len(self._keys):
            return FeatureRow(np.zeros(0, np.int64), np.zeros(0))
        at = np.minimum(np.searchsorted(self._keys, document), len(self._keys) - 1)
        columns, times = np.unique(self._column[at[self._keys[at] == document]], return_counts=True)
        values = 1.0 + logs_of_counts(times)
        return FeatureRow(columns, values / (sqrt(float((values * values).sum())) or 1.0))


@dataclass(frozen=True, slots=True, eq=False)
class LinearSvm:
    """A separating plane: margin(row) = weights . row + bias."""

    weights: Floats
    bias: float

    def margin(self, row: FeatureRow) -> float:
        """How far on the positive side a row lies."""
        return float((self.weights[row.columns] * row.values).sum()) + self.bias

    @classmethod
    def train(cls, rows: Sequence[FeatureRow], positive: Sequence[bool], size: int, c: float = 1.0) -> LinearSvm:
        """The plane for these rows: minimises |w|^2 / 2 + sum of C_i max(0, 1 - y_i margin_i)^2.

        The bias is one more weight. Both sides matter alike, however many rows they have:
        C_i = c * rows / (2 * rows on the side of i). The rows are taken in turn, always in the order
        given, until no step is longer than 1e-4.

        >>> near, far = (FeatureRow(np.array([column]), np.ones(1)) for column in (0, 1))
        >>> plane = LinearSvm.train([near, far], [True, False], size=2)
        >>> [round(plane.margin(row), 3) for row in (near, far)]
        [0.667, -0.667]

        Paper: Hsieh, Chang, Lin, Keerthi, Sundararajan, "A dual coordinate descent method for large-scale
        linear SVM", ICML 2008.
        """
        weights, bias = np.zeros(size), 0.0
        share = {side: len(rows) / (2 * max(list(positive).count(side), 1)) for side in (True, False)}
        signs = [1.0 if side else -1.0 for side in positive]
        slack = [1 / (2 * c * share[side]) for side in positive]
        curve = [float((row.values * row.values).sum()) + 1.0 + d for row, d in zip(rows, slack, strict=True)]
        dual = [0.0] * len(rows)
        for _ in range(_MOST_ROUNDS):
            longest = 0.0
            for i, row in enumerate(rows):
                margin = float((weights[row.columns] * row.values).sum()) + bias
                slope = signs[i] * margin - 1.0 + slack[i] * dual[i]
                step = max(dual[i] - slope / curve[i], 0.0) - dual[i]
                if step:
                    dual[i] += step
                    weights[row.columns] += signs[i] * step * row.values
                    bias += signs[i] * step
                longest = max(longest, abs(step))
            if longest < _CLOSE_ENOUGH:
                break
        return cls(weights, bias)
