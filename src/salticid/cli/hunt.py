"""A crawl as a person at a terminal sees it: how far it is, what went wrong, and Ctrl-C."""

from __future__ import annotations

import asyncio
import signal
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path

from salticid.cli.console import err
from salticid.cli.progress import Work
from salticid.model import Topic, Visit
from salticid.protocols import Brief
from salticid.runs.onlooker import Onlooker
from salticid.runs.order import Order, Result
from salticid.runs.run import Run, run

_SIGNALS = (signal.SIGINT, signal.SIGTERM)


def hunt(order: Order) -> Result:
    """Crawl, or go on with a crawl, and show how far it is."""
    with ExitStack() as shown:
        return run(order, _Terminal(order.folder, shown))


class _Terminal(Onlooker):
    """Shows a crawl on the terminal; what is shown now ends with the stack."""

    def __init__(self, folder: Path, stack: ExitStack) -> None:
        self._folder, self._stack = folder, stack

    def begins(self, end: Callable[[], None]) -> None:
        on_signals(end)

    def warned(self, sentence: str) -> None:
        err.print(sentence, highlight=False)

    def missing(self, topic: Topic, brief: Brief) -> None:
        for kind, named, read in (
            ("examples", topic.examples, brief.examples),
            ("negatives", topic.negatives, brief.negatives),
        ):
            if len(read) < len(named):
                self.warned(
                    f"{len(named) - len(read)} of {len(named)} {kind} could not be read and are left out"
                )

    def goes_on(self, visits: int) -> None:
        self.warned(f"Going on with the crawl in {self._folder}: {visits} visits are there.")
        self._visits = visits
        self._work = self._stack.enter_context(Work("playing the log again", visits, err))

    def played(self, step: int) -> None:
        if self._work.due:
            self._work.at(step, f"{step} of {self._visits} visits")

    def ready(self, run: Run) -> None:
        self._stack.close()
        self._run = run
        self._work = self._stack.enter_context(Work("crawling", run.crawl.limits.max_pages, err))

    def visited(self, visit: Visit) -> None:
        if self._work.due:
            self._work.at(self._run.crawl.pages, progress(self._run))

    def silent(self) -> None:
        waits = sorted(set(self._run.doing.values()))
        more = f" and {len(waits) - 5} others" if len(waits) > 5 else ""
        self.warned(f"Nothing arrived for a minute. Waiting for {', '.join(waits[:5])}{more}.")

    def held_up(self, trouble: str) -> None:
        self.warned(pause_of(self._folder, trouble))


def progress(run: Run) -> str:
    """How far a crawl is, in a line."""
    crawl = run.crawl
    waiting, _ = crawl.strategy.waiting(0)
    ahead = crawl.outlook()
    left = "" if ahead is None else f", {ahead.remaining.low:,.0f} to {ahead.remaining.high:,.0f} seem left"
    hosts = f", {run.active_hosts} hosts" if run.active_hosts else ""
    return (
        f"{crawl.pages} pages, {crawl.fetches - crawl.pages} failed, harvest {crawl.harvest:.0%}{left}, "
        f"{waiting} links wait{hosts}"
    )


def pause_of(folder: Path, trouble: str) -> str:
    """That nothing can be written, as a sentence."""
    return (
        f"Paused: nothing can be written into {folder} ({trouble}). Nothing is lost; the crawl goes on by itself "
        "as soon as there is room."
    )


def on_signals(end: Callable[[], object]) -> None:
    """The first Ctrl-C or SIGTERM ends it in good order; a second one at once."""
    loop = asyncio.get_running_loop()

    def stop() -> None:
        for number in _SIGNALS:
            loop.remove_signal_handler(number)
        end()

    for number in _SIGNALS:
        loop.add_signal_handler(number, stop)
