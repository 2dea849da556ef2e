"""A hunt from Python: the crawl of the command line, with the same visits."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, TypedDict, Unpack

from salticid.api.progress import HuntProgress
from salticid.api.showing import hunt_as_html, to_pandas
from salticid.api.topics import TopicFile, crawlers_half
from salticid.errors import UserError
from salticid.judges import judges
from salticid.model import StopReason
from salticid.protocols import Judge, Strategy
from salticid.registry import Registry
from salticid.runs import (
    DEFAULT_STRATEGY,
    LIVE,
    WHY,
    LiveSettings,
    Order,
    Result,
    check_folder,
    keywords,
    own,
    resolve,
    run,
    run_async,
    spec_of,
)
from salticid.store import IN_MEMORY, CrawlFolder, StoredVisit
from salticid.strategies import strategies
from salticid.topic import Topic
from salticid.webs import RecordedWeb
from salticid.worlds import backlinks_from


class HuntOptions(TypedDict, total=False):
    """The options of a hunt: the fields of `CrawlSpec`, each with its meaning and its default there.

    Where a field is seconds or bytes, text as on the command line will do: "10m", "2GB".
    """

    out: str | Path | None
    """The folder in which the crawl is kept; one that is there goes on."""
    progress: bool | None
    """Whether progress is shown; by default only in a terminal and in a notebook."""
    stop_when: str
    max_time: float | str
    no_warc: bool
    no_pdf: bool
    no_traps: bool
    strategy_settings: Mapping[str, Any]
    judge: str | Judge | None
    judge_settings: Mapping[str, Any]
    backlinks: str | Path | None
    known: Sequence[str | Path]
    known_for: float | str
    arrivals: str
    ask: str | None
    ask_model: str
    ask_budget: int
    as_given: bool
    seed: int
    max_pages: int
    max_fetches: int | None
    max_buffer: int | str | None
    max_seconds: float | str | None
    min_harvest: float | None
    min_remaining: float | None
    language: str | Sequence[str] | None
    include: Sequence[str]
    exclude: Sequence[str]
    same_site: bool
    max_depth: int | None
    concurrency: int
    delay: float
    timeout: float
    per_address: int
    sitemaps: bool
    feeds: bool
    user_agent: str
    patience: float | str
    host_share: float
    max_bytes: int
    max_disk: int | str | None
    warc: bool
    pdf: bool
    render: Literal["auto", "never"]
    traps: bool
    proxy: str | None
    allow_net: Sequence[str]
    resolve: Sequence[str]
    dns: str | None
    header: Sequence[str]
    cookies: Sequence[str] | str | Path
    workers: int


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
    strategy: str | Strategy = DEFAULT_STRATEGY,
    **options: Unpack[HuntOptions],
) -> Hunt:
    """Hunt for the pages of a topic, on the live web or in a recorded world.

    Strategy and judge are given by name, as NAME:KEY=VALUE, as FILE.toml, as FILE.py:Class, or as an instance.
    With `out` the crawl is kept in that folder, and one that is there goes on; without, nothing is written.
    The options are those of the command line (`HuntOptions`); those of the live web say how it is asked.

    Ctrl-C, or a notebook's stop button, ends the hunt cleanly: what was found until then is returned. It works in
    a running event loop, too, and keeps that waiting; `hunt_async` does not.
    """
    order, progress = _order(topic, web, strategy, {**options})
    return _hunt_of(order, _interruptible(order, progress))


async def hunt_async(
    topic: Topic | TopicFile | str | Path,
    web: RecordedWeb | str | Path = LIVE,
    strategy: str | Strategy = DEFAULT_STRATEGY,
    **options: Unpack[HuntOptions],
) -> Hunt:
    """`hunt`, on the event loop that is running; if its task is cancelled, what was found until then is lost or kept
    as after a kill."""
    order, progress = _order(topic, web, strategy, {**options})
    with progress:
        return _hunt_of(order, await run_async(order, progress))


def _order(
    topic: Topic | TopicFile | str | Path,
    web: RecordedWeb | str | Path,
    strategy: str | Strategy,
    options: dict[str, Any],
) -> tuple[Order, HuntProgress]:
    """What is ordered, and who shows how far it is."""
    show, out, judge = (options.pop(name, None) for name in ("progress", "out", "judge"))
    names: dict[str, str] = {}
    made: dict[str, Any] = {}
    kinds: tuple[tuple[Registry[Any], Any], ...] = ((strategies, strategy), (judges, judge))
    for registry, given in kinds:
        if given is None or isinstance(given, str):
            names |= {} if given is None else {registry.kind: given}
        else:
            names[registry.kind], made[registry.kind] = own(given, registry)
    if web != LIVE:
        for name in options:
            if name in keywords() and keywords()[name].home is LiveSettings:
                raise UserError(f"the option {name!r} is for the live web; leave it out in a recorded world")
    opened = web if isinstance(web, RecordedWeb) else None
    place = str(web.folder if isinstance(web, RecordedWeb) else web)
    spec = spec_of(crawlers_half(topic), {**options, **names, "web": place})
    folder = IN_MEMORY if out is None else check_folder(Path(out))
    order = resolve(spec, folder, web=opened, backlinks_from=backlinks_from, files=True, **made)
    return order, HuntProgress(folder, show)


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
        order.spec.strategy,
        result.pages,
        result.fetches,
        result.stopped.value,
        result.seconds,
        folder,
        result,
    )
