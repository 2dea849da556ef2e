"""Logarithms and exponentials that do not depend on the processor.

numpy has faster ones, and so has the C library; both pick among several by what the processor can do. Their last bits
differ, and a last bit decides between two links: a crawl would not go on elsewhere as it began. These are made of sums,
products and quotients alone, which are the same everywhere, and are right but for the last two bits.
Each has a form for one number and one for an array, which agree in every bit.
"""

from __future__ import annotations

from collections.abc import Callable
from math import factorial, frexp, inf, ldexp, sqrt
from typing import TypeVar

import numpy as np
import numpy.typing as npt

from salticid.model import Floats

_LOG2_E = 1.4426950408889634
_LN_2, _LN_2_REST = 0.6931471803691238, 1.9082149292705877e-10
"""ln 2 in two parts, the first so short that its product with a power of two that a float can have is exact."""
_ROOT_HALF = sqrt(0.5)
_LOWEST, _HIGHEST = -708.0, 709.0
"""Where exp(x) is a float of full precision."""
_FLAT = 20.0
"""From here on tanh(x) is 1."""
_FEW = 16
"""Numbers of an array that are dealt with one by one sooner than all at once."""
_EXPM1 = [1 / factorial(n) for n in range(14, 1, -1)]
_LOG = [1 / n for n in range(25, 1, -2)]

Real = TypeVar("Real", float, Floats)


def exp(x: float) -> float:
    """e to the power of x.

    >>> exp(0.0), round(exp(1.0), 12), exp(-1e9), exp(1e9)
    (1.0, 2.718281828459, 0.0, inf)
    """
    if not _LOWEST <= x <= _HIGHEST:
        return 0.0 if x < 0 else inf
    doublings = round(x * _LOG2_E)
    return ldexp(1.0 + _expm1(_rest(x, doublings)), doublings)


def exps(x: Floats) -> Floats:
    """e to the power of each.

    >>> exps(np.array([0.0, 1.0, -np.inf])).round(12).tolist()
    [1.0, 2.718281828459, 0.0]
    """
    if x.size < _FEW:
        return _one_by_one(exp, x)
    within = np.clip(x, _LOWEST, _HIGHEST)
    doublings = np.rint(within * _LOG2_E)
    powers = np.ldexp(1.0 + _expm1(_rest(within, doublings)), doublings.astype(np.int32))
    result: Floats = np.where(x == within, powers, np.where(x < 0, 0.0, inf))
    return result


def expm1s(x: Floats) -> Floats:
    """e to the power of each, less 1, exact for small ones as well; none above 709.

    >>> expm1s(np.array([1e-20, 0.0])).tolist()
    [1e-20, 0.0]
    """
    within = np.maximum(x, _LOWEST)
    doublings = np.rint(within * _LOG2_E)
    whole = doublings.astype(np.int32)
    below = np.ldexp(_expm1(_rest(within, doublings)), whole)
    result: Floats = below + (np.ldexp(1.0, whole) - 1.0)
    return result


def log(x: float) -> float:
    """The natural logarithm; minus infinity for 0.

    >>> log(1.0), round(log(10.0), 12), log(0.0)
    (0.0, 2.302585092994, -inf)
    """
    if x == 0.0:
        return -inf
    part, doublings = frexp(x)
    if part < _ROOT_HALF:
        part, doublings = 2.0 * part, doublings - 1
    return _log(part, float(doublings))


def logs(numbers: npt.NDArray[np.int64] | Floats) -> Floats:
    """The natural logarithm of each; minus infinity for 0.

    >>> logs(np.array([[1, 0]])).tolist()
    [[0.0, -inf]]
    """
    if numbers.size < _FEW:
        return _one_by_one(log, numbers)
    part, doublings = np.frexp(np.asarray(numbers, np.float64))
    low = part < _ROOT_HALF
    part = np.where(low, 2.0 * part, part)
    result: Floats = np.where(part == 0.0, -inf, _log(part, np.where(low, doublings - 1.0, doublings)))
    return result


