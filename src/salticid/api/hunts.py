"""A hunt from Python: the crawl of the command line, with the same visits."""

from __future__ import annotations

import asyncio
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

from salticid.api.progress import HuntProgress
from salticid.api.showing import hunt_as_html
from salticid.api.tables import to_pandas
from salticid.api.topics import TopicFile, crawlers_half
from salticid.cli import live_options
from salticid.cli.options import duration, with_condition
from salticid.errors import UserError, unknown
from salticid.model import Limits, StopReason, Topic
from salticid.protocols import Judge, Strategy
from salticid.runs import specs
from salticid.runs.live_settings import LiveSettings
from salticid.runs.order import KNOWN_FOR, WHY, Order, Recipe, Result, check_folder, other_crawls
from salticid.runs.run import run, run_async
from salticid.store.crawl_folder import CrawlFolder, StoredVisit
from salticid.store.folder_lock import IN_MEMORY
from salticid.webs.recorded import RecordedWeb
from salticid.worlds.inlinks import backlinks_from

LIVE = "live"
_LIMITS = ("max_fetches", "max_buffer", "max_seconds", "min_harvest", "min_remaining")
_OPTIONS = ("arrivals", "backlinks", "known", "known_for", "max_time", "stop_when", "progress")


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
    Further options are those of the command line: limits (`max_fetches`, `max_buffer`, `max_time`, `stop_when`),
    `arrivals`, `backlinks`, `known` (folders of other crawls), `known_for`, and on the live web how it is asked
    (`delay`, `concurrency`, `allow_net`, ...).
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
    judge = specs.judge_in(strategy) if judge is None else judge
    strategy_name, strategy = specs.strategy_of(strategy, files=True)
    judge_name, judge = specs.judge_of(judge, strategy, files=True)
    show = options.pop("progress", None)
    arrivals, backlinks = options.pop("arrivals", "one"), options.pop("backlinks", None)
    known = other_crawls(map(Path, options.pop("known", ())))
    known_for = duration(str(options.pop("known_for", KNOWN_FOR)))
    limits = _limits(max_pages, options)
    ground = _web(web, options)
    path = None if backlinks is None else Path(backlinks)
    source = None if path is None else partial(backlinks_from, path)
    recipe = Recipe(strategy, judge, limits, arrivals, seed, source)
    folder = IN_MEMORY if out is None else check_folder(Path(out))
    order = Order(
        crawlers_half(topic), ground, strategy_name, judge_name, recipe, folder, path, known=known, known_for=known_for
    )  # fmt: skip
    return order, HuntProgress(folder, show)


def _limits(max_pages: int, options: dict[str, Any]) -> Limits:
    """The budget, and the condition under which it need not be spent; its options are taken out of the others."""
    if max_pages < 1:
        raise UserError(f"max_pages is {max_pages}; give at least 1")
    limits = Limits(max_pages, **{name: options.pop(name) for name in _LIMITS if name in options})
    if "max_time" in options:
        limits = replace(limits, max_seconds=duration(str(options.pop("max_time"))))
    return with_condition(limits, options.pop("stop_when")) if "stop_when" in options else limits


def _web(web: RecordedWeb | str | Path, options: dict[str, Any]) -> RecordedWeb | LiveSettings:
    """The web that is meant; what is left of the options must be for the live one."""
    fitting = live_options.NAMES if web == LIVE else ()
    for name in options:
        if name not in fitting:
            raise unknown("option", name, [*_OPTIONS, *_LIMITS, *fitting])
    if web == LIVE:
        return live_options.live(options)
    return web if isinstance(web, RecordedWeb) else RecordedWeb(Path(web))


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
