"""Running a crawl of a recorded world for a person: its log, its progress, its interruptions."""

from __future__ import annotations

from contextlib import closing
from functools import partial
from pathlib import Path
from threading import Event

from salticid.cli.console import err
from salticid.cli.interrupts import interruptible
from salticid.cli.progress import Work
from salticid.crawl import Crawl
from salticid.model import StopReason, Topic, Visit
from salticid.protocols import Brief
from salticid.runs.order import Hunted, Order
from salticid.runs.past import Past, RelivedLog
from salticid.runs.recorded import RecordedCrawl
from salticid.store.log import RETRY_SECONDS, CrawlLog
from salticid.webs.recorded import RecordedWeb


def hunt_recorded(order: Order) -> Hunted:
    """Crawl a recorded world, or go on with it."""
    web = RecordedWeb(Path(order.web))
    facts = {"world": web.digest}
    with closing(CrawlLog(order.folder, web.urls, web.words)) as log:
        before, past = log.open(), None
        if before is None:
            run = RecordedCrawl(order.topic, web, order.recipe, log)
            say_what_is_missing(order.topic, run.brief)
            log.begin({**order.facts(facts), "folder": str(Path(order.web).resolve())})
        else:
            order, larger = order.continuing(log, before, facts)
            if (missing := log.go_on()) is not None:
                err.print(missing, highlight=False)
            past = Past(log)
            say_it_goes_on(order.folder, past.visits)
            run = RecordedCrawl(order.topic, web, order.recipe, RelivedLog(past, log), past, larger)
        log.session(0.0, {})
        crawl = run.crawl

        def watch(visit: Visit) -> None:
            show(work, crawl, "")
            if log.trouble is not None:
                _wait_for(log, interrupted)

        end = partial(crawl.stop, StopReason.INTERRUPTED)  # between two visits
        with interruptible(end) as interrupted, Work("crawling", crawl.limits.max_pages, err) as work:
            stopped = run.run(watch)
            log.retry()
            _wait_for(log, interrupted)
        if past is not None and not past.over:
            raise KeyboardInterrupt  # in the middle of what is known already
        if log.trouble is not None:
            stopped = StopReason.INTERRUPTED
        log.about({"stopped": stopped.value, "seconds": run.seconds})
    return Hunted(crawl.pages, crawl.fetches, stopped, run.seconds)


def _wait_for(log: CrawlLog, interrupted: Event) -> None:
    """Pause until what the log holds can be written, or somebody has enough of it."""
    if log.trouble is not None:
        say_it_pauses(log.folder, log.trouble)
    while log.trouble is not None and not interrupted.wait(RETRY_SECONDS):
        log.retry()


def show(work: Work, crawl: Crawl, more: str) -> None:
    if work.due:
        waiting, _ = crawl.strategy.waiting(0)
        failed = crawl.fetches - crawl.pages
        ahead = crawl.outlook()
        left = (
            "" if ahead is None else f", {ahead.remaining.low:,.0f} to {ahead.remaining.high:,.0f} seem left"
        )
        note = f"{crawl.pages} pages, {failed} failed, harvest {crawl.harvest:.0%}{left}, {waiting} links wait{more}"
        work.at(crawl.pages, note)


def say_it_goes_on(folder: Path, visits: int) -> None:
    err.print(f"Going on with the crawl in {folder}: {visits} visits are there.", highlight=False)


def say_it_pauses(folder: Path, trouble: str) -> None:
    err.print(
        f"Paused: nothing can be written into {folder} ({trouble}). Nothing is lost; the crawl goes on by itself "
        "as soon as there is room.",
        highlight=False,
    )


def say_what_is_missing(topic: Topic, brief: Brief) -> None:
    for kind, named, read in (
        ("examples", topic.examples, brief.examples),
        ("negatives", topic.negatives, brief.negatives),
    ):
        if len(read) < len(named):
            err.print(f"{len(named) - len(read)} of {len(named)} {kind} could not be read and are left out")
