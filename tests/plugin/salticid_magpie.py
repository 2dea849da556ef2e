"""A strategy of another package: what a plug-in author writes."""

from __future__ import annotations

from typing import Annotated

from msgspec import Meta

from salticid.model import Choice, Visit
from salticid.strategies.parts.base import Queueing


class Magpie(Queueing):
    """Goes for pages with a short title, because they glitter.

    >>> from salticid.testing import walk_through
    >>> walk_through(Magpie(), max_pages=3)
    ['seed', 'a', 'b']
    """

    def __init__(self, *, glitter: Annotated[int, Meta(ge=1, le=80)] = 20) -> None:
        self.glitter = glitter

    def score_of(self, visit: Visit) -> float:
        title = visit.page.title if visit.page is not None else ""
        return 1.0 / (1 + max(0, len(title) - self.glitter))


class Grumpy(Magpie):
    """Gives up after ten questions."""

    _asked = 0

    def choose(self, n: int, busy: frozenset[int]) -> list[Choice]:
        self._asked += 1
        if self._asked > 10:
            raise RuntimeError("I have had enough of <this>")
        return super().choose(n, busy)
