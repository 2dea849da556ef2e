"""Some pages of a generated web, as they are on one day."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from salticid.worlds.generating.ages import Ages
from salticid.worlds.generating.chance import Whole


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
