"""The weights a hunter starts with, fitted to other topics (`salticid fit`)."""

from __future__ import annotations

from functools import cache
from importlib.resources import files

import msgspec
import numpy as np

from salticid.errors import UserError
from salticid.model import Floats
from salticid.strategies.parts.hunter.features import NAMES

FILE = "prior.toml"


class Prior(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """For each feature of a link its weight in the margin, and its usual spread; and where they come from."""

    provenance: str
    weights: dict[str, float]
    spread: dict[str, float]

    def __post_init__(self) -> None:
        for table in (self.weights, self.spread):
            if other := sorted(set(table) ^ set(NAMES)):
                raise UserError(
                    f"a prior of the hunter needs each of its features once; wrong: {', '.join(other)}"
                )

    def row(self) -> Floats:
        """The weights in the order of the features."""
        return np.array([self.weights[name] for name in NAMES])

    def spreads(self) -> Floats:
        """The spreads in the order of the features."""
        return np.array([self.spread[name] for name in NAMES])


@cache
def default_prior() -> Prior:
    """The prior that comes with the program."""
    text = (files(__package__) / FILE).read_bytes()
    return msgspec.convert(msgspec.toml.decode(text)["prior"], Prior)


def strategy_file(prior: Prior) -> str:
    """The text of a strategy file for `salticid crawl --strategy FILE`."""
    return msgspec.toml.encode({"strategy": "hunter", "prior": msgspec.to_builtins(prior)}).decode()
