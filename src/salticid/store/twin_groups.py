"""Of pages that are all but the same, one is shown; and none that another crawl has shown."""

from __future__ import annotations

from collections.abc import Iterable

from salticid.store.database import Database
from salticid.store.holders import holders
from salticid.store.record import VisitRow
from salticid.store.schema import VISIT


class TwinGroups:
    """The groups of near-duplicates of a crawl. The first that is taken stands for its group.

    A page that another crawl holds is never taken. Who rejected one of them rejected all: of the groups of `rejected`
    steps none can be taken.
    """

    def __init__(self, db: Database, rejected: Iterable[int] = ()) -> None:
        self._group: dict[int, int] = {}
        self._used: set[int] = set()
        self._held = holders(db)
        for visit in map(VisitRow._make, db.all(VISIT)):
            if (earlier := visit.duplicate_of) is not None:
                self._group[visit.step] = self._group.setdefault(earlier, earlier)
        for step in rejected:
            self.take(step)

    def take(self, step: int) -> bool:
        """Whether this page is the first of its group to be taken, here and elsewhere."""
        if step in self._held:
            return False
        group = self._group.get(step)
        if group is None:
            return True
        first = group not in self._used
        self._used.add(group)
        return first
