"""A mean over crawls, and how sure it is."""

from __future__ import annotations

from collections.abc import Sequence
from math import sqrt

import msgspec
import numpy as np
from scipy.special import stdtrit


class Interval(msgspec.Struct, frozen=True):
    """A mean, and where it lies with 95 % (Student's t over the crawls)."""

    mean: float
    low: float
    high: float

    @classmethod
    def of(cls, values: Sequence[float]) -> Interval:
        """Of some values; a single one knows no spread.

        >>> Interval.of([1.0, 2.0, 3.0])
        Interval(mean=2.0, low=-0.484..., high=4.484...)
        """
        mean, n = float(np.mean(values)), len(values)
        if n < 2:
            return cls(mean, mean, mean)
        room = float(stdtrit(n - 1, 0.975)) * float(np.std(values, ddof=1)) / sqrt(n)
        return cls(mean, mean - room, mean + room)

    @classmethod
    def between(cls, a: Sequence[float], b: Sequence[float]) -> Interval:
        """The interval of the differences a - b, pair by pair."""
        return cls.of([one - other for one, other in zip(a, b, strict=True)])

    @property
    def sure(self) -> bool:
        """Whether zero lies outside."""
        return self.low > 0 or self.high < 0

    def __str__(self) -> str:
        return f"{self.mean:.3f} ({self.low:.3f} to {self.high:.3f})"
