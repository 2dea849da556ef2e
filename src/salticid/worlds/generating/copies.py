"""Near-duplicates: some pages are another page's text, taken over on the day they were born."""

from __future__ import annotations

import numpy as np

from salticid.model import Bools
from salticid.worlds.generating.ages import Ages
from salticid.worlds.generating.chance import Lots, Whole
from salticid.worlds.generating.page_lives import PageLives
from salticid.worlds.generating.web_plan import Permanence, WebPlan

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
