"""Rocchio: the middle of the positive pages, pushed away from the middle of the negative ones."""

from __future__ import annotations

import numpy as np

from salticid.model import Bools, Floats


def rocchio(x: Floats, positive: Bools, beta: float = 16, gamma: float = 4) -> Floats:
    """The weights w = beta * mean of positives - gamma * mean of negatives, those below 0 cut to 0.

    `x` has a row a page. A class without a page adds nothing.

    >>> x = np.array([[1.0, 0.0], [0.5, 0.5], [0.0, 1.0], [0.0, 4.0]])
    >>> rocchio(x, np.array([True, True, False, False])).tolist()    # 16 (0.75, 0.25) - 4 (0, 2.5)
    [12.0, 0.0]

    Paper: Lewis, Schapire, Callan, Papka, "Training algorithms for linear text classifiers", SIGIR 1996.
    """
    weights: Floats = np.maximum(beta * _mean(x[positive]) - gamma * _mean(x[~positive]), 0.0)
    return weights


def _mean(x: Floats) -> Floats:
    mean: Floats = x.sum(axis=0) / max(1, len(x))
    return mean
