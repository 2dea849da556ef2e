"""Which pages a round looks at again, and how much is left for hunting on."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np

from salticid.model import Ints
from salticid.watching.known_pages import RoundBrief


@dataclass(frozen=True, slots=True, eq=False)
class Plan:
    """The steps of the pages to look at again, in order, and the fetches for hunting on (None: any)."""

    again: Ints
    hunt: int | None


class Policy(Protocol):
    """A rule for rounds. The same brief gives the same plan; `again` and `hunt` together are `fetches` at the most."""

    def plan(self, brief: RoundBrief) -> Plan: ...


class InTurn:
    """Looks at all pages, those not looked at for longest first, and hunts with what is left."""

    def plan(self, brief: RoundBrief) -> Plan:
        pages, looks = brief.pages, brief.looks
        last = pages.visited.copy()
        np.maximum.at(last, looks.page, looks.wall)
        order = np.lexsort((pages.step, last))[: brief.fetches]
        return Plan(pages.step[order], None if brief.fetches is None else brief.fetches - len(order))
