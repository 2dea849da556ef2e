"""A strategy of another package: what a plug-in author writes."""

from __future__ import annotations

from typing import Annotated

from msgspec import Meta

from salticid.model import Choice, Ints, Visit
from salticid.strategies.parts.queue import QueueStrategy


class Magpie(QueueStrategy):
    """Goes for pages with a short title, because they glitter.

    >>> from salticid.testing import walk_through
    >>> walk_through(Magpie(), max_pages=3)
    ['seed', 'a', 'b']
    """

    def __init__(self, *, glitter: Annotated[int, Meta(ge=1, le=80)] = 20) -> None:
        self.glitter = glitter

    def score_links(self, visit: Visit, fresh: Ints) -> float:
        return 1.0 / (1 + max(0, len(visit.require_page().title) - self.glitter))


class Grumpy(Magpie):
    """Gives up after ten questions."""

    _asked = 0

    def choose(self, n: int, busy: frozenset[int]) -> list[Choice]:
        self._asked += 1
        if self._asked > 10:
            raise RuntimeError("I have had enough of <this>")
        return super().choose(n, busy)
