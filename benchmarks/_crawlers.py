"""Crawls of the server of `_server`, each meant for a process of its own: ours, and a bare loop as the limit."""

from __future__ import annotations

import asyncio
import json
import os
import resource
import sys
import tempfile
import time
from collections import deque
from collections.abc import Callable, Coroutine
from contextlib import closing
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path

import aiohttp
from ada_url import join_url
from selectolax.lexbor import LexborHTMLParser
from yarl import URL

from benchmarks._server import CRAWLER_CORE, seeds
from salticid.judges import judges
from salticid.runs.brief import KnownPages
from salticid.runs.live import Context, live_driver, live_web
from salticid.runs.live_settings import LiveSettings
from salticid.runs.order import Recipe
from salticid.runs.recorded import MemoryLog
from salticid.store.archive.warc import Archive
from salticid.store.log import CrawlLog
from salticid.strategies import strategies
from salticid.tables.texts import Texts, Urls
from salticid.topic import Limits, Scope, Topic
from salticid.webs.live.memory import Memory

CONCURRENCY = 32
KEYWORDS = "spider web silk prey venom eyes insect animal species"


@dataclass(frozen=True, slots=True)
class Crawled:
    """What a crawl did and cost; `cpu` is of the process and its children, from after their imports on."""

    pages: int
    size: int
    wall: float
    cpu: float


def cpu() -> float:
    """Processor seconds of this process and of its children that have ended."""
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(usage.ru_utime + usage.ru_stime for usage in used)


def measured(crawl: Callable[[], tuple[int, int]]) -> Crawled:
    """Run a crawl that returns pages and bytes."""
    wall, before = time.perf_counter(), cpu()
    pages, size = crawl()
    return Crawled(pages, size, time.perf_counter() - wall, cpu() - before)


def settings(port: int) -> LiveSettings:
    """No delay, and nothing that holds back many hosts at one address; robots as ever."""
    return LiveSettings(
        concurrency=CONCURRENCY,
        delay=0.0,
        per_address=10_000,
        allow_net=("127.0.0.0/8",),
        resolve=(f"*=127.0.0.1:{port}",),
    )


def topic(port: int) -> Topic:
    """Something to look for."""
    scope = Scope(include=(f"http://h*.example:{port}/*",))  # whom pages of others lead to is not at home here
    return Topic("spiders", KEYWORDS, tuple(seeds(port)), language="en", scope=scope)


async def salticid(
    port: int, pages: int, strategy: str = "hunter", logged: bool = True, warc: bool = False
) -> tuple[int, int]:
    """The real thing: robots, manners, parser process, judge, strategy, log in a folder, raw exchanges beside it."""
    sizes: list[int] = []
    judge = judges.make("profile" if strategy == "hunter" else "cosine")
    recipe = Recipe(strategies.make(strategy), judge, Limits(max_pages=pages))
    tables = Urls(), Texts()
    with tempfile.TemporaryDirectory() as folder:
        archive = Archive(Path(folder)) if warc else None
        async with live_web(settings(port), time.monotonic, archive, tables) as web:
            if not logged:
                driver = live_driver(topic(port), KnownPages(), web, recipe, settings(port), MemoryLog())
                await driver.run(lambda visit: sizes.append(visit.size))
                return driver.crawl.pages, sum(sizes)
            with closing(CrawlLog(Path(folder), *tables, own_tables=True, archive=archive)) as log:
                log.attach(Memory(web, None).news)
                context = Context(log.page)
                driver = live_driver(topic(port), KnownPages(), web, recipe, settings(port), log, context)
                log.begin({})
                await driver.run(lambda visit: sizes.append(visit.size))
    return driver.crawl.pages, sum(sizes)


async def bare(port: int, pages: int) -> tuple[int, int]:
    """aiohttp, lexbor, links, text and a set of seen URLs; no robots, no manners, no log, no belief."""
    todo = deque(seeds(port))
    seen = set(todo)
    done = size = 0

    async def work(session: aiohttp.ClientSession) -> None:
        nonlocal done, size
        while done < pages:
            if not todo:
                await asyncio.sleep(0.001)
                continue
            url = todo.popleft()
            async with session.get(URL(url, encoded=True)) as response:
                html = await response.read()
            done, size = done + 1, size + len(html)
            tree = LexborHTMLParser(html)
            for node in tree.css("a[href]"):
                link = join_url(url, node.attributes["href"] or "").partition("#")[0]
                if link not in seen and link.startswith("http"):
                    seen.add(link)
                    todo.append(link)
            _ = tree.body.text(separator=" ") if tree.body else ""

    connector = aiohttp.TCPConnector(resolver=_Here(port), limit=CONCURRENCY, use_dns_cache=False)
    async with aiohttp.ClientSession(connector=connector, cookie_jar=aiohttp.DummyCookieJar()) as session:
        await asyncio.gather(*(work(session) for _ in range(CONCURRENCY)))
    return done, size


class _Here(aiohttp.abc.AbstractResolver):
    """Every host is the server of this machine, whatever its port is said to be."""

    def __init__(self, port: int) -> None:
        self._port = port

    async def resolve(self, host: str, port: int = 0, family: int = 0) -> list[aiohttp.abc.ResolveResult]:
        found = aiohttp.abc.ResolveResult(hostname=host, host="127.0.0.1", port=self._port, family=2, proto=0, flags=0)
        return [found]

    async def close(self) -> None:
        """Nothing is held."""


def main() -> None:
    """NAME PORT PAGES: run that crawl on the crawlers' core and print what it did as JSON."""
    name, port, pages = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
    os.sched_setaffinity(0, {CRAWLER_CORE})
    crawls: dict[str, Callable[[int, int], Coroutine[None, None, tuple[int, int]]]] = {
        "hunter": salticid,
        "best_first": partial(salticid, strategy="best_first"),
        "unlogged": partial(salticid, strategy="best_first", logged=False),
        "warc": partial(salticid, warc=True),
        "bare": bare,
    }
    done = measured(lambda: asyncio.run(crawls[name](port, pages)))
    sys.stdout.write(json.dumps(asdict(done)))


if __name__ == "__main__":
    main()
