"""The terms of a linear rank function, and their weights."""

from __future__ import annotations

from typing import Annotated

import msgspec
import numpy as np
from msgspec import Meta

from salticid.exact import log, logs
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


_FARTHEST = 36.0
"""Beyond this margin a score is 0 or 1 to the last bit."""


class Ranking(msgspec.Struct, frozen=True):
    """How a linear rank is made, besides its weights.

    `margin`: signed scores are the margins that a judge such as `svm` made its scores of, as the paper has them, and
    not brought to -1..1. `by_distance`: of several rows of weights, the first ranks links one link from the seeds,
    the second those two away, and so on, the last all that are farther; else they take over in the course of a crawl.
    """

    margin: bool = False
    by_distance: bool = False

    def signed(self, score: float) -> float:
        """The signed score of a page.

        >>> Ranking().signed(0.75), round(Ranking(margin=True).signed(0.75), 12), Ranking(margin=True).signed(0.0)
        (0.5, 1.098612288668, -36.0)
        """
        if not self.margin:
            return 2 * score - 1
        return min(max(log(score) - log(1.0 - score), -_FARTHEST), _FARTHEST)

    def all_signed(self, scores: Floats) -> Floats:
        """The signed score of each of many pages, the same to the last bit."""
        if not self.margin:
            return 2 * scores - 1
        signed: Floats = np.clip(logs(scores) - logs(1.0 - scores), -_FARTHEST, _FARTHEST)
        return signed


USUAL_RANKING = Ranking()


def ranks(weights: Floats, scores: Floats) -> Floats:
    """Rank = sum of weight * score; `scores` has a row for each term and a column for each URL, and so may `weights`.

    The terms are added one after the other, in their order, so that whoever does the same in another way has
    the same last bit.

    >>> ranks(np.array([0.5, 0.25]), np.array([[1.0, 0.0], [2.0, 4.0]])).tolist()
    [1.0, 1.0]
    """
    total = np.zeros(scores.shape[1])
    for weight, row in zip(weights, scores, strict=True):
        total = total + weight * row
    return total
