"""The order of a crawl, and its result."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from contextlib import closing
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any, cast

import msgspec

from salticid.crawl import Crawl
from salticid.errors import UserError
from salticid.model import Limits, Page, StopReason, Topic
from salticid.protocols import Brief, Judge, Log, Strategy
from salticid.registry import settings_of
from salticid.runs.brief import BacklinksOver
from salticid.runs.given_past import GivenLog
from salticid.runs.live_settings import LiveSettings
from salticid.runs.past import Past, RelivedClock, RelivedJudge, RelivedLog
from salticid.store.continuing import check_same, current_limits, first_limits, new_limits
from salticid.store.crawl_folder import CrawlFolder
from salticid.store.database import Database
from salticid.store.folder_lock import IN_MEMORY, thing_of_others
from salticid.store.log import CrawlLog
from salticid.store.merged_crawls import check_not_merged
from salticid.version import __version__
from salticid.webs.arrays import MANIFEST
from salticid.webs.recorded import RecordedWeb

KNOWN_FOR = 30 * 86_400.0
"""Seconds after which a page that another crawl holds is fetched anew."""

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
    """What a person ordered: all by which this crawl differs from another.

    The web is a recorded one, or the live one, asked as the settings say, or one that another program fetches, which
    then runs the crawl too. `may_shrink`: whether a crawl that is gone on with may have a smaller budget than before.
    `known` are folders of other crawls, whose pages are not fetched anew within `known_for` seconds after they were
    last looked at. `as_given`: a crawl of another version of the program is gone on with, its past taken as given.
    """

    topic: Topic
    web: RecordedWeb | LiveSettings | ForeignWeb
    strategy: str
    judge: str
    recipe: Recipe
    folder: Path = IN_MEMORY
    backlinks: Path | None = None
    may_shrink: bool = False
    known: tuple[Path, ...] = ()
    known_for: float = KNOWN_FOR
    as_given: bool = False

    def facts(self, shards: int | None = None) -> dict[str, Any]:
        """The order as it is written into the log; of a crawl in so many shards, if it is one."""
        recipe = self.recipe
        web = _web_facts(self.web)
        facts = {
            "version": __version__,
            "topic": asdict(self.topic),
            "strategy": {"name": self.strategy, **settings_of(recipe.strategy)},
            "judge": {"name": self.judge, **settings_of(recipe.judge)},
            "web": web if shards is None else {**web, "shards": shards},
            "limits": asdict(recipe.limits),
            "arrivals": recipe.arrivals,
            "seed": recipe.seed,
            "backlinks": None if self.backlinks is None else str(self.backlinks),
        }
        if self.known:
            facts["known_crawls"] = [str(folder) for folder in self.known]
        return cast(dict[str, Any], msgspec.json.decode(msgspec.json.encode(facts)))

    def continuing(self, log: CrawlLog, before: dict[str, Any]) -> tuple[Order, Limits | None]:
        """The order with the limits that the crawl in the folder began with, and the new ones it asks for.

        UserError if the folder holds another crawl.
        """
        folder = log.folder
        check_not_merged(folder, before)
        check_same(folder, before, self.facts(), self.as_given)
        current = current_limits(log.database, before)
        limits = new_limits(folder, current, self.recipe.limits, may_shrink=self.may_shrink)
        return replace(self, recipe=replace(self.recipe, limits=first_limits(before))), limits


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


def other_crawls(folders: Iterable[Path]) -> tuple[Path, ...]:
    """Folders of crawls that are known, each once; UserError if one holds none."""
    known = tuple(dict.fromkeys(folder.absolute() for folder in folders))
    for folder in known:
        with closing(CrawlFolder(folder)):
            pass
    return known


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
