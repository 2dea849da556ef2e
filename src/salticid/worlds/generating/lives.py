"""The lives of generated pages: birth, changes, death, and copies of other pages."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from salticid.model import Bools
from salticid.worlds.generating.chance import Keys, Lots, Whole, below, later, rolls
from salticid.worlds.generating.plan import Permanence, WebPlan

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
        moves = (self._moving.rolls(places, generations) < _MOVING) & (self._standing[places] == Permanence.ENDURING)
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


# Some pages of a generated web, as they are on one day.


@dataclass(frozen=True, eq=False)
class PageLives:
    """Pages as columns, with their days; `edit_day` is the day of the last edit, or of birth."""

    places: Whole
    generations: Whole
    editions: Whole
    birth_day: Whole
    edit_day: Whole

    @classmethod
    def on(cls, days: int | Whole, places: Whole, ages: Ages) -> PageLives:
        """The pages that hold these places on that day, or on that day each."""
        days = np.broadcast_to(days, places.shape)
        generations = ages.generation(places, days)
        editions, edit_day = ages.edition(places, days)
        birth_day = ages.birth_day(places, generations)
        return cls(places, generations, editions, birth_day, np.maximum(birth_day, edit_day))

    @property
    def columns(self) -> tuple[Whole, ...]:
        """All of them, in the order of the constructor."""
        return (self.places, self.generations, self.editions, self.birth_day, self.edit_day)


# Near-duplicates: some pages are another page's text, taken over on the day they were born.

_SHARE = 0.3


class Copies:
    """Which page copies which. A copy is of the original's circle, and no page copies a copy."""

    def __init__(self, plan: WebPlan, ages: Ages) -> None:
        self._plan, self._ages = plan, ages
        self._copying, self._whom = Lots(plan.seed, "copying"), Lots(plan.seed, "copy of whom")

    def source(self, places: Whole, generations: Whole) -> tuple[Whole, Whole, Whole]:
        """The place and generation of the page whose text each page has, its own or the original's; and the day
        on which a copy would have taken it over."""
        day = self._ages.birth_day(places, generations)
        here = np.flatnonzero(self._copies(places, generations))
        copies = places[here]
        circle = self._plan.circle_of(copies)
        lasting = np.ones(len(here), np.bool_)
        whom = self._plan.models.one_of(circle, self._whom.rolls(copies, generations[here]), lasting)
        then = self._ages.generation(whom, day[here])
        original = ~self._copies(whom, then)
        source, generation = places.copy(), generations.copy()
        source[here[original]], generation[here[original]] = whom[original], then[original]
        return source, generation, day

    def originals(self, pages: PageLives) -> PageLives:
        """For each page, the page whose text it has, as it was when that was taken over; an original is its own."""
        source, _, day = self.source(pages.places, pages.generations)
        then = PageLives.on(day, source, self._ages)
        own = source == pages.places
        columns = zip(pages.columns, then.columns, strict=True)
        return PageLives(*(np.where(own, ours, theirs) for ours, theirs in columns))

    def _copies(self, places: Whole, generations: Whole) -> Bools:
        passing = self._plan.standing_of[places] == Permanence.PASSING
        copies: Bools = passing & (self._copying.rolls(places, generations) < _SHARE)
        return copies
