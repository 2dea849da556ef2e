"""What is known when a round begins: the pages of the crawl, and what became of them at each look."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np
import numpy.typing as npt

from salticid.model import Bools, Floats, Ints

FINDINGS: Final = ("same", "changed", "gone", "unknown")
"""What a look may find; `Looks.finding` holds places in it."""
SAME, CHANGED, GONE, UNKNOWN = range(len(FINDINGS))


@dataclass(frozen=True, slots=True, eq=False)
class WatchedPages:
    """Good pages as columns of equal length, a row a page, in order of their steps.

    `visited` is when it was visited, `modified` since when it had been as it was then (NaN where nobody said), both in
    seconds since 1970. `score` is what the judge thinks of it by now; only what is `positive` is collected. `children`
    are the positive pages that its links brought when it was visited, `finds` those that they brought in rounds.
    """

    step: Ints
    host: Ints
    visited: Floats
    modified: Floats
    score: Floats
    positive: Bools
    children: Ints
    finds: Ints

    def __len__(self) -> int:
        return len(self.step)


@dataclass(frozen=True, slots=True, eq=False)
class Looks:
    """The looks at watched pages after their visits, in the order in which they were made.

    `page` is a row of the watched pages, `wall` seconds since 1970, `finding` a place in `FINDINGS`.
    """

    page: Ints
    wall: Floats
    finding: npt.NDArray[np.uint8]

    @classmethod
    def none(cls) -> Looks:
        """Nobody has looked again so far."""
        return cls(np.zeros(0, np.int32), np.zeros(0), np.zeros(0, np.uint8))

    def __len__(self) -> int:
        return len(self.page)


@dataclass(frozen=True, slots=True, eq=False)
class RoundBrief:
    """All that decides the plan of a round: what is known, what time it is, how many fetches there are (None: any).

    `hunted` are the fetches that the first hunt took, and each round's after it, `found` the positive pages these
    brought.
    """

    pages: WatchedPages
    looks: Looks
    now: float
    fetches: int | None
    hunted: Ints
    found: Ints
