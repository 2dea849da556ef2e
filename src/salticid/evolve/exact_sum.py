"""Sums that come out as numpy's do, bit for bit, for compiled code."""

from __future__ import annotations

from typing import Any

from numba import njit

_BLOCK = 128


@njit(cache=True)
def pairwise(numbers: Any) -> Any:
    """The sum of some floats in the order in which `numpy.sum` adds them.

    Up to 128 numbers by eight running sums, more by halves.

    >>> import numpy as np
    >>> numbers = np.random.default_rng(0).random(1000)
    >>> bool(pairwise(numbers) == numbers.sum())
    True
    """
    size = len(numbers)
    if size < 8:
        total = 0.0
        for at in range(size):
            total += numbers[at]
        return total
    if size > _BLOCK:
        half = size // 2
        half -= half % 8
        return pairwise(numbers[:half]) + pairwise(numbers[half:])
    sums = numbers[:8].copy()
    whole = size - size % 8
    for begin in range(8, whole, 8):
        for at in range(8):
            sums[at] += numbers[begin + at]
    total = ((sums[0] + sums[1]) + (sums[2] + sums[3])) + ((sums[4] + sums[5]) + (sums[6] + sums[7]))
    for at in range(whole, size):
        total += numbers[at]
    return total
