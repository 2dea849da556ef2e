"""The terms of a linear rank function, and their weights."""

from __future__ import annotations

from typing import Annotated

import msgspec
import numpy as np
from msgspec import Meta

from salticid.model import Floats

Weight = Annotated[float, Meta(ge=0, le=1)]


class Weights(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """How much each term counts; those not named count nothing."""

    hub: Weight = 0.0
    authority: Weight = 0.0
    comm_in: Weight = 0.0
    comm_out: Weight = 0.0
    parent_1: Weight = 0.0
    parent_2: Weight = 0.0
    parent_3: Weight = 0.0
    parent_4: Weight = 0.0
    parent_5: Weight = 0.0
    anchor: Weight = 0.0
    context: Weight = 0.0
    host: Weight = 0.0

    def settings(self) -> dict[str, float]:
        """The weights by name."""
        return msgspec.structs.asdict(self)

    def row(self) -> Floats:
        """The weights in the order of `TERMS`."""
        return np.array(msgspec.structs.astuple(self), np.float64)


TERMS: tuple[str, ...] = Weights.__struct_fields__
HUB, AUTHORITY, COMM_IN, COMM_OUT, PARENT_1, *_, ANCHOR, CONTEXT, HOST = range(len(TERMS))
LEVELS = ANCHOR - PARENT_1
"""How many generations of pages above a URL are looked at."""


def ranks(weights: Floats, scores: Floats) -> Floats:
    """Rank = sum of weight * score; `scores` has a row for each term and a column for each URL.

    The terms are added one after the other, in their order, so that whoever does the same in another way has
    the same last bit.

    >>> ranks(np.array([0.5, 0.25]), np.array([[1.0, 0.0], [2.0, 4.0]])).tolist()
    [1.0, 1.0]
    """
    total = np.zeros(scores.shape[1])
    for weight, row in zip(weights.tolist(), scores, strict=True):
        total = total + weight * row
    return total
