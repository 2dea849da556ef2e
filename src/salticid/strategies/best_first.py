"""The links of the best page first."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar, Literal

from salticid.model import Feedback, Ints, Visit
from salticid.snapshots import in_snapshot
from salticid.strategies.parts import QueueStrategy


@in_snapshot()
class BestFirst(QueueStrategy):
    """A link is as promising as the page it was found on: its score is the judge's of that page.

    With the cosine judge this is the papers' BestFirst, sim(topic, page). A URL found again keeps
    the higher score. `admit="always"` evicts the worst link before a newcomer enters, as the
    papers' pseudo-code does; by default the newcomer competes.

    >>> from salticid.testing import walk_through
    >>> walk_through(BestFirst(), max_pages=5)
    ['seed', 'a', 'b', 'b1', 'b2']

    Paper: Menczer, Pant, Ruiz, Srinivasan, "Evaluating topic-driven web crawlers", SIGIR 2001.
    """

    heeds: ClassVar[bool] = True

    def __init__(self, *, admit: Literal["compete", "always"] = "compete") -> None:
        self.admit = admit

    def score_links(self, visit: Visit, fresh: Ints) -> float | Sequence[float]:
        return visit.score

    def revise(self, scores: Sequence[tuple[int, float]], feedback: Sequence[Feedback]) -> None:
        self.frontier.rescore_from(dict(scores))
