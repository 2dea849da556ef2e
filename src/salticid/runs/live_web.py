"""One crawl over the live web, from topic to stop reason."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import AsyncExitStack, asynccontextmanager

from salticid.crawl import Crawl
from salticid.drivers.live import LiveDriver
from salticid.drivers.parts import Hosts, owned, seeds_of
from salticid.drivers.second_chances import SecondChances
from salticid.drivers.traps import Traps
from salticid.model import NO_URL, Choice, Outcome, Page, Topic, Visit
from salticid.protocols import Log
from salticid.runs.brief import Known, settle, url_ids
from salticid.runs.live_settings import LiveSettings
from salticid.runs.past import Past, RelivedClock, RelivedJudge, RelivedLog, relive
from salticid.runs.recorded import Recipe
from salticid.scope import Boundary
from salticid.store.log import CrawlLog
from salticid.tables import Texts, Urls, Words
from salticid.urls import host, origin
from salticid.webs.live.client import Client, ClientSettings, Recorder
from salticid.webs.live.guard import AddressGuard, GuardedSockets, Resolver, name_server, resolve_rule
from salticid.webs.live.line import Line
from salticid.webs.live.manners import Manners, Parked
from salticid.webs.live.names import Names
from salticid.webs.live.parser_pool import ParserPool
from salticid.webs.live.reach import Reach
from salticid.webs.live.rules import Rules
from salticid.webs.live.web import LiveWeb, Network

_ANYWHERE = ("0.0.0.0/0", "::/0")


@asynccontextmanager
async def live_web(
    settings: LiveSettings,
    clock: Callable[[], float],
    recorder: Recorder | None = None,
    tables: tuple[Urls, Texts] | None = None,
) -> AsyncIterator[LiveWeb]:
    """The live web, its connections and its parsers, for as long as the context lasts.

    All exchanges go to the recorder, all URLs and words into the tables.
    """
    proxy_host = settings.proxy_host
    guard = AddressGuard(settings.allow_net)
    resolver = Resolver([resolve_rule(rule) for rule in settings.resolve])
    server = None if settings.dns is None else name_server(settings.dns)
    names = Names(resolver, guard, clock, proxy_host, server)
    sockets = GuardedSockets(AddressGuard(_ANYWHERE) if settings.proxy else guard)
    client = Client(
        ClientSettings(
            settings.user_agent, settings.timeout, settings.max_bytes, settings.concurrency, settings.proxy
        ),
        names,
        sockets,
        recorder,
    )
    manners = Manners(settings.delay, settings.per_address, clock)
    line = Line(client, names, manners, settings.concurrency, clock)
    reach = Reach(line, manners, clock, settings.patience)
    rules = Rules(settings.product, line, manners, reach, clock)
    async with AsyncExitStack() as stack:
        await stack.enter_async_context(client)
        urls, words = tables or (Urls(), Words())
        parsers = ParserPool(urls, words, settings.workers, agent=settings.product)
        pool = await stack.enter_async_context(parsers)
        yield LiveWeb(Network(line, manners, reach, rules), pool, settings.max_bytes, clock)


async def set_up(
    topic: Topic,
    web: LiveWeb,
    recipe: Recipe,
    settings: LiveSettings,
    log: Log,
    recall: Callable[[int], Page] | None = None,
    known: Known | None = None,
    hosts: Hosts | None = None,
) -> LiveDriver:
    """A crawl of the live web, ready to run: its known pages are read, those that can be had.

    With `hosts`, it is the part of a larger crawl that asks these, and leaves all others to others.
    """
    known = known or await read_known(topic, web)
    brief = settle(topic, known, web, recipe.limits, recipe.seed, recipe.backlinks)
    owns = owned(web.urls, hosts)
    crawl = Crawl(seeds_of(brief, owns), recipe.strategy, recipe.judge, log, web.clock, recall, owns)
    return _driver(crawl, web, settings, _traps(crawl, web, settings), (), hosts)


async def set_up_again(
    topic: Topic,
    web: LiveWeb,
    recipe: Recipe,
    settings: LiveSettings,
    log: CrawlLog,
    known: Known,
    show: Callable[[int], None],
    hosts: Hosts | None = None,
) -> LiveDriver:
    """A crawl of the live web as an earlier run left it, which is played again from the log.

    The limits of the recipe are those it began with. `show` is told how many visits are played.
    """
    past = Past(log)
    brief = settle(topic, known, web, recipe.limits, recipe.seed, recipe.backlinks)
    judge = RelivedJudge(past, recipe.judge)
    clock = RelivedClock(past, web.clock)
    owns = owned(web.urls, hosts)
    relived = RelivedLog(past, log)
    crawl = Crawl(seeds_of(brief, owns), recipe.strategy, judge, relived, clock, log.page, owns)
    judge.tell = lambda: past.tell(crawl, recipe.judge)
    traps, chances = _traps(crawl, web, settings), SecondChances(web.urls)
    read = NO_URL

    def came(visit: Visit) -> None:
        nonlocal read
        if traps is not None:
            traps.observe(visit)
        chances.observe(visit)
        if visit.outcome is Outcome.OK:
            read = visit.final
        show(visit.step)

    flying = await relive(crawl, recipe.judge, past, came)
    if read != NO_URL:
        web.network.line.recall(origin(web.urls[read]))
    return _driver(crawl, web, settings, traps, flying, hosts, chances)


def _traps(crawl: Crawl, web: LiveWeb, settings: LiveSettings) -> Traps | None:
    brief = crawl.brief
    return Traps(brief.urls, brief.words, settings.host_share, web.places) if settings.traps else None


def _driver(
    crawl: Crawl,
    web: LiveWeb,
    settings: LiveSettings,
    traps: Traps | None,
    flying: Sequence[Choice] = (),
    hosts: Hosts | None = None,
    chances: SecondChances | None = None,
) -> LiveDriver:
    boundary = Boundary(crawl.brief.topic.scope, crawl.brief.topic.seeds)
    web.may_follow = lambda url: boundary.admits(url, depth=0) and (hosts is None or hosts(host(url)))
    driver = LiveDriver(
        crawl, web, settings.concurrency, web.clock, settings.sitemaps, flying, traps, chances
    )
    web.may_ask = driver.lobby.may_ask
    return driver


async def read_known(topic: Topic, web: LiveWeb) -> Known:
    """Ask for the known pages of a topic, politely; those that cannot be had are left out."""

    async def page(url: int) -> Page | None:
        try:
            return (await web.fetch(url)).page
        except Parked:
            return None

    async def pages(urls: tuple[str, ...]) -> tuple[Page, ...]:
        found = await asyncio.gather(*(page(url) for url in url_ids(urls, web.urls)))
        return tuple(each for each in found if each is not None)

    return Known(await pages(topic.examples), await pages(topic.negatives))
