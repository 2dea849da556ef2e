"""One crawl over the live web, from topic to stop reason."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass

from salticid import __version__
from salticid.drivers.brief import Known, url_ids
from salticid.model import Page, Topic
from salticid.tables import Texts, Urls
from salticid.webs.live.client import Client, ClientSettings
from salticid.webs.live.guard import AddressGuard, GuardedSockets, Resolver, resolve_rule
from salticid.webs.live.manners import Manners, Parked
from salticid.webs.live.names import Names
from salticid.webs.live.parsing import ParserPool
from salticid.webs.live.rules import Rules
from salticid.webs.live.web import LiveWeb, Network

HOME_PAGE = "https://github.com/salticid/salticid"
USER_AGENT = f"Salticid/{__version__} (+{HOME_PAGE})"


@dataclass(frozen=True, slots=True)
class LiveSettings:
    """How the live web is asked; the fields are options of `salticid crawl`."""

    concurrency: int = 64
    delay: float = 1.0
    timeout: float = 10.0
    max_bytes: int = 1 << 20
    user_agent: str = USER_AGENT
    per_address: int = 8
    sitemaps: bool = False
    proxy: str | None = None
    allow_net: tuple[str, ...] = ()
    resolve: tuple[str, ...] = ()
    workers: int = 1

    @property
    def product(self) -> str:
        """The product token of the user agent: the name robots.txt files know us by."""
        return self.user_agent.split("/")[0].split()[0]


@asynccontextmanager
async def live_web(settings: LiveSettings, clock: Callable[[], float]) -> AsyncIterator[LiveWeb]:
    """The live web, its connections and its parsers, for as long as the context lasts."""
    guard = AddressGuard(settings.allow_net)
    names = Names(Resolver([resolve_rule(rule) for rule in settings.resolve]), guard, clock)
    client = Client(
        ClientSettings(
            settings.user_agent, settings.timeout, settings.max_bytes, settings.concurrency, settings.proxy
        ),
        names,
        GuardedSockets(guard),
    )
    manners = Manners(settings.delay, settings.per_address, clock)
    rules = Rules(settings.product, client.get, manners, clock)
    async with AsyncExitStack() as stack:
        await stack.enter_async_context(client)
        pool = await stack.enter_async_context(ParserPool(Urls(), Texts(), settings.workers))
        network = Network(client, names, manners, rules)
        yield LiveWeb(network, pool, settings.concurrency, settings.max_bytes, clock)


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
