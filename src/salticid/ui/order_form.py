"""What a person wished for on the page: kept beside the crawl, so that it outlives the server."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime
from inspect import cleandoc
from pathlib import Path
from typing import Any, Literal

import msgspec

from salticid.judges import judges
from salticid.model import Limits
from salticid.runs import specs
from salticid.runs.live_settings import LiveSettings
from salticid.runs.order import Order, resolve
from salticid.runs.spec import LIVE, CrawlSpec, changed
from salticid.store.files import PRIVATE, replace_in
from salticid.strategies import league_shares, strategies
from salticid.ui.untrusted_files import read_plain
from salticid.ui.worlds import world_at
from salticid.webs.recorded import RecordedWeb

FILE = "wish.json"
WORLD = "world:"
"""Before the name of a world of the folder of data, where a spec names its web."""
_LARGEST = 16 << 20

Mood = Literal["run", "pause", "stop", "watch"]


class Wish(msgspec.Struct, frozen=True, kw_only=True):
    """All that has to be known to begin a crawl or to go on with it: its spec, and what it is meant to do.

    The web of the spec is the live one, or the name of a world behind `WORLD`. How the live web is asked is never kept
    here: that is for the server to say. `origins` says where each seed came from. `mood` is what the crawl is meant to
    do: one that is to run, or to make a round of watching, is started again with the server. `every` is how many
    seconds lie between the beginnings of two rounds, if they begin by themselves. `began` is in ISO 8601.
    """

    spec: CrawlSpec
    began: str
    origins: tuple[str, ...] = ()
    mood: Mood = "run"
    every: int | None = None

    @property
    def query(self) -> str:
        """What is looked for."""
        return self.spec.topic.keywords

    @property
    def world(self) -> str | None:
        """The recorded world in which it hunts, if not on the live web."""
        return None if self.spec.web == LIVE else self.spec.web.removeprefix(WORLD)

    @property
    def limits(self) -> Limits:
        """How far it may go."""
        return self.spec.limits

    def but(self, **changes: Any) -> Wish:
        """The wish with other values of its fields, or of its spec's."""
        own = {name: changes.pop(name) for name in self.__struct_fields__ if name in changes}
        return msgspec.structs.replace(self, **{"spec": changed(self.spec, **changes), **own})

    def order(self, folder: Path, live: LiveSettings) -> Order:
        """The order of the crawl in DATA/crawls/ID, which is this folder; UserError if a name in it is unknown."""
        strategy, judge = strategies.make(self.spec.strategy), judges.make(self.spec.judge or "")
        web = None if self.world is None else RecordedWeb(world_at(folder.parent.parent, self.world))
        spec = msgspec.structs.replace(self.spec, live=live)
        return replace(resolve(spec, folder, web=web, strategy=strategy, judge=judge), may_shrink=True)

    def save(self, folder: Path) -> None:
        """Write it into the crawl's folder, whole or not at all; OSError if that cannot be."""
        folder.mkdir(PRIVATE, parents=True, exist_ok=True)
        kept = msgspec.to_builtins(self)
        kept["spec"].pop("live", None)
        replace_in(folder, FILE, msgspec.json.format(msgspec.json.encode(kept)) + b"\n")

    @classmethod
    def load(cls, folder: Path) -> Wish | None:
        """The wish kept in a folder; None if there is none that can be read."""
        try:
            told = msgspec.json.decode(read_plain(folder / FILE, _LARGEST), type=dict[str, Any])
            wish = msgspec.convert(told, cls) if "spec" in told else _of_before(told)
            datetime.fromisoformat(wish.began)
        except (OSError, RecursionError, ValueError, KeyError):
            return None
        told_of = (
            "topic",
            "web",
            "strategy",
            "judge",
            "limits",
        )  # all else in a folder is no wish of the page
        spec = CrawlSpec(**{name: getattr(wish.spec, name) for name in told_of})
        return msgspec.structs.replace(wish, spec=spec)


def _of_before(told: dict[str, Any]) -> Wish:
    """A wish as earlier versions kept it: without a spec."""
    query, world = told["query"], told.get("world")
    scope = {"hosts": told.get("hosts")}
    limits = ("max_pages", "max_fetches", "max_seconds")
    spec = {
        "topic": {"name": query, "keywords": query, "seeds": told["seeds"], "scope": scope},
        "web": LIVE if world is None else f"{WORLD}{world}",
        "strategy": told["strategy"],
        "judge": told["judge"],
        "limits": {name: told[name] for name in limits if name in told},
    }
    return msgspec.convert({**told, "spec": spec}, Wish)


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
