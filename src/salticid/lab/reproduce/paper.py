"""What a paper says, as data: its findings with the sentence each comes from, its figures, its numbers."""

from __future__ import annotations

from functools import cache
from importlib.resources import files

import msgspec
from msgspec.structs import replace

from salticid.errors import UserError

SYSTEMS = range(1, 6)


class Claim(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A finding of a paper in our words, the place it comes from, and the paper's own words there.

    `conjecture`: the paper supposes it and did not try.
    """

    finding: str
    source: str
    quote: str
    conjecture: bool = False

    def about(self, **parts: object) -> Claim:
        """The claim with the places in braces filled in.

        >>> Claim("{first} before PageRank", "Figure 5", "").about(first="BestFirst").finding
        'BestFirst before PageRank'
        """
        return replace(self, finding=self.finding.format(**parts))


class PrintedFigure(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A figure or table of a paper: its title in our words, and what the paper says of it."""

    title: str
    quote: str


class Paper(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A paper: `claims` by the names that experiments use, `figures` by their numbers, `numbers` that it prints.

    `pages` is how many a crawl of it has; 0 where it makes none.
    """

    title: str
    pages: int
    claims: dict[str, Claim]
    figures: dict[str, PrintedFigure]
    numbers: dict[str, dict[str, float]] = {}


@cache
def paper(system: int) -> Paper:
    """The paper behind a system."""
    if system not in SYSTEMS:
        raise UserError(f"there is no system {system}; choose 1 to 5")
    text = files("salticid.lab.reproduce").joinpath("papers", f"{system}.toml").read_bytes()
    return msgspec.toml.decode(text, type=Paper)
