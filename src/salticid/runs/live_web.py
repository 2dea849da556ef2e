"""The live web put together: names, manners, connections, parsers."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack, asynccontextmanager

from salticid.model import Page, Topic
from salticid.parse.pdf_pool import PdfPool
from salticid.runs.brief import KnownPages, url_ids
from salticid.runs.live_settings import LiveSettings
from salticid.tables import Texts, Urls, Words
from salticid.webs.live.browser.pool import BrowserPool, find_program, what_is_missing
from salticid.webs.live.browser.rendering import Rendering
from salticid.webs.live.client import Client, ClientSettings, Recorder
from salticid.webs.live.guard import AddressGuard, GuardedSockets, Resolver, name_server, resolve_rule
from salticid.webs.live.line import Line
from salticid.webs.live.long_bodies import LongBodies
from salticid.webs.live.manners import Manners, Parked
from salticid.webs.live.names import Names
from salticid.webs.live.parser_pool import ParserPool
from salticid.webs.live.reach import NO_CALLS, OutageCalls, Reach
from salticid.webs.live.rules import Rules
from salticid.webs.live.web import LiveWeb, Network, PdfReading

_ANYWHERE = ("0.0.0.0/0", "::/0")


@asynccontextmanager
async def live_web(
    settings: LiveSettings,
    clock: Callable[[], float],
    recorder: Recorder | None = None,
    tables: tuple[Urls, Texts] | None = None,
    outage_calls: OutageCalls = NO_CALLS,
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
