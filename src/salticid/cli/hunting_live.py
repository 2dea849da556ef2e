"""Running a crawl of the live web for a person; apart, so that other commands need not wait for aiohttp."""

from __future__ import annotations

import asyncio
import signal
import time
from collections.abc import Callable
from contextlib import closing
from dataclasses import asdict

from salticid.cli.console import err
from salticid.cli.hunting import Hunted, Order, say_what_is_missing, show
from salticid.cli.progress import Work
from salticid.drivers.live_crawl import live_web, set_up
from salticid.drivers.live_settings import LiveSettings
from salticid.model import StopReason
from salticid.store.log import CrawlLog
from salticid.webs.live.web import LiveWeb

_SIGNALS = (signal.SIGINT, signal.SIGTERM)


def hunt_live(order: Order, settings: LiveSettings) -> Hunted:
    """Crawl the live web."""
    return asyncio.run(_hunt(order, settings))


async def _hunt(order: Order, settings: LiveSettings) -> Hunted:
    began = time.monotonic()
    async with live_web(settings, lambda: time.monotonic() - began) as web:
        with closing(CrawlLog(order.folder, web.urls, web.words)) as log:
            reading = asyncio.ensure_future(set_up(order.topic, web, order.recipe, settings, log, log.page))
            _on_signals(reading.cancel)
            try:
                driver = await reading
            except asyncio.CancelledError:
                raise KeyboardInterrupt from None
            crawl = driver.crawl
            driver.silent = lambda: _say_who_waits(web)
            say_what_is_missing(order.topic, crawl.brief)
            log.begin(order.facts({"live": asdict(settings)}))
            _on_signals(driver.interrupt)
            with Work("crawling", crawl.limits.max_pages, err) as work:
                stopped = await driver.run(lambda _: show(work, crawl, f", {driver.active_hosts} hosts"))
            log.about({"stopped": stopped.value, "seconds": web.clock()})
            if stopped is StopReason.WAITING and driver.waits_until is not None:
                err.print(f"The first host may be asked again in {driver.waits_until - web.clock():.0f} s.")
        return Hunted(crawl.pages, crawl.fetches, stopped, web.clock())


def _on_signals(end: Callable[[], object]) -> None:
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
