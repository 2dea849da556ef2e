"""Logarithms and exponentials that do not depend on the processor.

numpy has faster ones, and picks among several by what the processor can do; their last bits differ, and a
last bit decides between two links. These come from the C library, one number at a time.
"""

from __future__ import annotations

from math import exp, log

import numpy as np
import numpy.typing as npt

from salticid.model import Floats

_SMALL = np.array([-np.inf, *map(log, range(1, 4096))])


def logs_of_counts(counts: npt.NDArray[np.int64]) -> Floats:
    """The natural logarithm of each whole number, mostly small ones, by looking it up.

    >>> logs_of_counts(np.array([1, 2, 5000])).round(4).tolist()
    [0.0, 0.6931, 8.5172]
    """
    found: Floats = _SMALL[np.minimum(counts, len(_SMALL) - 1)]
    if counts.size and counts.max() >= len(_SMALL):
        large = counts >= len(_SMALL)
        found[large] = logs(counts[large])
    return found


def logs(numbers: npt.NDArray[np.int64] | Floats) -> Floats:
    """The natural logarithm of each; minus infinity for 0.

    >>> logs(np.array([[1, 0]])).tolist()
    [[0.0, -inf]]
    """
    flat = [log(number) if number else -np.inf for number in numbers.ravel().tolist()]
    return np.array(flat, np.float64).reshape(numbers.shape)


def shares(scores: Floats) -> Floats:
    """exp(s_i) / sum_j exp(s_j) along the last axis, by log-sum-exp; equal shares where all are minus infinity.

    >>> shares(np.array([-1000.0, -1000.0, -np.inf])).tolist()
    [0.5, 0.5, 0.0]
    """
    top = scores.max(axis=-1, keepdims=True)
    below = np.where(np.isneginf(top), 0.0, scores - np.where(np.isneginf(top), 0.0, top))
    raised = np.array([exp(b) for b in below.ravel().tolist()], np.float64).reshape(scores.shape)
    share: Floats = raised / raised.sum(axis=-1, keepdims=True)
    return share


def logistic(margin: float) -> float:
    """1 / (1 + exp(-margin)), for any margin.

    >>> logistic(0.0), logistic(-1e9), logistic(1e9)
    (0.5, 0.0, 1.0)
    """
    if margin < 0:
        return 1.0 - 1.0 / (1.0 + exp(max(margin, -700.0)))
    return 1.0 / (1.0 + exp(-min(margin, 700.0)))
