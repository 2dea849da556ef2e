"""The N best links at a time."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Literal

from msgspec import Meta

from salticid.model import Feedback, Visit
from salticid.protocols import Brief
from salticid.snapshots import in_snapshot
from salticid.strategies.parts import InBatches, Linkage


@in_snapshot(_linkage=Linkage | None)
class BestNFirst(InBatches):
    """Takes the N best links as a batch and learns nothing until all of them have come back.

    The larger N, the more it explores: what a batch brings in is queued only when its last link has
    returned, failures included. With n = 1 it is best_first.

    `score` says how promising a page's links are. "similarity": as in best_first, by the judge. "linkage":
    by the number of distinct keywords on the page, equal ones by its PageRank among the pages the crawl has
    seen, a local form of the rank by which the paper judges crawls; the judge has no say then.

    >>> from salticid.testing import walk_through
    >>> walk_through(BestNFirst(n=2), max_pages=5)
    ['seed', 'a', 'b', 'b1', 'b2']

    Paper: Pant, Srinivasan, Menczer, "Exploration versus exploitation in topic driven crawlers", 2002.
    """

    def __init__(
        self,
        *,
        n: Annotated[int, Meta(ge=1, le=4096)] = 256,
        admit: Literal["compete", "always"] = "compete",
        score: Literal["similarity", "linkage"] = "similarity",
    ) -> None:
        self.n = n
        self.admit = admit
        self.score = score

    def start(self, brief: Brief) -> None:
        super().start(brief)
        self._linkage = Linkage(brief) if self.score == "linkage" else None

    def size_of_batch(self) -> int:
        return self.n

    def learn(self, visits: Sequence[Visit]) -> None:
        if self._linkage is not None:
            self._linkage.see([visit.page for visit in visits if visit.page is not None])

    def score_page(self, visit: Visit) -> float:
        if self._linkage is None or visit.page is None:
            return super().score_page(visit)
        return self._linkage.score(visit.page)

    def revise(self, scores: Sequence[tuple[int, float]], feedback: Sequence[Feedback]) -> None:
        if self._linkage is None:
            super().revise(scores, feedback)
