"""Which pages a round looks at again, and how much is left for hunting on."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np

from salticid.model import Ints
from salticid.watching.round_brief import RoundBrief


@dataclass(frozen=True, slots=True, eq=False)
class Plan:
    """The steps of the pages to look at again, in order, and the fetches for hunting on (None: any)."""

    again: Ints
    hunt: int | None


class Policy(Protocol):
    """A rule for rounds. The same brief gives the same plan; `again` and `hunt` together are `fetches` at the most."""

    def plan(self, brief: RoundBrief) -> Plan: ...


@dataclass(frozen=True, slots=True)
class InTurn:
    """Looks at pages with a share of the fetches, those not seen for longest first, and hunts with what is left."""

    share: float = 1.0

    def plan(self, brief: RoundBrief) -> Plan:
        pages, looks = brief.pages, brief.looks
        seen = pages.visited.copy()
        np.maximum.at(seen, looks.page, looks.wall)
        order = np.lexsort((pages.step, seen))
        if brief.fetches is None:
            return Plan(pages.step[order], None)
        order = order[: int(self.share * brief.fetches)]
        return Plan(pages.step[order], brief.fetches - len(order))
