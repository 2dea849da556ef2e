"""How long work shows itself: as lines of text on a terminal and in a notebook, and nowhere else."""

from __future__ import annotations

import asyncio
import signal
import sys
import threading
import time
import warnings
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Self

from salticid.errors import one_line
from salticid.runs import Onlooker

if TYPE_CHECKING:
    from salticid.model import Visit
    from salticid.protocols import Brief
    from salticid.runs import Run
    from salticid.topic import Topic

_EVERY = 10.0
"""Seconds between two lines."""


def shown(show: bool | None) -> bool:
    """Whether progress is to be seen; by default only on a terminal or in a notebook."""
    return sys.stderr.isatty() or "ipykernel" in sys.modules if show is None else show


class PlainWork:
    """Shows how far a piece of work has come. Use it as a context; call `at` as often as you like."""

    def __init__(self, what: str, total: int, show: bool | None = None, every: float = _EVERY) -> None:
        self._what, self._total, self._every, self._is_shown = what, total, every, shown(show)
        self._start = self._last_show = time.monotonic()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        """Nothing stays open."""

    @property
    def due(self) -> bool:
        """Whether it is time to show something again."""
        return time.monotonic() - self._last_show >= self._every

    def part(self, what: str, count: int, total: int) -> None:
        """So much of a part of the work is done; what is shown is the part's."""
        if what != self._what:
            self._what, self._total = what, total
            self._start = self._last_show = time.monotonic()
            self.new_part()
        self.at(count, f"{count} of {total}")

    def at(self, count: int, note: str) -> None:
        """So much is done; the note says more about it."""
        if self.due:
            self._last_show = time.monotonic()
            self.draw(count, f"{_rate(count / (self._last_show - self._start))}, {note}")

    def new_part(self) -> None:
        """Another part of the work has begun."""

    def draw(self, count: int, note: str) -> None:
        """Show how far it is."""
        if self._is_shown:
            print(self.line(count, note), file=sys.stderr)  # noqa: T201

    def line(self, count: int, note: str) -> str:
        """How far it is, as a line of text."""
        share = f"{count / self._total:.0%} " if self._total else ""
        return f"{self._what}: {share}{note}"


class HuntProgress(Onlooker):
    """Shows a crawl, and ends it on signals; where nothing is shown, warnings are Python's. Use it as a context."""

    def __init__(self, folder: Path, show: bool | None = None, signals: Sequence[signal.Signals] = ()) -> None:
        self._folder, self._is_shown, self._signals = folder, shown(show), signals
        self._display = ExitStack()
        self._looks = False
        self.end: Callable[[], object] = lambda: None
        """Ends the crawl cleanly, from any thread."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._display.close()

    def hear_signals(self) -> None:
        """End the hunt cleanly on Ctrl-C, where that can be heard."""
        if threading.current_thread() is threading.main_thread():
            self._signals = (signal.SIGINT,)

    def say(self, sentence: str) -> None:
        """Show a sentence, which may quote text from outside."""
        if self._is_shown:
            print(one_line(sentence), file=sys.stderr)  # noqa: T201

    def work(self, what: str, total: int) -> PlainWork:
        """What shows a piece of work."""
        return PlainWork(what, total, self._is_shown)

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
        if self._is_shown:
            self.say(sentence)
        else:
            warnings.warn(sentence, stacklevel=2)

    def missing(self, topic: Topic, brief: Brief) -> None:
        for kind, urls, pages in (
            ("examples", topic.examples, brief.examples),
            ("negatives", topic.negatives, brief.negatives),
        ):
            if len(pages) < len(urls):
                self.warn(f"{len(urls) - len(pages)} of {len(urls)} {kind} could not be read and are left out")

    def goes_on(self, visits: int) -> None:
        self.say(f"Going on with the crawl in {self._folder}: {visits} visits are there.")
        self._visits = visits
        self._work = self._show(self.work("playing the log again", visits))

    def replay(self, step: int) -> None:
        if self._work.due:
            self._work.at(step, f"{step} of {self._visits} visits")

    def ready(self, run: Run) -> None:
        self._run = run
        self._work = self._show(self.work("crawling", run.crawl.limits.max_pages))

    def visit(self, visit: Visit) -> None:
        if self._looks:
            self._looks = False
            self._work = self._show(self.work("hunting on", self._run.crawl.limits.max_pages))
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

    def _show(self, work: PlainWork) -> PlainWork:
        """Show this, and nothing else."""
        self._display.close()
        return self._display.enter_context(work)


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


def _rate(per_second: float) -> str:
    """How fast it goes.

    >>> _rate(12.3), _rate(0.5)
    ('12/s', '30/min')
    """
    return f"{per_second:.0f}/s" if per_second >= 1 else f"{60 * per_second:.0f}/min"
