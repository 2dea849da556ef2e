"""Widrow-Hoff: least mean squares, one page at a time."""

from __future__ import annotations

import numpy as np

from salticid.model import Bools, Floats, Ints


def widrow_hoff(x: Floats, positive: Bools, order: Ints) -> Floats:
    """Weights that start at 0 and move against each page's error; their mean over the whole pass.

        w <- w - 2 eta (w.x - y) x,   y = 1 for a positive page, else 0,   eta = 1 / (4 X^2)

    X is the largest norm of a row of `x`. One pass, in `order`; the mean takes in the weights before the
    first page. All weights are 0 when no page has a feature.

    >>> x = np.array([[1.0, 0.0], [0.0, 1.0]])
    >>> widrow_hoff(x, np.array([True, False]), np.array([0, 1, 0]))    # (0, 0), (.5, 0), (.5, 0), (.75, 0)
    array([0.4375, 0.    ])

    Paper: Lewis, Schapire, Callan, Papka, "Training algorithms for linear text classifiers", SIGIR 1996.
    """
    longest = float((x * x).sum(axis=1).max(initial=0.0))
    rate = 1 / (4 * longest) if longest else 0.0
    weights = np.zeros(x.shape[1])
    total = weights.copy()
    for row, y in zip(x[order], positive[order].tolist(), strict=True):
        weights = weights - 2 * rate * (float((weights * row).sum()) - y) * row
        total += weights
    mean: Floats = total / (len(order) + 1)
    return mean
