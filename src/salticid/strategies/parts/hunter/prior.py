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


FEW_LISTS, MANY_LISTS = 0.2, 0.6
"""Up to the first share of links in lists a web counts as one of texts, from the second on as one of menus."""


class Prior(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """For each feature of a link its weight in the margin, on a web of texts and on one of menus; and its habits.

    On a page of an encyclopedia most links stand in the text, and each was set because of what it says; on a site with
    menus most stand in lists that are the same on every page. What speaks for a link differs, so there are two
    weights, and `weights_in` mixes them by the share of links that stand in lists. `most` is what a feature counts at
    most, `spread` its usual spread up to there. `provenance` tells where all of it comes from.
    """

    provenance: str
    texts: dict[str, float]
    menus: dict[str, float]
    most: dict[str, float]
    spread: dict[str, float]

    def __post_init__(self) -> None:
        for table in (self.texts, self.menus, self.most, self.spread):
            if other := sorted(set(table) ^ set(NAMES)):
                raise UserError(
                    f"a prior of the hunter needs each of its features once; wrong: {', '.join(other)}"
                )

    def weights_in(self, lists: float) -> Floats:
        """The weights, in the order of the features, where this share of links stands in lists."""
        menu_like = menu_share(lists)
        return (1.0 - menu_like) * _row(self.texts) + menu_like * _row(self.menus)

    def bounds(self) -> Floats:
        """What each feature counts at most."""
        return _row(self.most)

    def spreads(self) -> Floats:
        """The spreads in the order of the features."""
        return _row(self.spread)


def menu_share(lists: float) -> float:
    """How much a web is one of menus, 0..1, where this share of links stands in lists.

    >>> [round(menu_share(lists), 2) for lists in (0.1, 0.3, 0.9)]
    [0.0, 0.25, 1.0]
    """
    return min(max((lists - FEW_LISTS) / (MANY_LISTS - FEW_LISTS), 0.0), 1.0)


def _row(table: dict[str, float]) -> Floats:
    return np.array([table[name] for name in NAMES])


@cache
def default_prior() -> Prior:
    """The prior that comes with the program."""
    text = (files(__package__) / FILE).read_bytes()
    return msgspec.convert(msgspec.toml.decode(text)["prior"], Prior)


def strategy_file(prior: Prior) -> str:
    """The text of a strategy file for `salticid crawl --strategy FILE`."""
    return msgspec.toml.encode({"strategy": "hunter", "prior": msgspec.to_builtins(prior)}).decode()
