"""Ways to crawl; one file each, found by its name."""

import sys
from pathlib import Path

import msgspec

from salticid.protocols import Strategy
from salticid.registry import Registry
from salticid.strategies.parts import QueueStrategy

__all__ = ["LeagueShare", "QueueStrategy", "league_shares", "strategies"]

strategies: Registry[Strategy] = Registry("strategy", sys.modules[__name__], "choose")


class LeagueShare(msgspec.Struct, frozen=True):
    """Oracle shares in %: `near` from pages of the topic, `far` from pages two links away."""

    near: float
    far: float


def league_shares() -> dict[str, LeagueShare]:
    """The shares by strategy, as `salticid league --shares` wrote them; those never measured have none."""
    try:
        data = (Path(__file__).parent / "league.json").read_bytes()
        return msgspec.json.decode(data, type=dict[str, LeagueShare])
    except (OSError, msgspec.DecodeError):
        return {}
