"""From values to places on paper."""

from __future__ import annotations

import math
from dataclasses import dataclass

from salticid.lab.plots.numbers import number


@dataclass(frozen=True, slots=True)
class Scale:
    """Where values from `low` to `high` lie between two places; values beyond are put at the end they passed.

    >>> Scale(0, 10, 100, 200).at(2.5), Scale(1, 100, 0, 50, log=True).at(10), Scale(0, 10, 100, 200).at(99)
    (125.0, 25.0, 200.0)
    """

    low: float
    high: float
    start: float
    end: float
    log: bool = False

    def at(self, value: float) -> float:
        """The place of a value."""
        value = min(max(value, self.low), self.high)
        if self.log:
            share = math.log(value / self.low) / math.log(self.high / self.low)
        else:
            share = (value - self.low) / (self.high - self.low)
        return self.start + (self.end - self.start) * share

    def ticks(self) -> list[tuple[float, str]]:
        """Round values to mark, with their texts.

        >>> Scale(0, 1000, 0, 1).ticks()[:3]
        [(0.0, '0'), (200.0, '200'), (400.0, '400')]
        >>> [text for _, text in Scale(10, 1000, 0, 1, log=True).ticks()]
        ['10', '20', '50', '100', '200', '500', '1,000']
        """
        if self.log:
            return [(value, number(value, 0)) for value in _round_values(self.low, self.high)]
        step = round_step(self.high - self.low)
        digits = max(0, -math.floor(math.log10(step) + 1e-9))
        first, last = math.ceil(self.low / step - 1e-9), math.floor(self.high / step + 1e-9)
        return [(n * step, number(n * step, digits)) for n in range(first, last + 1)]


def round_bounds(low: float, high: float, *, from_zero: bool) -> tuple[float, float]:
    """Round bounds around values, from zero on if wanted, never of no width.

    >>> round_bounds(0.12, 0.43, from_zero=True), round_bounds(312.0, 488.0, from_zero=False)
    ((0.0, 0.45), (300.0, 500.0))
    >>> round_bounds(3.0, 3.0, from_zero=False)
    (2.0, 4.0)
    """
    if from_zero:
        low, high = min(low, 0), max(high, 0)
    if high - low <= 1e-12 * max(abs(low), abs(high), 1e-300):
        room = abs(high) / 3 or 1.0
        low, high = (low, high + room) if from_zero else (low - room, high + room)
    step = round_step(high - low)
    return _tidy(math.floor(low / step + 1e-9) * step), _tidy(math.ceil(high / step - 1e-9) * step)


def round_step(width: float) -> float:
    """A step of 1, 2 or 5 times a power of ten that parts a width into four to nine.

    >>> round_step(1000), round_step(0.43), round_step(90)
    (200.0, 0.05, 10.0)
    """
    power = 10.0 ** math.floor(math.log10(width))
    parts = {1: 0.2, 2: 0.5, 5: 1.0}
    lead = max(first for first in parts if first * power <= width * (1 + 1e-9))
    return _tidy(parts[lead] * power)


def _tidy(value: float) -> float:
    """Without the noise of binary fractions."""
    return float(f"{value:.10g}")


def _round_values(low: float, high: float) -> list[float]:
    powers = range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)
    values = [first * 10.0**power for power in powers for first in (1, 2, 5)]
    return [value for value in values if low <= value <= high]
