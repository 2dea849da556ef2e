"""What a person wished for on the page: kept beside the crawl, so that it outlives the server."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from inspect import cleandoc
from pathlib import Path
from typing import Annotated, Any, Literal

import msgspec

from salticid.errors import unknown
from salticid.judges import judges
from salticid.runs import (
    DEFAULT_STRATEGY,
    LIVE,
    LONGEST_QUERY,
    MOST_URLS,
    CrawlSpec,
    LiveSettings,
    Order,
    Sources,
    Start,
    changed,
    clean_query,
    fields,
    find_start,
    judge_of,
    resolve,
)
from salticid.runs import LARGEST as LARGEST_BOOKMARKS
from salticid.service.settings import read_plain, world_at
from salticid.store import PRIVATE, replace_in
from salticid.strategies import league_shares, strategies
from salticid.text import check_code
from salticid.topic import Limits
from salticid.webs import RecordedWeb
from salticid.webs.live import Engine

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
    return judge_of(None, strategies.make(strategy), talks=True)[0]


def strategy_menu() -> list[dict[str, Any]]:
    """The strategies to choose from, the usual one first, then by their share in the league; a sentence about each."""
    shares = league_shares()

    def place(name: str) -> tuple[bool, float]:
        return name != DEFAULT_STRATEGY, -shares[name].near if name in shares else 0.0

    return [
        {
            "name": name,
            "line": _first_paragraph(strategies.find(name).__doc__ or ""),
            "walks": strategies.find(name).walks,
            "default": name == DEFAULT_STRATEGY,
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


# The forms of what comes and goes: what a request may hold, and what a crawl looks like.

DEFAULT_PAGES = 200
LONGEST_NUMBER = 12
"""Digits of a step; there will not be more."""

Pages = Annotated[int, msgspec.Meta(ge=1, le=1_000_000, description=fields()["max_pages"].help)]
Url = Annotated[str, msgspec.Meta(max_length=8000)]


class NewCrawl(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The order of a crawl: what to look for, and where to start; at least one source has to be named.

    `salticid.service.wish` makes a `CrawlSpec` of it. With a `world`, one of those the session names, it hunts there
    instead of on the live web.
    """

    query: Annotated[
        str,
        msgspec.Meta(min_length=1, max_length=LONGEST_QUERY, description="What to look for, in a few words."),
    ]
    max_pages: Pages = DEFAULT_PAGES
    strategy: Annotated[str | None, msgspec.Meta(description="The name of a strategy; best left out.")] = None
    urls: Annotated[
        list[Url],
        msgspec.Meta(max_length=2 * MOST_URLS, description="Pages to start from; the nearer to the topic the better."),
    ] = []
    bookmarks: Annotated[str, msgspec.Meta(max_length=LARGEST_BOOKMARKS)] | None = None
    search: Annotated[
        str | None, msgspec.Meta(description="A search engine set up here to ask for pages to start from.")
    ] = None
    from_crawls: Annotated[bool, msgspec.Meta(description="Start from what earlier hunts found, too.")] = False
    judge: Annotated[str | None, msgspec.Meta(description="The name of a judge; best left out.")] = None
    language: Annotated[
        list[Annotated[str, msgspec.Meta(max_length=3)]],
        msgspec.Meta(max_length=20, description="Codes of the languages of wanted pages, as in en; best left out."),
    ] = []
    world: Annotated[str | None, msgspec.Meta(description="A recorded world to hunt in, instead of the live web.")] = (
        None
    )


class Error(msgspec.Struct, frozen=True):
    """Why something is not as asked."""

    error: Annotated[str, msgspec.Meta(description="A sentence for a person.")]


