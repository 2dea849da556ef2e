"""Exponentiated gradient: weights that are multiplied, not moved, one page at a time."""

from __future__ import annotations

import numpy as np

from salticid.exact import shares
from salticid.model import Bools, Floats, Ints


def exponentiated_gradient(x: Floats, positive: Bools, order: Ints) -> Floats:
    """Weights that start equal, sum to 1 and stay above 0; their mean over the whole pass.

        w_j <- w_j exp(-2 eta (w.x - y) x_j), over the sum of all;   y = 1 for a positive page, else 0
        eta = 2 / (3 R^2)

    R is the largest range of features within one page, max_j x_j - min_j x_j. One pass, in `order`; the mean
    takes in the weights before the first page. The weights stay equal when no page tells features apart.

    >>> x = np.array([[1.0, 0.0], [0.0, 1.0]])    # eta = 2/3; 1 / (1 + exp(-2/3)) = 0.6608
    >>> exponentiated_gradient(x, np.array([True, False]), np.array([0])).round(4).tolist()
    [0.5804, 0.4196]

    Papers: Lewis, Schapire, Callan, Papka, "Training algorithms for linear text classifiers", SIGIR 1996;
    Kivinen, Warmuth, "Exponentiated gradient versus gradient descent for linear predictors", Information and
    Computation 132, 1997.
    """
    if not x.size:
        return np.zeros(x.shape[1])
    widest = float(np.ptp(x, axis=1).max())
    rate = 2 / (3 * widest * widest) if widest else 0.0
    exponents = np.zeros(x.shape[1])
    weights = shares(exponents)
    total = weights.copy()
    for row, y in zip(x[order], positive[order].tolist(), strict=True):
        exponents = exponents - 2 * rate * (float((weights * row).sum()) - y) * row
        weights = shares(exponents)
        total += weights
    mean: Floats = total / (len(order) + 1)
    return mean
