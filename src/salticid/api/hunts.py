"""A hunt from Python: the crawl of the command line, with the same visits."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from dataclasses import dataclass, fields
from functools import partial
from pathlib import Path
from typing import Any

from salticid.api.progress import HuntProgress
from salticid.api.showing import hunt_as_html
from salticid.api.tables import to_pandas
from salticid.api.topics import TopicFile, crawlers_half
from salticid.errors import UserError, unknown
from salticid.model import Limits, StopReason, Topic
from salticid.protocols import Judge, Strategy
from salticid.runs import specs
from salticid.runs.live_settings import LiveSettings
from salticid.runs.order import WHY, Order, Recipe, Result
from salticid.runs.run import run, run_async
from salticid.store.crawl_folder import CrawlFolder, StoredVisit
from salticid.store.folder_lock import IN_MEMORY
from salticid.webs.recorded import RecordedWeb
from salticid.worlds.inlinks import backlinks_from

LIVE = "live"


@dataclass(frozen=True, slots=True, repr=False)
class Hunt:
    """What came of a hunt. `stopped` says why it ended; `pages` counts good pages, `fetches` attempts of any outcome.

    `folder` is where it is kept, None if nowhere.
    """

    topic: Topic
    strategy: str
    pages: int
    fetches: int
    stopped: str
    seconds: float
    folder: Path | None
    _result: Result

    def visits(self) -> list[StoredVisit]:
        """Every visit, in order, with all that is known of it."""
        with self._open() as crawl:
            return list(crawl.visits())

    def rows(self) -> list[dict[str, Any]]:
        """Every visit, in order: the fields of `salticid visits --json`."""
        return [visit.listing() for visit in self.visits()]

    def best(self, count: int = 10) -> list[StoredVisit]:
        """The good pages the judge liked best."""
        with self._open() as crawl:
            return crawl.best(count)

    def outcomes(self) -> dict[str, int]:
        """How many visits had which outcome."""
        with self._open() as crawl:
            return crawl.outcomes()

    def digest(self) -> str:
        """Equal for equal hunts; the same as `salticid visits --digest`."""
        with self._open() as crawl:
            return crawl.digest()

    def to_pandas(self) -> Any:
        """The rows as a data frame; a UserError where pandas is not installed."""
        return to_pandas(self.rows())

    def _open(self) -> closing[CrawlFolder]:
        return closing(CrawlFolder(self.folder or IN_MEMORY, self._result.in_memory))

    def __repr__(self) -> str:
        why = WHY[StopReason(self.stopped)]
        return f"<Hunt for {self.topic.name!r} by {self.strategy}: {self.pages} pages; {why}>"

    def _repr_html_(self) -> str:
        return hunt_as_html(repr(self)[1:-1], self.visits(), self.best())


def hunt(
    topic: Topic | TopicFile | str | Path,
    web: RecordedWeb | str | Path = LIVE,
    strategy: str | Strategy = specs.DEFAULT_STRATEGY,
    judge: str | Judge | None = None,
    max_pages: int = 1000,
    seed: int = 0,
    out: str | Path | None = None,
    **options: Any,
) -> Hunt:
    """Hunt for the pages of a topic, on the live web or in a recorded world.

    Strategy and judge are given by name, as NAME:KEY=VALUE, as FILE.toml, as FILE.py:Class, or as an instance.
    With `out` the crawl is kept in that folder, and one that is there goes on; without, nothing is written.
    Further options are the limits of the command line (`max_fetches`, `max_buffer`, `max_seconds`, `min_harvest`,
    `min_remaining`), `arrivals`, `backlinks`, and on the live web its settings (`delay`, `concurrency`, ...).
    `progress` says whether progress is shown; else it is in a terminal and in a notebook.

    Ctrl-C, or a notebook's stop button, ends the hunt cleanly: what was found until then is returned. It works in
    a running event loop, too, and keeps that waiting; `hunt_async` does not.
    """
    order, progress = _order(topic, web, strategy, judge, max_pages, seed, out, options)
    return _hunt_of(order, _interruptible(order, progress))


async def hunt_async(
    topic: Topic | TopicFile | str | Path,
    web: RecordedWeb | str | Path = LIVE,
    strategy: str | Strategy = specs.DEFAULT_STRATEGY,
    judge: str | Judge | None = None,
    max_pages: int = 1000,
    seed: int = 0,
    out: str | Path | None = None,
    **options: Any,
) -> Hunt:
    """`hunt`, on the event loop that is running; if its task is cancelled, what was found until then is lost or kept
    as after a kill."""
    order, progress = _order(topic, web, strategy, judge, max_pages, seed, out, options)
    with progress:
        return _hunt_of(order, await run_async(order, progress))


def _order(
    topic: Topic | TopicFile | str | Path,
    web: RecordedWeb | str | Path,
    strategy: str | Strategy,
    judge: str | Judge | None,
    max_pages: int,
    seed: int,
    out: str | Path | None,
    options: dict[str, Any],
) -> tuple[Order, HuntProgress]:
    """What is ordered, and who shows how far it is."""
    strategy_name, strategy = specs.strategy_of(strategy)
    judge_name, judge = specs.judge_of(judge, strategy)
    show = options.pop("progress", None)
    arrivals, backlinks = options.pop("arrivals", "one"), options.pop("backlinks", None)
    limits = Limits(max_pages, **_pop_fields(options, Limits, but=("max_pages", "timeout")))
    if max_pages < 1:
        raise UserError(f"max_pages is {max_pages}; give at least 1")
    ground = _web(web, options)
    path = None if backlinks is None else Path(backlinks)
    source = None if path is None else partial(backlinks_from, path)
    recipe = Recipe(strategy, judge, limits, arrivals, seed, source)
    folder = IN_MEMORY if out is None else Path(out)
    order = Order(crawlers_half(topic), ground, strategy_name, judge_name, recipe, folder, path)
    return order, HuntProgress(folder, show)


def _web(web: RecordedWeb | str | Path, options: dict[str, Any]) -> RecordedWeb | LiveSettings:
    """The web that is meant; what is left of the options must be settings of the live one."""
    if web == LIVE:
        settings = _pop_fields(options, LiveSettings)
        if options:
            raise unknown("option", next(iter(options)), [*settings, *_names(LiveSettings), *_names(Limits)])
        for name in ("allow_net", "resolve"):
            settings[name] = tuple(settings.get(name, ()))
        return LiveSettings(**settings).check()
    if options:
        raise unknown("option", next(iter(options)), [*_names(Limits), "arrivals", "backlinks", "progress"])
    return web if isinstance(web, RecordedWeb) else RecordedWeb(Path(web))


def _pop_fields(options: dict[str, Any], kind: type, but: Sequence[str] = ()) -> dict[str, Any]:
    """The options that are fields of a class, taken out of the others."""
    return {name: options.pop(name) for name in _names(kind) if name in options and name not in but}


def _names(kind: type) -> list[str]:
    return [field.name for field in fields(kind)]


def _interruptible(order: Order, progress: HuntProgress) -> Result:
    """Crawl here, or beside the event loop that runs here already; the first Ctrl-C ends it cleanly."""
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        progress.hear_signals()
        with progress:
            return run(order, progress)
    with progress, ThreadPoolExecutor(1) as beside:
        work = beside.submit(run, order, progress)
        try:
            return work.result()
        except KeyboardInterrupt:
            progress.end()
            return work.result()


def _hunt_of(order: Order, result: Result) -> Hunt:
    folder = None if order.folder == IN_MEMORY else order.folder
    return Hunt(
        order.topic,
        order.strategy,
        result.pages,
        result.fetches,
        result.stopped.value,
        result.seconds,
        folder,
        result,
    )