class NewEngine(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A search engine to set up: SearXNG by its address, Brave by its key."""

    name: Annotated[str, msgspec.Meta(pattern=r"^[A-Za-z0-9][A-Za-z0-9.:_-]{0,59}$")]
    kind: Literal["searxng", "brave"]
    address: Annotated[str, msgspec.Meta(max_length=2000)] = ""
    key: Annotated[str, msgspec.Meta(max_length=500, pattern=r"^[!-~]*$")] = ""


class GoOn(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """How a crawl goes on: with so many `more` pages than it has read, or with `max_pages` in all, else as it was.

    A larger budget is needed where the old one is used up.
    """

    max_pages: Pages | None = None
    more: Pages | None = None


class KeepWatching(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A round of watching begins, unless it is not wanted `now`; others follow by themselves, if they are to.

    They do as long as the server runs, and when it runs again.
    """

    every: Literal["day", "week"] | None = None
    now: bool = True


class Nothing(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A request that brings nothing."""


class Opinion(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A person's word about a page: more like this (1), not this (-1), or neither after all (0)."""

    step: Annotated[int, msgspec.Meta(ge=0, le=10**LONGEST_NUMBER)]
    liking: Literal[1, -1, 0]


class ReplayProgress(msgspec.Struct, frozen=True):
    """How much of an earlier run has been played again."""

    step: int
    visits: int


class LookProgress(msgspec.Struct, frozen=True):
    """How many pages a round of watching has asked for again, of those it wants to see."""

    pages: int
    of: int


class Summary(msgspec.Struct, frozen=True):
    """A crawl at one glance.

    `stopped` is why it ended, if it has; `stopped_line` says the same as a sentence. `positive` counts the pages that
    are on topic by now: those that a person liked, and those whose current score reaches the judge's `line`, less what
    the person rejected, and of those all but the same one. `harvest` is their share among the last 100,
    `hosts_on_topic` says on how many of the `hosts` they are. `feedback_line` says what a person's word will not change
    here, if anything. `seconds` are on the crawl's clock, which stands still in a pause. `agents`: whether its strategy
    is made of them. `world` is the recorded one it hunts in, if it does. `round` is the number of its last round of
    watching, `watching` whether one is being made, `looking` how far that is, `every` how often they begin by
    themselves, `can_watch` whether one can begin now.
    """

    id: str
    query: str
    strategy: str
    judge: str
    state: Literal["starting", "running", "paused", "stopping", "ended"]
    stopped: str | None
    stopped_line: str | None
    pages: int
    max_pages: int
    fetches: int
    positive: int
    harvest: float
    line: float
    feedback_line: str | None
    hosts: int
    hosts_on_topic: int
    began: str
    seconds: float
    agents: bool
    can_continue: bool
    playing: ReplayProgress | None
    world: str | None
    round: int | None
    watching: bool
    looking: LookProgress | None
    every: Literal["day", "week"] | None
    can_watch: bool


# What the order of a new crawl means: names are looked up, and its places to start from are found, and kept.


async def new_wish(
    form: NewCrawl, data: Path, engines: Mapping[str, Engine], crawls: Sequence[Path], user_agent: str
) -> tuple[Wish, Start]:
    """The wish, and what was found to start from; `crawls` are those to look into, if the order wants that.

    UserError if a name in the order is unknown, or there is nowhere to start.
    """
    query = " ".join(clean_query(form.query).split())
    strategy = form.strategy or DEFAULT_STRATEGY
    judge = form.judge or judge_for(strategy)
    judges.find(judge)
    if form.world is not None:
        world_at(data, form.world)
    if form.search is not None and form.search not in engines:
        raise unknown("search engine", form.search, engines)
    sources = Sources(
        urls=tuple(form.urls),
        bookmarks=None if form.bookmarks is None else form.bookmarks.encode(),
        engine=engines[form.search] if form.search is not None else None,
        crawls=tuple(crawls) if form.from_crawls else (),
    )
    start = await find_start(query, sources, user_agent)
    spec = CrawlSpec(
        topic=replace(start.topic(query), language=tuple(map(check_code, form.language))),
        web=LIVE if form.world is None else WORLD + form.world,
        strategy=strategy,
        judge=judge,
        limits=Limits(form.max_pages),
    )
    origins = tuple(seed.origin for seed in start.seeds)
    return Wish(spec=spec, began=datetime.now(UTC).isoformat(), origins=origins), start