def logs_of_counts(counts: npt.NDArray[np.int64]) -> Floats:
    """The natural logarithm of each whole number, mostly small ones, by looking it up.

    >>> logs_of_counts(np.array([1, 2, 5000])).round(4).tolist()
    [0.0, 0.6931, 8.5172]
    """
    result: Floats = LOGS_OF_COUNTS[np.minimum(counts, len(LOGS_OF_COUNTS) - 1)]
    if counts.size and counts.max() >= len(LOGS_OF_COUNTS):
        large = counts >= len(LOGS_OF_COUNTS)
        result[large] = logs(counts[large])
    return result


def tanh(x: float) -> float:
    """The hyperbolic tangent.

    >>> tanh(0.0), round(tanh(-0.5), 12), tanh(1e9)
    (0.0, -0.46211715726, 1.0)
    """
    twice = 2.0 * min(abs(x), _FLAT)
    doublings = round(twice * _LOG2_E)
    power = ldexp(_expm1(_rest(twice, doublings)), doublings) + (ldexp(1.0, doublings) - 1.0)
    share = power / (power + 2.0)
    return share if x >= 0 else -share


def tanhs(x: Floats) -> Floats:
    """The hyperbolic tangent of each.

    >>> tanhs(np.array([0.0, -0.5])).round(12).tolist()
    [0.0, -0.46211715726]
    """
    if x.size < _FEW:
        return _one_by_one(tanh, x)
    powers = expm1s(2.0 * np.minimum(np.abs(x), _FLAT))
    share = powers / (powers + 2.0)
    result: Floats = np.where(x >= 0, share, -share)
    return result


def shares(scores: Floats) -> Floats:
    """exp(s_i) / sum_j exp(s_j) along the last axis, by log-sum-exp; equal shares where all are minus infinity.

    >>> shares(np.array([-1000.0, -1000.0, -np.inf])).tolist()
    [0.5, 0.5, 0.0]
    """
    top = scores.max(axis=-1, keepdims=True)
    below = np.where(np.isneginf(top), 0.0, scores - np.where(np.isneginf(top), 0.0, top))
    powers = exps(below)
    share: Floats = powers / powers.sum(axis=-1, keepdims=True)
    return share


def logistic(margin: float) -> float:
    """1 / (1 + exp(-margin)), for any margin.

    >>> logistic(0.0), logistic(-1e9), logistic(1e9)
    (0.5, 0.0, 1.0)
    """
    if margin < 0:
        return 1.0 - 1.0 / (1.0 + exp(margin))
    return 1.0 / (1.0 + exp(-margin))


def _one_by_one(of: Callable[[float], float], x: npt.NDArray[np.int64] | Floats) -> Floats:
    result: Floats = np.array([of(each) for each in x.ravel().tolist()], np.float64).reshape(x.shape)
    return result


def _rest(x: Real, doublings: Real) -> Real:
    """What is left of an exponent when powers of two are taken out."""
    return (x - doublings * _LN_2) - doublings * _LN_2_REST


def _expm1(x: Real) -> Real:
    """exp(x) - 1 for small x, |x| < 0.35, by its series."""
    series = x * _EXPM1[0]
    for each in _EXPM1[1:-1]:
        series += each
        series *= x
    return x + (series + _EXPM1[-1]) * (x * x)


def _log(x: Real, doublings: Real) -> Real:
    """log(x) + doublings * log(2) for x near 1, by the series of log((1 + y) / (1 - y))."""
    twice = 2.0 * ((x - 1.0) / (x + 1.0))
    square = 0.25 * (twice * twice)
    series = square * _LOG[0]
    for each in _LOG[1:]:
        series += each
        series *= square
    return doublings * _LN_2 + (twice + (twice * series + doublings * _LN_2_REST))


LOGS_OF_COUNTS = logs(np.arange(4096))
"""The logarithms of the first whole numbers."""
