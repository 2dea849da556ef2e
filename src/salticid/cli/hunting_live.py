"""Running a crawl of the live web for a person; apart, so that other commands need not wait for aiohttp."""

from __future__ import annotations

import asyncio
import signal
from collections.abc import Callable
from contextlib import ExitStack

from salticid.cli.console import err
from salticid.cli.hunting import say_it_goes_on, say_it_pauses, say_what_is_missing, show
from salticid.cli.progress import Work
from salticid.model import Topic
from salticid.protocols import Brief
from salticid.runs import live as hunting
from salticid.runs.live import Hunt
from salticid.runs.live_settings import LiveSettings
from salticid.runs.order import NOBODY_THERE, SOMEBODY_THERE, Hunted, Onlooker, Order
from salticid.webs.live.retries import Failure
from salticid.webs.live.web import LiveWeb

_SIGNALS = (signal.SIGINT, signal.SIGTERM)


def hunt_live(order: Order, settings: LiveSettings) -> Hunted:
    """Crawl the live web, or go on with it, and show how far it is."""
    with ExitStack() as shown:
        return hunting.hunt_live(order, settings, _Shown(order, shown))


class _Shown(Onlooker):
    """Shows a crawl on the terminal; what is shown now ends with the stack."""

    def __init__(self, order: Order, stack: ExitStack) -> None:
        self._order, self._stack = order, stack

    def begins(self, end: Callable[[], None]) -> None:
        on_signals(end)

    def warned(self, sentence: str) -> None:
        err.print(sentence, highlight=False)

    def missing(self, topic: Topic, brief: Brief) -> None:
        say_what_is_missing(topic, brief)

    def goes_on(self, visits: int) -> None:
        say_it_goes_on(self._order.folder, visits)
        self._visits = visits
        self._work = self._stack.enter_context(Work("playing the log again", visits, err))

    def played(self, step: int) -> None:
        if self._work.due:
            self._work.at(step, f"{step} of {self._visits} visits")

    def ready(self, hunt: Hunt) -> None:
        self._stack.close()
        self._hunt = hunt
        self._work = self._stack.enter_context(Work("crawling", hunt.driver.crawl.limits.max_pages, err))

    def visited(self) -> None:
        driver = self._hunt.driver
        show(self._work, driver.crawl, f", {driver.active_hosts} hosts")

    def silent(self) -> None:
        _say_who_waits(self._hunt.web)

    def held_up(self, trouble: str) -> None:
        say_it_pauses(self._order.folder, trouble)

    def lost(self, failure: Failure) -> None:
        self.warned(NOBODY_THERE.format(failure.value))

    def found(self) -> None:
        self.warned(SOMEBODY_THERE)


def on_signals(end: Callable[[], object]) -> None:
    """The first Ctrl-C or SIGTERM ends it as told; a second one at once."""
    loop = asyncio.get_running_loop()

    def stop() -> None:
        for number in _SIGNALS:
            loop.remove_signal_handler(number)
        end()

    for number in _SIGNALS:
        loop.add_signal_handler(number, stop)


def _say_who_waits(web: LiveWeb) -> None:
    """Nothing has arrived for a minute: tell what everybody waits for."""
    waits = sorted(set(web.doing.values()))
    more = f" and {len(waits) - 5} others" if len(waits) > 5 else ""
    err.print(f"Nothing arrived for a minute. Waiting for {', '.join(waits[:5])}{more}.", highlight=False)
