"""A crawl of the live web."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Callable, Iterator, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, replace

from salticid.drivers import NO_CALLS, DriverCalls, Feeds, KnownElsewhere, LiveDriver, Traps
from salticid.errors import SalticidError
from salticid.model import NO_URL, Choice, Links, Page, StopReason, Visit
from salticid.parse import PdfPool
from salticid.protocols import Log
from salticid.runs.brief import KnownPages, settle, url_ids
from salticid.runs.lifecycle import ByHost, Part, Run
from salticid.runs.live_settings import LiveSettings, kept_runs
from salticid.runs.onlooker import NAMES_GIVEN_UP, SOMEBODY_THERE, Onlooker, outage
from salticid.runs.order import Order, Recipe
from salticid.runs.past import Past, relive, relive_as_given
from salticid.runs.snapshot import leave_snapshot, machine_key, resume_from_snapshot
from salticid.scope import Boundary
from salticid.store import IN_MEMORY, CrawlFolder, CrawlLog, OtherCrawls
from salticid.store.archive import Archive
from salticid.tables import Texts, Urls, Words
from salticid.topic import Topic
from salticid.urls import host, origin, typed
from salticid.webs.live import (
    NO_OUTAGE_CALLS,
    AddressGuard,
    Bounds,
    Client,
    ClientSettings,
    Failure,
    GuardedSockets,
    Line,
    LiveWeb,
    LongBodies,
    Manners,
    Memory,
    Names,
    Network,
    OutageCalls,
    Parked,
    ParserPool,
    PdfReading,
    Reach,
    Recorder,
    Resolver,
    Rules,
    name_server,
    resolve_rule,
)
from salticid.webs.live.browser import BrowserPool, Rendering, find_program, what_is_missing

# The live web put together: names, manners, connections, parsers.

_ANYWHERE = ("0.0.0.0/0", "::/0")


@asynccontextmanager
async def live_web(
    settings: LiveSettings,
    clock: Callable[[], float],
    recorder: Recorder | None = None,
    tables: tuple[Urls, Texts] | None = None,
    outage_calls: OutageCalls = NO_OUTAGE_CALLS,
    warn: Callable[[str], None] | None = None,
) -> AsyncIterator[LiveWeb]:
    """The live web, its connections and its parsers, for as long as the context lasts.

    All exchanges go to the recorder, all URLs and words into the tables. `warn` is called once if a page needs a
    browser and there is none.
    """
    proxy_host = settings.proxy_host
    guard = AddressGuard(settings.allow_net)
    resolver = Resolver([resolve_rule(rule) for rule in settings.resolve])
    server = None if settings.dns is None else name_server(settings.dns)
    names = Names(resolver, guard, clock, proxy_host, server)
    sockets = GuardedSockets(AddressGuard(_ANYWHERE) if settings.proxy else guard)
    pdfs = PdfReading(PdfPool(settings.workers), LongBodies()) if settings.pdf else None
    client = Client(
        ClientSettings(
            settings.user_agent,
            settings.timeout,
            settings.max_bytes,
            settings.concurrency,
            settings.proxy,
            settings.access(),
        ),
        names,
        sockets,
        recorder,
        None if pdfs is None else pdfs.long_bodies,
    )
    manners = Manners(settings.delay, settings.per_address, clock)
    line = Line(client, names, manners, settings.concurrency, clock)
    reach = Reach(line, manners, clock, settings.patience, outage_calls)
    rules = Rules(settings.product, line, manners, reach, clock)
    async with AsyncExitStack() as stack:
        await stack.enter_async_context(client)
        urls, words = tables or (Urls(), Words())
        parsers = ParserPool(urls, words, settings.workers, agent=settings.product)
        pool = await stack.enter_async_context(parsers)
        if pdfs is not None:
            await stack.enter_async_context(pdfs.pool)
        rendering = None
        if settings.render == "auto":
            missing, program = what_is_missing(), find_program()
            browsers = None
            if missing is None and program is not None:
                browsers = await stack.enter_async_context(BrowserPool(program, settings.user_agent))
            access = settings.access()
            rendering = Rendering(browsers, missing, settings.max_bytes, access, recorder, warn)
        network = Network(line, manners, reach, rules)
        yield LiveWeb(network, pool, settings.max_bytes, clock, pdfs=pdfs, rendering=rendering)


async def read_known_pages(topic: Topic, web: LiveWeb) -> KnownPages:
    """Ask for the known pages of a topic, politely; those that cannot be had are left out."""

    async def page(url: int) -> Page | None:
        try:
            return (await web.fetch(url)).page
        except Parked:
            return None

    async def pages(urls: tuple[str, ...]) -> tuple[Page, ...]:
        answers = await asyncio.gather(*(page(url) for url in url_ids(urls, web.urls)))
        return tuple(each for each in answers if each is not None)

    return KnownPages(await pages(topic.examples), await pages(topic.negatives))


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

    def __init__(self, order: Order, settings: LiveSettings, onlooker: Onlooker, part: Part | None = None) -> None:
        self.settings, self._part = settings, part
        self._setting_up: asyncio.Future[LiveDriver] | None = None
        self._is_interrupted = self._is_hopeless = False
        self._tables = Urls(), Words()
        self._archive = Archive(order.folder) if settings.warc and order.folder != IN_MEMORY else None
        log = CrawlLog(order.folder, *self._tables, own_tables=True, archive=self._archive, max_bytes=settings.max_disk)
        super().__init__(order, onlooker, log)

    async def to_its_end(self) -> StopReason:
        self.clock = Stopwatch(self.seconds)
        if self._part is not None:
            self.larger = None  # whoever has the whole says how far it may go
        calls, warn = OutageCalls(self._lost, self._back, self._give_up), self.onlooker.warn
        async with live_web(self.settings, self.clock, self._archive, self._tables, calls, warn) as self.web:
            memory = Memory(self.web, machine_key())
            self.log.attach(memory.news)
            if not self.new:
                memory.recall(self.log.memory())
            driver = await self._ready()
            self.crawl = driver.crawl
            self.onlooker.ready(self)
            async with self.asking():
                reason = await self.work()
            await driver.settle()
            if reason is StopReason.WAITING:
                warn(self._when_to_go_on())
        leave_snapshot(driver.crawl, self.order.recipe.judge, self.log, driver.knowledge(), warn)
        return reason

    async def work(self) -> StopReason:
        """All that is done between setting up and settling."""
        reason = await self.driver.run(self.visit)
        while self._part is not None and await self._part.more():
            reason = await self.driver.run(self.visit)
        return reason

    def on_end(self) -> None:
        """The run is to end, or nobody can be reached any more: for those who work beside the driver."""

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
            return f"Nobody could be reached for {self.settings.patience:.0f} s. Go on when the network is back."
        return f"The first host may be asked again in {self.driver.parking.until - self.clock():.0f} s."

    async def _ready(self) -> LiveDriver:
        """Set up, unless the run is ended first."""
        self._setting_up = asyncio.ensure_future(self._set_up())
        self.onlooker.begins(self._end)
        try:
            self.driver = await self._setting_up
        except asyncio.CancelledError:
            if self._is_hopeless:
                raise SalticidError(
                    f"nobody could be reached for {self.settings.patience:.0f} s, and the known pages of the topic are "
                    "to be read first; type the same command when the network is back"
                ) from None
            raise KeyboardInterrupt from None
        self._setting_up = None
        if self._is_interrupted:  # too late to be cancelled, too early for the driver
            self.driver.interrupt()
        return self.driver

    def _end(self) -> None:
        self._is_interrupted = True
        if self._setting_up is not None:
            self._setting_up.cancel()
        else:
            self.driver.interrupt()
            self.on_end()

    def _lost(self, failure: Failure, names: int) -> None:
        if self._setting_up is None:
            (self.driver.go_on if names else self.driver.pause)(_NETWORK)
        self.onlooker.warn(outage(failure, names))

    def _back(self, gives_up_names: bool) -> None:
        if self._setting_up is None:
            self.driver.go_on(_NETWORK)
        given_up = NAMES_GIVEN_UP.format(self.settings.patience)
        self.onlooker.warn(given_up if gives_up_names else SOMEBODY_THERE)

    def _give_up(self) -> None:
        if self._setting_up is not None:
            self._is_hopeless = True
            self._setting_up.cancel()
        else:
            self.driver.wait_no_longer()
            self.on_end()

    async def _set_up(self) -> LiveDriver:
        """The crawl as the log has it; a new one if that holds nothing yet."""
        order, log, web = self.order, self.log, self.web
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
        before = {net for run in earlier[:1] for net in run.settings.allow_net}
        reaches_more = not set(self.settings.allow_net) <= before
        calls = DriverCalls(self.onlooker.silence, self.onlooker.trouble, self.clock.forget)
        context = Context(log.page, log.newest_page, self._part, past, others, calls, reaches_more)
        driver = live_driver(order.topic, pages, web, order.recipe, self.settings, log, context)
        if past is not None:
            await self._play(past, driver)
        else:
            self.onlooker.missing(order.topic, driver.crawl.brief)
            if self.new:
                log.begin(order.facts())
            log.add_known_pages({"examples": pages.examples, "negatives": pages.negatives})
        log.session(self.clock(), self.settings.for_log())
        if self.larger is not None:
            driver.crawl.extend(self.larger)
        return driver

    async def _known_pages(self) -> KnownPages:
        if self._part is None or self._part.known_pages is None:
            return await read_known_pages(self.order.topic, self.web)
        return self._part.known_pages(self.web.urls, self.web.words)

    async def _play(self, past: Past, driver: LiveDriver) -> None:
        """Bring a driver and its web to where the earlier runs ended; what a snapshot holds is not played again."""
        recipe = self.order.recipe
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
        driver.take_up(await play(driver.crawl, recipe.judge, past, show, in_flight))
        if last is not None:
            driver.show_known(last)
        if (page := driver.crawl.last_page) != NO_URL:
            self.web.network.line.recall(origin(self.web.urls[page]))


@dataclass(frozen=True, slots=True, eq=False)
class Context:
    """What a run adds to a live crawl; one for itself has nothing of it.

    `recall` and `newest` give the page of a visit again, as it was and as it is by now. A `part` of a larger crawl asks
    some hosts alone. With a `past` the crawl is ready once that was played again. What `others` hold is not asked for.
    `calls` and `reaches_more` are those of the driver.
    """

    recall: Callable[[int], Page] | None = None
    newest: Callable[[int], Page | None] | None = None
    part: Part | None = None
    past: Past | None = None
    others: OtherCrawls | None = None
    calls: DriverCalls = NO_CALLS
    reaches_more: bool = False


_NO_CONTEXT = Context()


def live_driver(
    topic: Topic,
    known_pages: KnownPages,
    web: LiveWeb,
    recipe: Recipe,
    settings: LiveSettings,
    log: Log,
    context: Context = _NO_CONTEXT,
) -> LiveDriver:
    """A crawl of the live web, ready to run; the web keeps within its bounds from here on."""
    part, others = context.part, context.others
    hosts = None if part is None else part.hosts
    brief = settle(topic, known_pages, web, recipe.limits, recipe.seed, recipe.backlinks, recipe.meanings(log))
    owns = None if hosts is None else ByHost(web.urls, hosts).of
    if owns is not None:
        brief = replace(brief, seeds=Links.to([url for url in brief.seeds.url.tolist() if owns(url)]))
    crawl = recipe.crawl(brief, log, web.clock, context.recall, owns, context.past, context.newest)
    without_scheme = [urls[0] for urls in map(typed, topic.seeds) if len(urls) > 1]
    boundary = Boundary(topic.scope, topic.seeds)
    web.bind(
        Bounds(
            lambda url: boundary.admits(url, depth=0) and (hosts is None or hosts(host(url))),
            frozenset(url for url in map(web.urls.find, without_scheme) if url >= 0),
            brief.language,
        )
    )
    return LiveDriver(
        crawl,
        web,
        settings.concurrency,
        web.clock,
        settings.sitemaps,
        Traps(brief.urls, brief.words, settings.host_share, web.places) if settings.traps else None,
        Feeds(brief) if settings.feeds else None,
        None if others is None else KnownElsewhere(crawl, others),
        None if part is None else part.whole,
        context.reaches_more,
        context.calls,
    )
