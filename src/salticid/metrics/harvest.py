"""Harvest: the share of fetched pages that are on the topic."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate


def harvest_curve(relevant: Sequence[bool]) -> list[float]:
    """h(n) = relevant pages among the first n / n, for n = 1, 2, ...

    >>> harvest_curve([True, False, True])
    [1.0, 0.5, 0.6666666666666666]
    """
    return [found / n for n, found in enumerate(accumulate(map(int, relevant)), start=1)]


def harvest(relevant: Sequence[bool]) -> float:
    """The share over the whole crawl; 0 for one that fetched nothing.

    >>> harvest([True, False, False, True])
    0.5
    """
    return sum(relevant) / len(relevant) if relevant else 0.0
