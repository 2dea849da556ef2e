"""First come, first fetched."""

from __future__ import annotations

from salticid.model import Ints, Visit
from salticid.snapshots import in_snapshot
from salticid.strategies.parts import QueueStrategy


@in_snapshot()
class BreadthFirst(QueueStrategy):
    """Fetches links in the order they were found: the baseline that knows nothing.

    The bounded frontier is a first-in-first-out queue: when it is full, newcomers are turned away.

    >>> from salticid.testing import walk_through
    >>> walk_through(BreadthFirst(), max_pages=5)
    ['seed', 'a', 'b', 'a1', 'a2']

    Paper: Menczer, Pant, Srinivasan, "Topical web crawlers: evaluating adaptive algorithms", 2004.
    """

    seed_score = 0.0

    def score_links(self, visit: Visit, fresh: Ints) -> float:
        return 0.0
