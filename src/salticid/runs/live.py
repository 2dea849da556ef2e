"""A crawl of the live web."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace

from salticid.drivers.feeds import Feeds
from salticid.drivers.known_elsewhere import KnownElsewhere
from salticid.drivers.live import LiveDriver
from salticid.drivers.traps import Traps
from salticid.errors import SalticidError
from salticid.model import NO_URL, Choice, Links, Page, StopReason, Topic, Visit
from salticid.protocols import Log
from salticid.runs.brief import KnownPages, settle
from salticid.runs.given_past import relive_as_given
from salticid.runs.live_settings import LiveSettings, kept_runs
from salticid.runs.live_web import live_web, read_known_pages
from salticid.runs.onlooker import NAMES_GIVEN_UP, SOMEBODY_THERE, Onlooker, outage
from salticid.runs.order import Order, Recipe
from salticid.runs.ownership import ByHost, Hosts
from salticid.runs.past import Past, relive
from salticid.runs.run import Part, Run
from salticid.runs.snapshot import leave_snapshot, resume_from_snapshot
from salticid.scope import Boundary
from salticid.store.crawl_folder import CrawlFolder
from salticid.store.folder_lock import IN_MEMORY
from salticid.store.log import CrawlLog
from salticid.store.other_crawls import OtherCrawls
from salticid.store.warc import Archive
from salticid.tables import Urls, Words
from salticid.urls import host, origin, typed
from salticid.webs.live.manners_memory import Memory
from salticid.webs.live.retries import Failure
from salticid.webs.live.web import LiveWeb

_NETWORK = "nobody can be reached"
"""Why the driver pauses then."""


class Stopwatch:
    """The crawl's clock: it goes on where the last run left it."""

    def __init__(self, already: float = 0.0) -> None:
        self._zero = time.monotonic() - already

    def __call__(self) -> float:
        return time.monotonic() - self._zero

    def forget(self, seconds: float) -> None:
        """These did not count: the crawl could not go on."""
        self._zero += seconds


