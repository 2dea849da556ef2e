"""What traits of links tell of the pages they lead to, as text that a crawl of another world can start from.

A strategy file in TOML, as `salticid crawl --strategy FILE` reads it:

    strategy = "context"

    [weights]
    classes = ["course", "other"]
    target = "course"                      # the class the crawl is after

    [weights.traits]                       # for each trait of a link a weight for each class
    "anchor homework" = [0.9, -0.4]
    "own host True" = [0.1, 0.0]

P(class | link) is as exp of the sum of the weights of its traits (`salticid.learning.link_traits`).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import msgspec
import numpy as np

from salticid.exact import shares
from salticid.model import Floats

DIGITS = 3
"""Weights are kept to so many decimals; traits whose weights are all 0 then are not kept."""


class LinkWeights(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The weights of a regression, by class."""

    classes: list[str]
    target: str
    traits: dict[str, list[float]] = {}

    def __post_init__(self) -> None:
        """Refuse weights that do not fit together."""
        many = len(self.classes)
        if many < 2 or len(set(self.classes)) < many:
            raise ValueError(f"classes should be two or more different names, not {self.classes}")
        if self.target not in self.classes:
            raise ValueError(f"the target {self.target!r} is none of the classes {', '.join(self.classes)}")
        for trait, row in self.traits.items():
            if len(row) != many or not np.isfinite(row).all():
                raise ValueError(f"{trait!r} should have {many} weights, one for each class, not {row}")

    @classmethod
    def of(cls, classes: Sequence[str], target: str, names: Sequence[str], weights: Floats) -> LinkWeights:
        """Those of a regression, of which `weights` has a row for each trait."""
        rows = weights.round(DIGITS) + 0.0  # no -0.0
        kept = {name: row for name, row in zip(names, rows.tolist(), strict=True) if any(row)}
        return cls(list(classes), target, kept)

    def chance(self, traits: Iterable[str]) -> float:
        """P(target class | link) of a link with these traits.

        >>> told = LinkWeights(["off", "on"], "on", {"anchor spider": [0.0, 1.0986]})
        >>> round(told.chance(["anchor spider", "never seen"]), 2), told.chance([])
        (0.75, 0.5)
        """
        scores = np.zeros(len(self.classes))
        for trait in traits:
            row = self.traits.get(trait)
            if row is not None:
                scores += row
        return float(shares(scores)[self.classes.index(self.target)])


def save_link_weights(weights: LinkWeights) -> str:
    """The text of a strategy file."""
    return msgspec.toml.encode({"strategy": "context", "weights": weights}).decode()
