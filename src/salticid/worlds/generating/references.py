"""References: what a link points to, as one number that outlives the page it was made for."""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum

import numpy as np

from salticid.worlds.generating.chance import Whole

SHARE_SERVICES = 2


class ReferenceKind(IntEnum):
    """What stands, or stood, at an address."""

    PAGE = 0
    FORBIDDEN = 1
    GONE = 2
    CALENDAR = 3
    SHARE = 4


@dataclass(frozen=True, eq=False)
class References:
    """Addresses as columns. `number` is a place, a host with forbidden pages, a host that is gone, a month of a
    calendar, or a place that is shared; `generation` tells the pages of one place, or of one such host, apart; `moved`
    is 1 for a second address, and for the second of the services that share a page.

    >>> packed = References.pack(ReferenceKind.PAGE, np.array([70_000]), np.array([12]), np.array([1]))
    >>> columns = References.unpack(packed)
    >>> columns.kind.tolist(), columns.number.tolist(), columns.generation.tolist(), columns.moved.tolist()
    ([0], [70000], [12], [1])
    """

    kind: Whole
    number: Whole
    generation: Whole
    moved: Whole

    @staticmethod
    def pack(kind: int | Whole, number: Whole, generation: Whole, moved: int | Whole = 0) -> Whole:
        numbers: Whole = number << 20 | generation << 4 | np.asarray(moved) << 3 | np.asarray(kind)
        return numbers

    @classmethod
    def unpack(cls, packed: Whole) -> References:
        """The columns of packed references."""
        return cls(packed & 7, packed >> 20, (packed >> 4) & 0xFFFF, (packed >> 3) & 1)
