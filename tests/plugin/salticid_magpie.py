"""A strategy of another package: what a plug-in author writes."""

from __future__ import annotations

from typing import Annotated

from msgspec import Meta

from salticid.model import Visit
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
