"""Time: which page holds a place on a day, when it was born, when it last changed, whether it has moved.

A place has a span: after so many days its page vanishes and another one, with another address, takes the place.
It has a rhythm, too: after so many days its page is edited. Days count from `EPOCH`, and may be negative.
"""

from __future__ import annotations

import numpy as np

from salticid.worlds.generating.chance import Keys, Lots, Whole, below, later, rolls
from salticid.worlds.generating.web_plan import Permanence, WebPlan

EPOCH = 1_767_225_600
"""Day 0: 2026-01-01 UTC, in seconds since 1970."""
LAST_DAY = 36_500
_DAY = 86_400
_LONG_AGO = 6_000
_FOR_EVER = 1 << 20
_MOVING = 0.3


class Ages:
    """The life of all places of a plan."""

    def __init__(self, plan: WebPlan) -> None:
        self._standing = plan.standing_of
        seed = plan.seed
        self._span, self._rhythm = Lots(seed, "span"), Lots(seed, "rhythm")
        self._moving, self._second = Lots(seed, "moving"), Lots(seed, "second of the day")

    def generation(self, places: Whole, days: Whole) -> Whole:
        """How many pages have held each place before the one of that day."""
        span, phase = self._spans(places)
        return (days + _LONG_AGO + phase) // span

    def birth_day(self, places: Whole, generations: Whole) -> Whole:
        """The day on which a place was taken by that page."""
        span, phase = self._spans(places)
        return generations * span - phase - _LONG_AGO

    def edition(self, places: Whole, days: Whole) -> tuple[Whole, Whole]:
        """Which edition of a page that day has, and when it began if the page is that old."""
        keys = self._rhythm.keys(places)
        rhythm = self._days_between_edits(places, keys)
        phase = below(later(keys, 1), rhythm)
        edition = (days + _LONG_AGO + phase) // rhythm
        return edition, edition * rhythm - phase - _LONG_AGO

    def has_moved(self, places: Whole, generations: Whole, days: Whole) -> Whole:
        """1 where the page has left its first address by that day, else 0."""
        span, _ = self._spans(places)
        moves = (self._moving.rolls(places, generations) < _MOVING) & (
            self._standing[places] == Permanence.ENDURING
        )
        flags: Whole = (moves & (days >= self.birth_day(places, generations) + span // 2)).astype(np.int64)
        return flags

    def seconds(self, places: Whole, days: Whole) -> Whole:
        """Seconds since 1970: some time of that day."""
        return EPOCH + days * _DAY + self._second.below(_DAY, places, days)

    def _spans(self, places: Whole) -> tuple[Whole, Whole]:
        """Days that a page holds each place, and how long ago the first of all began.

        What passes takes 40 to 200 days, evenly in what vanishes a day; what endures, four to eight years.
        """
        keys = self._span.keys(places)
        luck = rolls(keys)
        standing = self._standing[places]
        passing = (1000 / (5 + 20 * luck)).astype(np.int64)
        enduring = (1000 / (0.35 + 0.35 * luck)).astype(np.int64)
        span = np.where(standing == Permanence.PASSING, passing, enduring)
        span = np.where(standing == Permanence.INDEX, _FOR_EVER, span)
        return span, np.where(standing == Permanence.INDEX, 0, below(later(keys, 1), span))

    def _days_between_edits(self, places: Whole, keys: Keys) -> Whole:
        """Most index pages are edited every few days; of the others most hardly ever are."""
        kind, luck = rolls(keys), rolls(later(keys, 0))
        often, monthly = 1 + 13 * luck, 15 + 45 * luck
        yearly, never = 60 + 300 * luck, 3_000 + 5_000 * luck
        days = np.where(kind < 0.12, monthly, np.where(kind < 0.24, yearly, never))
        index = self._standing[places] == Permanence.INDEX
        return np.where(index, np.where(kind < 0.85, often, yearly), days).astype(np.int64)
