"""Running a crawl for a person: its log, its progress, its interruptions."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from types import FrameType
from typing import Any

from salticid import __version__
from salticid.cli.console import err
from salticid.cli.progress import Work
from salticid.crawl import Crawl
from salticid.drivers.recorded import Recipe, RecordedCrawl
from salticid.model import StopReason, Topic
from salticid.protocols import Brief
from salticid.registry import settings_of
from salticid.store.log import CrawlLog
from salticid.webs.recorded import RecordedWeb


@dataclass(frozen=True, slots=True)
class Order:
    """What a person ordered: all that has to be known to tell this crawl from another."""

    topic: Topic
    web: str
    strategy: str
    judge: str
    recipe: Recipe
    folder: Path

    def facts(self, web: dict[str, Any]) -> dict[str, Any]:
        """The order as it is written into the log."""
        recipe = self.recipe
        return {
            "version": __version__,
            "topic": asdict(self.topic),
            "strategy": {"name": self.strategy, **settings_of(recipe.strategy)},
            "judge": {"name": self.judge, **settings_of(recipe.judge)},
            "web": web,
            "limits": asdict(recipe.limits),
            "arrivals": recipe.arrivals,
            "seed": recipe.seed,
        }


@dataclass(frozen=True, slots=True)
class Hunted:
    """What came of it."""

    pages: int
    fetches: int
    stopped: StopReason
    seconds: float


def hunt_recorded(order: Order) -> Hunted:
    """Crawl a recorded world."""
    web = RecordedWeb(Path(order.web))
    with closing(CrawlLog(order.folder, web.urls, web.words)) as log:
        run = RecordedCrawl(order.topic, web, order.recipe, log)
        say_what_is_missing(order.topic, run.brief)
        log.begin(order.facts({"world": order.web, "digest": web.digest}))
        crawl = run.crawl
        with _interruptible(crawl), Work("crawling", crawl.limits.max_pages, err) as work:
            stopped = run.run(lambda _visit: show(work, crawl, ""))
        log.about({"stopped": stopped.value, "seconds": run.seconds})
    return Hunted(crawl.pages, crawl.fetches, stopped, run.seconds)


@contextmanager
def _interruptible(crawl: Crawl) -> Iterator[None]:
    """The first signal ends the crawl between two visits; a second one at once."""

    def stop(number: int, frame: FrameType | None) -> None:
        signal.signal(signal.SIGINT, signal.default_int_handler)
        crawl.stop(StopReason.INTERRUPTED)

    before = {number: signal.signal(number, stop) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def show(work: Work, crawl: Crawl, more: str) -> None:
    if work.due:
        waiting, _ = crawl.strategy.waiting(0)
        failed = crawl.fetches - crawl.pages
        note = (
            f"{crawl.pages} pages, {failed} failed, harvest {crawl.harvest:.0%}, {waiting} links wait{more}"
        )
        work.at(crawl.pages, note)


def say_what_is_missing(topic: Topic, brief: Brief) -> None:
    for kind, named, read in (
        ("examples", topic.examples, brief.examples),
        ("negatives", topic.negatives, brief.negatives),
    ):
        if len(read) < len(named):
            err.print(f"{len(named) - len(read)} of {len(named)} {kind} could not be read and are left out")
