"""From how like a topic a page is to how probably it is about it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import fsum

from salticid.exact import logistic
from salticid.snapshots import in_snapshot

LEAST_APART = 0.05
"""The line lies at least so far above pages off topic, whatever little is known says."""
DOUBT = 5.0
"""The log odds against a usual page off topic: it may be on topic with a probability of 0.007."""
TOP = 0.05
"""So large a part of the pages seen, the most like the topic, say how like it pages can be, while no example tells."""


@in_snapshot()
@dataclass(frozen=True, slots=True)
class Calibration:
    """probability(x) = 1 / (1 + exp(-steepness * (x - line))) up to the line; from there on odds grow as a cube.

    A page that is no more like the topic than other pages are gets less than 0.01. Above the line, where few pages
    are known, 1 + t + t ** 2 + t ** 3 to 1 are the odds of a page that is t times as far above the line as a usual page
    is below: however like the topic, two pages of different likeness get different probabilities, and most of all
    around t = 1, where the pages most like a topic are.

    >>> calibration = Calibration.above(0.1, 0.5)
    >>> [round(calibration.probability(x), 2) for x in (0.1, 0.3, 0.5, 0.7, 0.9, 1.3)]
    [0.01, 0.08, 0.5, 0.65, 0.8, 0.94]
    """

    line: float
    steepness: float

    @classmethod
    def of_pages(cls, likeness: Sequence[float], least: float) -> Calibration:
        """From how like the topic the pages seen are, of which nobody said which are about it.

        The line lies half way from the lower half of them to the top, and never below `least`.
        """
        ordered = sorted(likeness)
        usual = _mean(ordered[: (len(ordered) + 1) // 2])
        top = _mean(ordered[-max(round(TOP * len(ordered)), 3) :])
        return cls.above(usual, max((usual + top) / 2, least))

    @classmethod
    def above(cls, usual: float, line: float) -> Calibration:
        """From how like the topic a usual page is, and from where on a page is rather about it."""
        way = max(line - usual, LEAST_APART)
        return cls(usual + way, DOUBT / way)

    def probability(self, likeness: float) -> float:
        """How probably a page so like the topic is about it."""
        above = likeness - self.line
        if above <= 0.0:
            return logistic(self.steepness * above)
        times = above * self.steepness / DOUBT
        odds = 1.0 + times * (1.0 + times * (1.0 + times))
        return odds / (1.0 + odds)

    def carried_over(self, before: Sequence[float], after: Sequence[float]) -> Calibration:
        """The same for another kind of likeness, given both of some pages: by the straight line through them.

        >>> Calibration(0.3, 15.0).carried_over([0.1, 0.2, 0.6], [0.2, 0.4, 1.2]) == Calibration(0.6, 7.5)
        True
        """
        mean, mean_after = _mean(before), _mean(after)
        spread = fsum((x - mean) ** 2 for x in before)
        both = fsum((x - mean) * (y - mean_after) for x, y in zip(before, after, strict=True))
        if both <= 0.0:
            return self
        slope = both / spread
        return Calibration(mean_after + slope * (self.line - mean), self.steepness / slope)


def _mean(numbers: Sequence[float]) -> float:
    return fsum(numbers) / max(len(numbers), 1)
