"""Running a crawl of the live web for somebody: begun or gone on with, paused, talked to, ended."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass, field

from salticid.drivers.live import LiveDriver
from salticid.drivers.parts import Hosts
from salticid.errors import SalticidError
from salticid.model import Limits, StopReason
from salticid.runs.brief import Known
from salticid.runs.live_settings import LiveSettings
from salticid.runs.live_web import live_web, read_known, set_up, set_up_again
from salticid.runs.order import Hunted, Onlooker, Order
from salticid.store.log import CrawlLog
from salticid.store.record import Record
from salticid.store.warc import Archive
from salticid.tables import Texts, Urls, Words
from salticid.webs.live.manners_memory import Memory
from salticid.webs.live.retries import Failure
from salticid.webs.live.web import LiveWeb

_NETWORK = "nobody can be reached"
"""Why the driver pauses then."""


def hunt_live(order: Order, settings: LiveSettings, onlooker: Onlooker) -> Hunted:
    """Crawl the live web, or go on with it. KeyboardInterrupt if it was ended before it had begun."""
    return asyncio.run(hunting(order, settings, onlooker, Hunt))


async def hunting(
    order: Order, settings: LiveSettings, onlooker: Onlooker, make: Callable[..., Hunt]
) -> Hunted:
    """The same on an event loop, with a hunt of some kind."""
    urls, words = Urls(), Words()
    archive = Archive(order.folder) if settings.warc else None
    room = settings.max_disk
    with closing(
        CrawlLog(order.folder, urls, words, own_tables=True, archive=archive, max_bytes=room)
    ) as log:
        before, larger = log.open(), None
        if before is not None:
            order, larger = order.continuing(log, before, _facts(settings))
            if (missing := log.go_on()) is not None:
                onlooker.warned(missing)
        clock = Stopwatch(0.0 if before is None else Record(log.database).seconds)
        hunt = make(order, settings, log, clock, onlooker, before is None, larger)
        return await hunt.run((urls, words), archive)


def _facts(settings: LiveSettings) -> dict[str, object]:
    """What has to be known of the web to tell this crawl from another."""
    return {"live": settings.deciding()}


class Stopwatch:
    """The crawl's clock: it goes on where the last run left it."""

    def __init__(self, already: float) -> None:
        self._zero = time.monotonic() - already

    def __call__(self) -> float:
        return time.monotonic() - self._zero

    def forget(self, seconds: float) -> None:
        """These did not count: the crawl could not go on."""
        self._zero += seconds


@dataclass(slots=True)
class Hunt:
    """One run of a live crawl. `driver` and `web` are there once the onlooker was told that it is ready.

    With `hosts` it is a part of a larger crawl, which asks these and no others.
    """

    order: Order
    settings: LiveSettings
    log: CrawlLog
    clock: Stopwatch
    onlooker: Onlooker
    new: bool
    larger: Limits | None
    hosts: Hosts | None = None
    driver: LiveDriver = field(init=False)
    web: LiveWeb = field(init=False)

    async def run(self, tables: tuple[Urls, Texts], archive: Archive | None) -> Hunted:
        async with live_web(self.settings, self.clock, archive, tables) as self.web:
            memory = Memory(self.web)
            self.log.keep = memory.news
            if not self.new:
                memory.recall(self.log.kept())
            self.driver = await self._ready()
            driver, crawl, onlooker = self.driver, self.driver.crawl, self.onlooker
            driver.silent, driver.held_up = onlooker.silent, onlooker.held_up
            driver.went_on = self.clock.forget
            onlooker.ready(self)
            visits = crawl.step
            stopped = await self.crawling()
            await driver.settle()
            if self.log.trouble is not None:
                stopped = StopReason.INTERRUPTED
            self.log.about({"seconds": self.clock(), "line": crawl.judge.line})
            if self.new or self.larger or crawl.step > visits or stopped is not StopReason.INTERRUPTED:
                self.log.about({"stopped": stopped.value})  # one that was only woken ended as it ended before
            if stopped is StopReason.WAITING:
                onlooker.warned(self._when_to_go_on())
            return Hunted(crawl.pages, crawl.fetches, stopped, self.clock())

    async def crawling(self) -> StopReason:
        """Crawl until there is a reason to stop."""
        return await self.driver.run(lambda _: self.onlooker.visited())

    async def read_known(self) -> Known:
        """The known pages of the topic."""
        return await read_known(self.order.topic, self.web)

    def pause(self) -> None:
        """Send no more requests, and let the crawl's clock stand still, until it goes on."""
        self.web.network.line.close()
        self.driver.pause()

    def go_on(self) -> None:
        """Send requests again."""
        self.driver.go_on()
        self.web.network.line.open()

    def _when_to_go_on(self) -> str:
        if self.driver.parking.until is None:
            return (
                f"Nobody could be reached for {self.settings.patience:.0f} s. Go on when the network is back."
            )
        return f"The first host may be asked again in {self.driver.parking.until - self.clock():.0f} s."

    async def _ready(self) -> LiveDriver:
        """Set up, unless somebody ends it first."""
        setting_up = asyncio.ensure_future(self._set_up())
        driver: LiveDriver | None = None
        interrupted, hopeless = asyncio.Event(), asyncio.Event()

        def end() -> None:
            interrupted.set()
            if driver is None:
                setting_up.cancel()
            else:
                driver.interrupt()

        def lost(failure: Failure) -> None:
            if driver is not None:
                driver.pause(_NETWORK)
            self.onlooker.lost(failure)

        def found() -> None:
            if driver is not None:
                driver.go_on(_NETWORK)
            self.onlooker.found()

        def give_up() -> None:
            if driver is None:
                hopeless.set()
                setting_up.cancel()
            else:
                driver.wait_no_longer()

        reach = self.web.network.reach
        reach.lost, reach.found, reach.gave_up = lost, found, give_up
        self.onlooker.begins(end)
        try:
            driver = await setting_up
        except asyncio.CancelledError:
            if hopeless.is_set():
                raise SalticidError(
                    f"nobody could be reached for {self.settings.patience:.0f} s, and the known pages of the topic are "
                    "to be read first; type the same command when the network is back"
                ) from None
            raise KeyboardInterrupt from None
        if interrupted.is_set():  # too late to be cancelled, too early for the driver
            driver.interrupt()
        return driver

    async def _set_up(self) -> LiveDriver:
        """The crawl as the log has it; a new one if that holds nothing yet."""
        order, log, web = self.order, self.log, self.web
        kept = None if self.new else log.known()
        if kept is None:
            known = await self.read_known()
            driver = await set_up(
                order.topic, web, order.recipe, self.settings, log, log.page, known, self.hosts
            )
            self.onlooker.missing(order.topic, driver.crawl.brief)
            if self.new:
                log.begin(order.facts(_facts(self.settings)))
            log.know({"examples": known.examples, "negatives": known.negatives})
        else:
            known = Known(kept.get("examples", ()), kept.get("negatives", ()))
            self.onlooker.goes_on(Record(log.database).visits)
            driver = await set_up_again(
                order.topic, web, order.recipe, self.settings, log, known, self.onlooker.played, self.hosts
            )
        log.session(self.clock(), self.settings.kept())
        if self.larger is not None:
            driver.crawl.extend(self.larger)
        return driver
