"""An order: a `CrawlSpec` resolved into strategy, judge and web, or read back from a crawl folder."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from contextlib import closing
from dataclasses import asdict, dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any, TypeVar, cast

import msgspec

from salticid.crawl import Crawl
from salticid.encoders import AbsentEncoder, KeptMeanings, VectorStore, find_encoder
from salticid.errors import UserError, shortened
from salticid.judges import judges
from salticid.model import Page, StopReason
from salticid.protocols import (
    Backlinks,
    Brief,
    Encoder,
    Judge,
    Log,
    Meanings,
    Strategy,
    Table,
    UrlTable,
    UsesMeanings,
)
from salticid.registry import Registry, instance_of, settings_in, settings_of
from salticid.runs import named
from salticid.runs.asking import check_asking
from salticid.runs.brief import BacklinksOver
from salticid.runs.live_settings import LiveSettings
from salticid.runs.named import class_of
from salticid.runs.past import GivenLog, Past, RelivedClock, RelivedJudge, RelivedLog
from salticid.runs.spec import LIVE, CrawlSpec
from salticid.store import (
    IN_MEMORY,
    CrawlFolder,
    CrawlLog,
    Database,
    check_not_merged,
    check_same,
    current_limits,
    first_limits,
    new_limits,
    thing_of_others,
)
from salticid.strategies import strategies
from salticid.topic import Limits, Topic
from salticid.version import __version__
from salticid.webs import MANIFEST, RecordedWeb

BacklinksFrom = Callable[[Path, UrlTable, Table], Backlinks]
"""Opens a source of backlinks that a person named."""

WHY = {
    StopReason.BUDGET: "the page budget is used up",
    StopReason.FETCHES: "the fetch budget is used up: most links led nowhere",
    StopReason.TIME: "the time is up",
    StopReason.CONDITION: "the stop condition came true",
    StopReason.FRONTIER_EMPTY: "no link is left to follow",
    StopReason.EXTINCT: "the last agent died",
    StopReason.STALLED: "the agents only went in circles",
    StopReason.WAITING: "only hosts are left that cannot be asked for now",
    StopReason.INTERRUPTED: "it was interrupted",
}
"""Why a crawl ended, in words."""


@dataclass(frozen=True, slots=True)
class Recipe:
    """How to crawl: all that decides the visits besides the topic and the web."""

    strategy: Strategy
    judge: Judge
    limits: Limits
    arrivals: str = "one"
    seed: int = 0
    backlinks: BacklinksOver | None = None
    encoder: Encoder | None = None

    def meanings(self, log: Log) -> Meanings | None:
        """What the crawl knows of the meaning of texts; the log has what was encoded before."""
        if self.encoder is None:
            return None
        return KeptMeanings(self.encoder, log if isinstance(log, VectorStore) else None)

    def crawl(
        self,
        brief: Brief,
        log: Log,
        clock: Callable[[], float],
        recall: Callable[[int], Page] | None = None,
        owns: Callable[[int], bool] | None = None,
        past: Past | None = None,
        newest: Callable[[int], Page | None] | None = None,
    ) -> Crawl:
        """The crawl, ready to run. With a `past`, which the log holds, it repeats that and goes on from its end."""
        if past is None:
            return Crawl(brief, self.strategy, self.judge, log, clock, recall, owns, newest)
        judge = RelivedJudge(past, self.judge, lambda: past.tell(crawl, self.judge))
        log = GivenLog(past, past.log) if past.as_given else RelivedLog(past, past.log)
        relived_clock = RelivedClock(past, clock)
        crawl = Crawl(brief, self.strategy, judge, log, relived_clock, recall, owns, newest, past.as_given)
        return crawl


@dataclass(frozen=True, slots=True)
class ForeignWeb:
    """A web that another program fetches, for a job of its own, and shows to a crawl page by page."""

    program: str
    job: str


@dataclass(frozen=True, slots=True)
class Order:
    """A spec that is resolved: what it names is there. `resolve` makes it.

    Of the spec, strategy and judge are their names, with all their settings. `opened` is the web, unless it is the live
    one: a recorded one, or one that another program fetches, which then runs the crawl too. `may_shrink`: whether a
    crawl that is gone on with may have a smaller budget than before. `any_version`: a crawl of another version of the
    program is gone on with, its past taken as given.
    """

    spec: CrawlSpec
    strategy: Strategy
    judge: Judge
    opened: RecordedWeb | ForeignWeb | None = None
    folder: Path = IN_MEMORY
    backlinks: BacklinksOver | None = None
    encoder: Encoder | None = None
    may_shrink: bool = False
    any_version: bool = False

    @property
    def topic(self) -> Topic:
        """What to look for."""
        return self.spec.topic

    @property
    def web(self) -> RecordedWeb | LiveSettings | ForeignWeb:
        """The web that is crawled; the live one is how it is asked."""
        return self.spec.live if self.opened is None else self.opened

    @property
    def recipe(self) -> Recipe:
        """How to crawl."""
        spec = self.spec
        return Recipe(self.strategy, self.judge, spec.limits, spec.arrivals, spec.seed, self.backlinks, self.encoder)

    def facts(self, shards: int | None = None) -> dict[str, Any]:
        """The spec as it is written into the log; of a crawl in so many shards, if it is one.

        `salticid.runs.order.spec_in` reads it.
        """
        spec, web = self.spec, _web_facts(self.web)
        facts = {
            "version": __version__,
            "topic": asdict(spec.topic),
            "strategy": {"name": spec.strategy, **spec.strategy_settings},
            "judge": {"name": spec.judge, **spec.judge_settings},
            "web": web if shards is None else {**web, "shards": shards},
            "limits": asdict(spec.limits),
            "arrivals": spec.arrivals,
            "seed": spec.seed,
            "backlinks": spec.backlinks,
        }
        if spec.known:
            facts["known_crawls"] = spec.known
        if self.encoder is not None:
            facts["encoder"] = {name: getattr(self.encoder, name) for name in ("name", "version", "digest", "width")}
        return cast(dict[str, Any], msgspec.json.decode(msgspec.json.encode(facts)))

    def continuing(self, log: CrawlLog, before: dict[str, Any]) -> tuple[Order, Limits | None]:
        """The order with the limits that the crawl in the folder began with, and the new ones it asks for.

        UserError if the folder holds another crawl.
        """
        folder = log.folder
        check_not_merged(folder, before)
        check_same(folder, before, self.facts(), self.any_version or self.spec.as_given)
        current = current_limits(log.database, before)
        limits = new_limits(folder, current, self.spec.limits, may_shrink=self.may_shrink)
        first = msgspec.structs.replace(self.spec, limits=first_limits(before))
        return replace(self, spec=first, encoder=_encoder_of(before, self.encoder)), limits


def resolve(
    spec: CrawlSpec,
    folder: Path = IN_MEMORY,
    *,
    web: RecordedWeb | ForeignWeb | None = None,
    strategy: Strategy | None = None,
    judge: Judge | None = None,
    backlinks_from: BacklinksFrom | None = None,
    files: bool = False,
) -> Order:
    """The crawl that a spec means; a UserError names what it cannot be.

    A web that is open already, and a strategy or judge that is made already, are taken as they are; the spec then has
    their names. Files are read, and code is run, only with `files` (`salticid.runs.named`).
    """
    if web is None and spec.web == LIVE:
        spec.live.check()
    elif web is None:
        web = RecordedWeb(Path(spec.web))
    strategy_name, judge_name, judge_spec = spec.strategy, spec.judge, spec.judge
    if strategy is None:
        strategy_name, strategy = named.strategy_of(spec.strategy, spec.strategy_settings, files=files)
        judge_spec = judge_spec or named.judge_in(spec.strategy)
    if judge is None:
        judge_name, judge = named.judge_of(judge_spec, strategy, settings=spec.judge_settings, files=files)
    source = None
    if spec.backlinks is not None:
        if backlinks_from is None:
            raise UserError(f"backlinks of {spec.backlinks} cannot be had here; leave them out")
        source = partial(backlinks_from, Path(spec.backlinks))
    spec = msgspec.structs.replace(
        spec,
        strategy=strategy_name,
        strategy_settings=settings_of(strategy),
        judge=judge_name,
        judge_settings=settings_of(judge),
        known=other_crawls(spec.known),
    )
    check_asking(spec, judge)
    encoder = find_encoder() if uses_meanings(strategy, judge) else None
    return Order(spec, strategy, judge, web, folder, source, encoder)


def uses_meanings(*parts: Strategy | Judge) -> bool:
    """Whether one of these reads what texts mean."""
    return any(isinstance(part, UsesMeanings) and part.semantic for part in parts)


def _encoder_of(before: dict[str, Any], here: Encoder | None) -> Encoder | None:
    """The encoder that a crawl began with; where that is not here, one that encodes nothing in its place."""
    facts = before.get("encoder")
    if facts is None or (here is not None and here.digest == facts["digest"]):
        return None if facts is None else here
    return AbsentEncoder(facts["name"], facts["version"], facts["digest"], facts["width"])


def _web_facts(web: RecordedWeb | LiveSettings | ForeignWeb) -> dict[str, Any]:
    if isinstance(web, LiveSettings):
        return {"live": web.deciding()}
    return {web.program: web.job} if isinstance(web, ForeignWeb) else {"world": web.digest}


def check_folder(folder: Path) -> Path:
    """The folder, if a crawl may be kept there; UserError if it holds other things, or is none of its own."""
    if not folder.name or (folder / MANIFEST).exists():
        raise UserError(f"no crawl goes into {str(folder)!r}; name a folder of its own with --out")
    if other := thing_of_others(folder):
        raise UserError(f"{folder} holds {other!r}, and no crawl; name a new or an empty folder with --out")
    return folder


def other_crawls(folders: Iterable[str]) -> tuple[str, ...]:
    """Folders of crawls that are known, each once, by their whole paths; UserError if one holds none."""
    known = tuple(dict.fromkeys(Path(folder).absolute() for folder in folders))
    for folder in known:
        with closing(CrawlFolder(folder)):
            pass
    return tuple(map(str, known))


@dataclass(frozen=True, slots=True)
class Result:
    """What came of a run: how far the whole crawl is now, and why the run stopped.

    `in_memory` is the database of a crawl that has no folder.
    """

    pages: int
    fetches: int
    stopped: StopReason
    seconds: float
    in_memory: Database | None = None


# The spec of a crawl, read back from its folder, so that it can go on without being typed again.

T = TypeVar("T")


def spec_in(crawl: CrawlFolder) -> CrawlSpec:
    """The spec of the crawl in a folder, with the limits that it has now; UserError if it is damaged.

    The names in it are data. Of how the live web was asked it says nothing: see `kept_runs`.
    """
    facts = crawl.about()
    try:
        web = msgspec.convert(facts["web"], dict[str, Any])
        strategy, judge = (msgspec.convert(facts[kind], dict[str, Any]) for kind in ("strategy", "judge"))
        told = {name: facts[name] for name in ("topic", "arrivals", "seed", "backlinks")}
        return msgspec.convert(
            {
                **told,
                "web": LIVE if LIVE in web else facts.get("folder", ""),
                "strategy": strategy.pop("name", ""),
                "strategy_settings": strategy,
                "judge": judge.pop("name", ""),
                "judge_settings": judge,
                "known": facts.get("known_crawls", ()),
                "limits": asdict(current_limits(crawl.database, facts)),
            },
            CrawlSpec,
        )
    except (KeyError, msgspec.ValidationError) as error:
        cause = f"it has no {error}" if isinstance(error, KeyError) else error
        raise UserError(f"what {crawl.folder} says of its crawl is damaged: {cause}; crawl into a new folder") from None


def kept_order(
    folder: Path,
    settings: LiveSettings,
    backlinks_from: BacklinksFrom,
    strategy: str | None = None,
    judge: str | None = None,
) -> Order:
    """The crawl of the live web in a folder, asked as these settings say, whichever version of the program made it.

    The names in the folder are data: strategy and judge have to be built in or installed, or a user names them again
    as `strategy` and `judge`. Settings that those do not give are the folder's. UserError where neither helps.
    """
    with closing(CrawlFolder(folder)) as crawl:
        spec, facts = spec_in(crawl), crawl.about()
    if "shards" in facts["web"]:
        raise UserError(
            f"the crawl in {folder} was made in shards, which cannot go on as one; refresh it, or watch a crawl of "
            "one machine"
        )
    same_version = facts.get("version") == __version__
    where: dict[str, Any] = {"folder": folder, "same_version": same_version}
    strategy_name, made = _made(strategies, spec.strategy, spec.strategy_settings, strategy, **where)
    judge_name, judging = _made(judges, spec.judge or "", spec.judge_settings, judge, **where)
    spec = msgspec.structs.replace(spec, strategy=strategy_name, judge=judge_name, live=settings)
    order = resolve(spec, folder, strategy=made, judge=judging, backlinks_from=backlinks_from)
    return replace(order, any_version=True)


def _made(
    registry: Registry[T],
    name: str,
    settings: dict[str, Any],
    spec: str | None,
    *,
    folder: Path,
    same_version: bool,
) -> tuple[str, T]:
    """A strategy or judge and its name: what the user named, else what is installed under the name in the folder."""
    kind = registry.kind
    typed: dict[str, Any] = {}
    if spec is not None:
        name, cls, typed = class_of(spec, registry, files=True)
    elif name in registry.names():
        cls = registry.find(name)
    else:
        raise UserError(
            f"the {kind} {shortened(name)!r} of the crawl in {folder} is neither built in nor installed; install its "
            f"package, or name your own class: --{kind} FILE.py:{shortened(name.rpartition(':')[2])}"
        )
    if not same_version:  # which may have had others
        known = {setting.name for setting in settings_in(cls)}
        settings = {key: value for key, value in settings.items() if key in known}
    return name, instance_of(name, cls, {**settings, **typed})
