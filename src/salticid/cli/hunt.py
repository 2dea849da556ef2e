"""A crawl as a person at a terminal sees it: how far it is, what went wrong, and Ctrl-C."""

from __future__ import annotations

import asyncio
import signal
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Self

from rich.console import Console
from rich.text import Text

from salticid.cli.console import err, safe
from salticid.cli.progress import Work
from salticid.model import Topic, Visit
from salticid.protocols import Brief
from salticid.runs.onlooker import Onlooker
from salticid.runs.order import Order, Result
from salticid.runs.run import Run, run

if TYPE_CHECKING:
    from salticid.runs.metrics_port import MetricsServer

_SIGNALS = (signal.SIGINT, signal.SIGTERM)


def hunt(order: Order, verbose: bool = False, metrics: MetricsServer | None = None) -> Result:
    """Crawl, or go on with a crawl, and show how far it is; of every visit what came of it, if that is wanted.

    `metrics` serves its numbers meanwhile.
    """
    with (VerboseTerminal if verbose else Terminal)(order.folder) as terminal:
        if metrics is not None:
            terminal.serve_metrics(metrics)
        return run(order, terminal)


class Terminal(Onlooker):
    """Shows a crawl on a console, and ends it on signals. Use it as a context."""

    def __init__(
        self, folder: Path, console: Console = err, signals: Sequence[signal.Signals] = _SIGNALS
    ) -> None:
        self._folder, self._console, self._signals = folder, console, signals
        self._display, self._closing = ExitStack(), ExitStack()
        self._looks = False
        self._numbers = Onlooker()
        self.end: Callable[[], object] = lambda: None
        """Ends the crawl cleanly, from any thread."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._display.close()
        self._closing.close()

    def serve_metrics(self, server: MetricsServer) -> None:
        """Let programs ask for its numbers."""
        from salticid.runs.metrics_port import MetricsPort  # here: few need it

        self._numbers = MetricsPort(server)
        self.warn(server.notice)

    def begins(self, end: Callable[[], None]) -> None:
        """The first signal ends it in good order; a second one at once."""
        loop = asyncio.get_running_loop()
        self.end = partial(loop.call_soon_threadsafe, end)

        def stop() -> None:
            for number in self._signals:
                loop.remove_signal_handler(number)
            end()

        for number in self._signals:
            loop.add_signal_handler(number, stop)

    def warn(self, sentence: str) -> None:
        self._console.print(safe(sentence), highlight=False, soft_wrap=True)

    def missing(self, topic: Topic, brief: Brief) -> None:
        for kind, urls, pages in (
            ("examples", topic.examples, brief.examples),
            ("negatives", topic.negatives, brief.negatives),
        ):
            if len(pages) < len(urls):
                self.warn(
                    f"{len(urls) - len(pages)} of {len(urls)} {kind} could not be read and are left out"
                )

    def goes_on(self, visits: int) -> None:
        there = f"Going on with the crawl in {self._folder}: {visits} visits are there."
        self._console.print(there, highlight=False, soft_wrap=True)
        self._visits = visits
        self._work = self._show(Work("playing the log again", visits, self._console))

    def replay(self, step: int) -> None:
        if self._work.due:
            self._work.at(step, f"{step} of {self._visits} visits")

    def ready(self, run: Run) -> None:
        self._run = run
        self._numbers.ready(run)
        self._work = self._show(Work("crawling", run.crawl.limits.max_pages, self._console))

    def visit(self, visit: Visit) -> None:
        self._numbers.visit(visit)
        if self._looks:
            self._looks = False
            self._work = self._show(Work("hunting on", self._run.crawl.limits.max_pages, self._console))
        if self._work.due:
            self._work.at(self._run.crawl.pages, progress(self._run))

    def looks(self, pages: int, of: int) -> None:
        self._looks = True
        self._work.part("looking again", pages, of)

    def silence(self) -> None:
        waits = sorted(set(self._run.doing.values()))
        more = f" and {len(waits) - 5} others" if len(waits) > 5 else ""
        self.warn(f"Nothing arrived for a minute. Waiting for {', '.join(waits[:5])}{more}.")

    def trouble(self, trouble: str) -> None:
        self.warn(
            f"Paused: nothing can be written into {self._folder} ({trouble}). Nothing is lost; the crawl goes on by "
            "itself as soon as there is room."
        )

    def _show(self, work: Work) -> Work:
        """Show this, and nothing else."""
        self._display.close()
        return self._display.enter_context(work)


class VerboseTerminal(Terminal):
    """Tells of every visit, too."""

    def visit(self, visit: Visit) -> None:
        start = f"{visit.step:>6} {'+' if visit.positive else ' '} {visit.score:.3f} {visit.outcome:<15} "
        url = safe(self._run.crawl.brief.urls[visit.final])
        self._console.print(Text(start) + url, highlight=False, soft_wrap=True)
        super().visit(visit)


def progress(run: Run) -> str:
    """How far a crawl is, in a line."""
    crawl = run.crawl
    waiting, _ = crawl.strategy.waiting(0)
    ahead = crawl.outlook()
    left = None if ahead is None else ahead.remaining
    more = "" if left is None else f", {left.low:,.0f} to {left.high:,.0f} seem left"
    hosts = f", {run.active_hosts} hosts" if run.active_hosts else ""
    return (
        f"{crawl.pages} pages, {crawl.fetches - crawl.pages} failed, harvest {crawl.harvest:.0%}{more}, "
        f"{waiting} links wait{hosts}"
    )
