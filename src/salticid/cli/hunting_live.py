"""Running a crawl of the live web for a person; apart, so that other commands need not wait for aiohttp."""

from __future__ import annotations

import asyncio
import signal
import time
from collections.abc import Callable
from contextlib import closing
from dataclasses import asdict, dataclass

from salticid.cli.console import err
from salticid.cli.hunting import Hunted, Order, say_it_goes_on, say_it_pauses, say_what_is_missing, show
from salticid.cli.progress import Work
from salticid.drivers.brief import Known
from salticid.drivers.live import LiveDriver
from salticid.drivers.live_crawl import live_web, read_known, set_up, set_up_again
from salticid.drivers.live_settings import LiveSettings
from salticid.model import Limits, StopReason
from salticid.store.log import CrawlLog
from salticid.store.record import Record
from salticid.store.warc import Archive
from salticid.tables import Texts, Urls
from salticid.webs.live.memory import Memory
from salticid.webs.live.web import LiveWeb

_SIGNALS = (signal.SIGINT, signal.SIGTERM)


def hunt_live(order: Order, settings: LiveSettings) -> Hunted:
    """Crawl the live web, or go on with it."""
    urls, words = Urls(), Texts()
    archive = Archive(order.folder) if settings.warc else None
    with closing(CrawlLog(order.folder, urls, words, own_tables=True, archive=archive)) as log:
        before, larger = log.open(), None
        if before is not None:
            order, larger = order.continuing(log, before, _facts(settings))
            if (missing := log.go_on()) is not None:
                err.print(missing, highlight=False)
        clock = _Stopwatch(0.0 if before is None else Record(log.database).seconds)
        hunt = _Hunt(order, settings, log, clock, before is None, larger)
        return asyncio.run(hunt.run((urls, words), archive))


def _facts(settings: LiveSettings) -> dict[str, object]:
    """What has to be known of the web to tell this crawl from another."""
    return {"live": settings.deciding()}


class _Stopwatch:
    """The crawl's clock: it goes on where the last run left it."""

    def __init__(self, already: float) -> None:
        self._zero = time.monotonic() - already

    def __call__(self) -> float:
        return time.monotonic() - self._zero

    def forget(self, seconds: float) -> None:
        """These did not count: the crawl could not go on."""
        self._zero += seconds


@dataclass(frozen=True, slots=True)
class _Hunt:
    """One run of a live crawl."""

    order: Order
    settings: LiveSettings
    log: CrawlLog
    clock: _Stopwatch
    new: bool
    larger: Limits | None

    async def run(self, tables: tuple[Urls, Texts], archive: Archive | None) -> Hunted:
        async with live_web(self.settings, self.clock, archive, tables) as web:
            memory = Memory(web)
            self.log.keep = memory.news
            if not self.new:
                memory.recall(self.log.kept())
            setting_up = asyncio.ensure_future(self._set_up(web))
            driver: LiveDriver | None = None
            interrupted = asyncio.Event()

            def end() -> None:
                interrupted.set()
                if driver is None:
                    setting_up.cancel()
                else:
                    driver.interrupt()

            on_signals(end)
            try:
                driver = await setting_up
            except asyncio.CancelledError:
                raise KeyboardInterrupt from None
            if interrupted.is_set():  # too late to be cancelled, too early for the driver
                driver.interrupt()
            crawl = driver.crawl
            driver.silent = lambda: _say_who_waits(web)
            driver.went_on = self.clock.forget
            driver.held_up = lambda trouble: say_it_pauses(self.order.folder, trouble)
            with Work("crawling", crawl.limits.max_pages, err) as work:
                stopped = await driver.run(lambda _: show(work, crawl, f", {driver.active_hosts} hosts"))
                await driver.settle()
            if self.log.trouble is not None:
                stopped = StopReason.INTERRUPTED
            self.log.about({"stopped": stopped.value, "seconds": web.clock()})
            if stopped is StopReason.WAITING and driver.waits_until is not None:
                err.print(f"The first host may be asked again in {driver.waits_until - web.clock():.0f} s.")
            return Hunted(crawl.pages, crawl.fetches, stopped, web.clock())

    async def _set_up(self, web: LiveWeb) -> LiveDriver:
        """The crawl as the log has it; a new one if that holds nothing yet."""
        order, log = self.order, self.log
        kept = None if self.new else log.known()
        if kept is None:
            known = await read_known(order.topic, web)
            driver = await set_up(order.topic, web, order.recipe, self.settings, log, log.page, known)
            say_what_is_missing(order.topic, driver.crawl.brief)
            if self.new:
                log.begin(order.facts(_facts(self.settings)))
            log.know({"examples": known.examples, "negatives": known.negatives})
        else:
            known = Known(kept.get("examples", ()), kept.get("negatives", ()))
            driver = await self._go_on(web, known)
        log.session(self.clock(), asdict(self.settings))
        if self.larger is not None:
            driver.crawl.extend(self.larger)
        return driver

    async def _go_on(self, web: LiveWeb, known: Known) -> LiveDriver:
        visits = Record(self.log.database).visits
        say_it_goes_on(self.order.folder, visits)
        with Work("playing the log again", visits, err) as work:

            def show(step: int) -> None:
                if work.due:
                    work.at(step, f"{step} of {visits} visits")

            return await set_up_again(
                self.order.topic, web, self.order.recipe, self.settings, self.log, known, show
            )


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