class LiveRun(Run):
    """One run of such a crawl. `driver` and `web` are there once the onlooker's `ready` was called."""

    clock: Stopwatch

    def __init__(
        self, order: Order, settings: LiveSettings, onlooker: Onlooker, part: Part | None = None
    ) -> None:
        self.settings, self._part = settings, part
        self.on_end: Callable[[], None] | None = None
        """Called when the run is to end, or nobody can be reached any more, for those who work beside the driver."""
        self._tables = Urls(), Words()
        self._archive = Archive(order.folder) if settings.warc and order.folder != IN_MEMORY else None
        log = CrawlLog(
            order.folder, *self._tables, own_tables=True, archive=self._archive, max_bytes=settings.max_disk
        )
        super().__init__(order, onlooker, log)

    async def to_its_end(self) -> StopReason:
        self.clock = Stopwatch(self.seconds)
        if self._part is not None:
            self.larger = None  # whoever has the whole says how far it may go
        async with live_web(self.settings, self.clock, self._archive, self._tables) as self.web:
            memory = Memory(self.web)
            self.log.keep = memory.news
            if not self.new:
                memory.recall(self.log.memory())
            self.driver = driver = await self._ready()
            self.crawl = driver.crawl
            self.crawl.newest = self.log.newest_page
            driver.on_silence, driver.on_trouble = self.onlooker.silence, self.onlooker.trouble
            driver.on_delay = self.clock.forget
            self.onlooker.ready(self)
            reason = await self.work()
            await driver.settle()
            if reason is StopReason.WAITING:
                self.onlooker.warn(self._when_to_go_on())
        judge, warn = self.order.recipe.judge, self.onlooker.warn
        leave_snapshot(driver.crawl, judge, self.log, driver.knowledge(), warn)
        return reason

    async def work(self) -> StopReason:
        """All that is done between setting up and settling."""
        reason = await self.driver.run(self.onlooker.visit)
        while self._part is not None and await self._part.more():
            reason = await self.driver.run(self.onlooker.visit)
        return reason

    @property
    def paused(self) -> bool:
        return self.driver.paused

    def pause(self) -> None:
        self.web.network.line.close()
        self.driver.pause()

    def go_on(self) -> None:
        self.driver.go_on()
        self.web.network.line.open()

    def nudge(self) -> None:
        self.driver.nudge()

    @property
    def active_hosts(self) -> int:
        return self.driver.active_hosts

    @property
    def parser_restarts(self) -> int:
        return self.web.parser_restarts

    @property
    def doing(self) -> Mapping[int, str]:
        return self.web.doing

    def resting(self) -> Iterator[tuple[int, float]]:
        return iter(self.driver.parking.urls())

    def _when_to_go_on(self) -> str:
        if self.driver.parking.until is None:
            return (
                f"Nobody could be reached for {self.settings.patience:.0f} s. Go on when the network is back."
            )
        return f"The first host may be asked again in {self.driver.parking.until - self.clock():.0f} s."

    async def _ready(self) -> LiveDriver:
        """Set up, unless the run is ended first."""
        setting_up = asyncio.ensure_future(self._set_up())
        driver: LiveDriver | None = None
        interrupted, hopeless = asyncio.Event(), asyncio.Event()

        def end() -> None:
            interrupted.set()
            if driver is None:
                setting_up.cancel()
            else:
                driver.interrupt()
                if self.on_end is not None:
                    self.on_end()

        def on_loss(failure: Failure, names: int) -> None:
            if driver is not None:
                (driver.go_on if names else driver.pause)(_NETWORK)
            self.onlooker.warn(outage(failure, names))

        def on_return(gives_up_names: bool) -> None:
            if driver is not None:
                driver.go_on(_NETWORK)
            given_up = NAMES_GIVEN_UP.format(self.settings.patience)
            self.onlooker.warn(given_up if gives_up_names else SOMEBODY_THERE)

        def on_give_up() -> None:
            if driver is None:
                hopeless.set()
                setting_up.cancel()
            else:
                driver.wait_no_longer()
                if self.on_end is not None:
                    self.on_end()

        reach = self.web.network.reach
        reach.on_loss, reach.on_return, reach.on_give_up = on_loss, on_return, on_give_up
        if self.web.rendering is not None:
            self.web.rendering.on_need = self.onlooker.warn
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
        hosts = None if self._part is None else self._part.hosts
        earlier = [] if self.new else kept_runs(CrawlFolder(order.folder, log.database))
        facts = None if self.new else log.known_pages()
        past = None if facts is None else Past(log, self.as_given)
        if past is not None:
            self.onlooker.goes_on(past.visits)
        if facts is None:
            pages = await self._known_pages()
        else:
            pages = KnownPages(facts.get("examples", ()), facts.get("negatives", ()))
        others = self.others(web.urls, web.words)

        def begin() -> LiveDriver:
            recipe, settings = order.recipe, self.settings
            return live_driver(order.topic, pages, web, recipe, settings, log, log.page, hosts, past, others)

        if past is not None:
            driver = await self._play(past, begin)
        else:
            driver = begin()
            self.onlooker.missing(order.topic, driver.crawl.brief)
            if self.new:
                log.begin(order.facts())
            log.add_known_pages({"examples": pages.examples, "negatives": pages.negatives})
        before = {net for run in earlier[:1] for net in run.settings.allow_net}
        driver.reaches_more = not set(self.settings.allow_net) <= before
        log.session(self.clock(), self.settings.for_log())
        if self.larger is not None:
            driver.crawl.extend(self.larger)
        return driver

    async def _known_pages(self) -> KnownPages:
        if self._part is None or self._part.known_pages is None:
            return await read_known_pages(self.order.topic, self.web)
        return self._part.known_pages(self.web.urls, self.web.words)

    async def _play(self, past: Past, begin: Callable[[], LiveDriver]) -> LiveDriver:
        """A driver, made by `begin`, and its web, that stand where the earlier runs ended.

        What a snapshot holds is not played again.
        """
        driver, recipe = begin(), self.order.recipe
        in_flight: list[Choice] = []
        others, warn = driver.knowledge(), self.onlooker.warn
        resumed = resume_from_snapshot(driver.crawl, recipe.judge, self.log, others, warn)
        if resumed is not None:
            in_flight = resumed.in_flight
            past.begin_after(resumed.mark)

        last: Visit | None = None

        def show(visit: Visit) -> None:
            nonlocal last
            driver.recall(visit)
            last = visit if past.over else None
            self.onlooker.replay(visit.step)

        play = relive_as_given if past.as_given else relive
        driver.flying = await play(driver.crawl, recipe.judge, past, show, in_flight)
        if last is not None:
            driver.show_known(last)
        if (page := driver.crawl.last_page) != NO_URL:
            self.web.network.line.recall(origin(self.web.urls[page]))
        return driver


def live_driver(
    topic: Topic,
    known_pages: KnownPages,
    web: LiveWeb,
    recipe: Recipe,
    settings: LiveSettings,
    log: Log,
    recall: Callable[[int], Page] | None = None,
    hosts: Hosts | None = None,
    past: Past | None = None,
    others: OtherCrawls | None = None,
) -> LiveDriver:
    """A crawl of the live web, ready to run; with `hosts`, the part of a larger crawl that asks these.

    With a `past` it is ready once that was played again. What `others` hold is not asked for.
    """
    brief = settle(topic, known_pages, web, recipe.limits, recipe.seed, recipe.backlinks)
    owns = None if hosts is None else ByHost(web.urls, hosts).of
    if owns is not None:
        brief = replace(brief, seeds=Links.to([url for url in brief.seeds.url.tolist() if owns(url)]))
    crawl = recipe.crawl(brief, log, web.clock, recall, owns, past)
    traps = Traps(brief.urls, brief.words, settings.host_share, web.places) if settings.traps else None
    without_scheme = [urls[0] for urls in map(typed, topic.seeds) if len(urls) > 1]
    web.either_scheme |= {url for url in map(web.urls.find, without_scheme) if url >= 0}
    boundary = Boundary(topic.scope, topic.seeds)
    web.may_follow = lambda url: boundary.admits(url, depth=0) and (hosts is None or hosts(host(url)))
    web.prefer(brief.language)
    feeds = Feeds(brief) if settings.feeds else None
    known = None if others is None else KnownElsewhere(crawl, others)
    driver = LiveDriver(crawl, web, settings.concurrency, web.clock, settings.sitemaps, traps, feeds, known)
    web.may_ask = driver.lobby.may_ask
    return driver
