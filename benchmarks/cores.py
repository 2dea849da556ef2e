"""A second core: prerecorded answers handed to a crawl with its log, parsed in this process or by a worker."""

from __future__ import annotations

import asyncio
import resource
import tempfile
import time
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

from benchmarks._crawlers import topic
from benchmarks._server import HOSTS
from benchmarks._server import pages as collection
from benchmarks.report import figure
from salticid.crawl import Crawl
from salticid.judges import judges
from salticid.model import Choice, Outcome, Page, Response
from salticid.parse.html import Parser
from salticid.runs.brief import KnownPages, settle
from salticid.store.log import CrawlLog
from salticid.strategies import strategies
from salticid.tables.texts import Texts, Urls
from salticid.topic import Limits
from salticid.webs.live.parser_pool import ParserPool

PAGES = 1500
AT_ONCE = 16
_PORT = 8000


@dataclass(frozen=True, slots=True)
class Took:
    """Seconds: by the clock, of this process, and of the worker without its start."""

    wall: float
    here: float
    there: float = 0.0

    @property
    def busiest(self) -> float:
        """What it would take if nobody waited, on a machine with a core for each."""
        return max(self.here, self.there)


def run() -> None:
    """A worker's start is left out: it reads one page before the clock runs."""
    html = collection()[:PAGES]
    alone, helped = asyncio.run(_crawl(html, workers=0)), asyncio.run(_crawl(html, workers=1))
    figure("one process", PAGES / alone.wall, "pages/s")
    figure("a process and its worker", PAGES / helped.wall, "pages/s")
    figure("  CPU of the process", 1e6 * helped.here / PAGES, "us/page")
    figure("  CPU of the worker", 1e6 * helped.there / PAGES, "us/page")
    figure("a worker makes it quicker", alone.wall / helped.wall, "x", target=1.5)
    figure("would, with two cores to themselves", alone.here / helped.busiest, "x", target=1.5)


class _Recorded:
    """The tables of a crawl, and its way to the parser."""

    def __init__(self) -> None:
        self.urls, self.words = Urls(), Texts()
        self._parser = Parser(self.urls, self.words)
        self.pool: ParserPool | None = None

    async def parse(self, html: bytes, url: str) -> Page:
        page = self._parser.parse(html, url) if self.pool is None else await self.pool.parse(html, url, None)
        assert page is not None
        return page


async def _crawl(html: list[bytes], workers: int) -> Took:
    web = _Recorded()
    if not workers:
        return await _deliver(web, html)
    before = _children()
    async with ParserPool(web.urls, web.words, workers) as web.pool:
        await web.pool.parse(b"", "http://h0.example/", None)
        took = await _deliver(web, html)
    there = _children() - before
    before = _children()
    async with ParserPool(Urls(), Texts(), workers) as idle:
        await idle.parse(b"", "http://h0.example/", None)
    return Took(took.wall, took.here, there - (_children() - before))


async def _deliver(web: _Recorded, html: list[bytes]) -> Took:
    """A crawl to which page after page is delivered as it comes from the parser."""
    brief = settle(topic(_PORT), KnownPages(), web, Limits(max_pages=len(html)), 0)
    todo = iter(html)
    with tempfile.TemporaryDirectory() as folder:
        with closing(CrawlLog(Path(folder), web.urls, web.words, own_tables=True)) as log:
            log.begin({})
            crawl = Crawl(brief, strategies.make("best_first"), judges.make("cosine"), log, time.monotonic, log.page)
            wall, here = time.perf_counter(), time.process_time()
            await asyncio.gather(*(_fetch(web, crawl, todo) for _ in range(AT_ONCE)))
        return Took(time.perf_counter() - wall, time.process_time() - here)


async def _fetch(web: _Recorded, crawl: Crawl, todo: Iterator[bytes]) -> None:
    for html in todo:
        (choice,) = crawl.choices(1)
        crawl.deliver(choice, await _answer(web, choice, html))


async def _answer(web: _Recorded, choice: Choice, html: bytes) -> Response:
    url = choice.link.url
    address = f"http://h{url % HOSTS}.example:{_PORT}/wp/s/{url}.htm"
    return Response(url, url, Outcome.OK, 200, await web.parse(html, address), 0.0, len(html))


def _children() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime
