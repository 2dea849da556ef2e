"""What a person wished for on the page: kept beside the crawl, so that it outlives the server."""

from __future__ import annotations

from datetime import datetime
from inspect import cleandoc
from pathlib import Path
from typing import Any, Literal

import msgspec

from salticid.judges import judges
from salticid.model import Limits, Scope, Topic
from salticid.runs import specs
from salticid.runs.live_settings import LiveSettings
from salticid.runs.order import Order, Recipe
from salticid.store.files import PRIVATE, replace_in
from salticid.strategies import league_shares, strategies
from salticid.ui.untrusted_files import read_plain
from salticid.ui.worlds import world_at
from salticid.webs.recorded import RecordedWeb

FILE = "wish.json"
_LARGEST = 16 << 20

Mood = Literal["run", "pause", "stop", "watch"]


class Wish(msgspec.Struct, frozen=True):
    """All that has to be known to begin a crawl or to go on with it.

    `origins` says where each seed came from, `world` in which recorded world it hunts, if not on the live web.
    `mood` is what the crawl is meant to do: one that is to run, or to make a round of watching, is started again with
    the server. `every` is how many seconds lie between the beginnings of two rounds, if they begin by themselves.
    `began` is in ISO 8601. `hosts` are the only ones it may ask, if they are named.
    """

    query: str
    seeds: tuple[str, ...]
    origins: tuple[str, ...]
    strategy: str
    judge: str
    max_pages: int
    began: str
    mood: Mood = "run"
    world: str | None = None
    max_fetches: int | None = None
    every: int | None = None
    max_seconds: float | None = None
    hosts: tuple[str, ...] | None = None

    @property
    def limits(self) -> Limits:
        """How far it may go."""
        return Limits(max_pages=self.max_pages, max_fetches=self.max_fetches, max_seconds=self.max_seconds)

    def order(self, folder: Path, live: LiveSettings) -> Order:
        """The order of the crawl in DATA/crawls/ID, which is this folder; UserError if a name in it is unknown."""
        recipe = Recipe(strategies.make(self.strategy), judges.make(self.judge), self.limits)
        data = folder.parent.parent
        web = live if self.world is None else RecordedWeb(world_at(data, self.world))
        topic = Topic(self.query, self.query, self.seeds, scope=Scope(hosts=self.hosts))
        return Order(topic, web, self.strategy, self.judge, recipe, folder, may_shrink=True)

    def save(self, folder: Path) -> None:
        """Write it into the crawl's folder, whole or not at all; OSError if that cannot be."""
        folder.mkdir(PRIVATE, parents=True, exist_ok=True)
        replace_in(folder, FILE, msgspec.json.format(msgspec.json.encode(self)) + b"\n")

    @classmethod
    def load(cls, folder: Path) -> Wish | None:
        """The wish kept in a folder; None if there is none that can be read."""
        try:
            wish = msgspec.json.decode(read_plain(folder / FILE, _LARGEST), type=cls)
            datetime.fromisoformat(wish.began)
        except (OSError, RecursionError, ValueError):
            return None
        return wish


def judge_for(strategy: str) -> str:
    """The judge of a crawl whose person named none: the strategy's own, else one that learns."""
    return specs.judge_of(None, strategies.make(strategy), talks=True)[0]


def strategy_menu() -> list[dict[str, Any]]:
    """The strategies to choose from, the usual one first, then by their share in the league; a sentence about each."""
    shares = league_shares()

    def place(name: str) -> tuple[bool, float]:
        return name != specs.DEFAULT_STRATEGY, -shares[name].near if name in shares else 0.0

    return [
        {
            "name": name,
            "line": _first_paragraph(strategies.find(name).__doc__ or ""),
            "walks": strategies.find(name).walks,
            "default": name == specs.DEFAULT_STRATEGY,
            "worth": msgspec.to_builtins(shares.get(name)),
        }
        for name in sorted(strategies.names(), key=place)
    ]


def _first_paragraph(doc: str) -> str:
    """What a docstring says first, on one line.

    >>> _first_paragraph("Agents walk,\\n    and breed.\\n\\n    Paper: ...")
    'Agents walk, and breed.'
    """
    return " ".join(cleandoc(doc).partition("\n\n")[0].split())
