"""What each stage of a live crawl costs by itself, over the pages of `_server`; meant for a process of its own."""

from __future__ import annotations

import asyncio
import json
import os
import sys
import tempfile
import time
from collections import deque
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any, TypeVar

from selectolax.lexbor import LexborHTMLParser

from benchmarks._crawlers import CONCURRENCY, cpu, settings, topic
from benchmarks._server import CRAWLER_CORE, HOSTS
from benchmarks.timed import Timed
from salticid.crawl import Crawl
from salticid.judges import judges
from salticid.model import Outcome, Page, Response
from salticid.parse.answer import content
from salticid.parse.html import Parser
from salticid.parse.precheck import prescan
from salticid.runs.brief import KnownPages, settle
from salticid.runs.live_settings import LiveSettings
from salticid.store.log import CrawlLog
from salticid.strategies import strategies
from salticid.tables.texts import Texts, Urls
from salticid.topic import Limits
from salticid.webs.live.client import Client, ClientSettings, Exchange
from salticid.webs.live.guard import AddressGuard, GuardedSockets, Resolver, resolve_rule
from salticid.webs.live.names import Names
from salticid.webs.live.parser_pool import ParserPool

STAGES = {
    "fetch": "asked for and read by the client",
    "decode": "codings undone, a look for hostile pages",
    "parse": "the tree of the document",
    "analyse": "tokens, links, areas, text",
    "hand over": "to the parser's process and back",
    "score": "the judge, all it says again when it has learned included",
    "choose": "the strategy chooses, observes and thinks again",
    "store": "into the log, committed",
}
"""Parse and analyse are what the parser needs in this process; handing over is what another adds to that."""

T = TypeVar("T")


class Stages:
    """Measures one stage after the other, each on what the one before it made of the same pages."""

    def __init__(self, port: int, pages: int) -> None:
        self._port = port
        self._addresses = [f"http://h{at % HOSTS}.example:{port}/wp/s/{at}.htm" for at in range(pages)]
        self._costs: dict[str, float] = {}
        self.urls, self.words = Urls(), Texts()

    def measure(self) -> dict[str, float]:
        """Microseconds of processor time a page, by stage."""
        answers = asyncio.run(self._fetch())
        html = self._time("decode", lambda: [self._decode(answer) for answer in answers])
        self._time("parse", lambda: sum(LexborHTMLParser(page) is None for page in html))
        parser = Parser(self.urls, self.words)
        pages = self._time("analyse", lambda: list(map(parser.parse, html, self._addresses)))
        asyncio.run(self._hand_over(html))
        self._costs["hand over"] -= self._costs["analyse"]
        self._costs["analyse"] -= self._costs["parse"]
        self._crawl(pages)
        return {stage: 1e6 * self._costs[stage] / len(html) for stage in STAGES}

    def _time(self, stage: str, work: Callable[[], T]) -> T:
        begin = time.process_time()
        result = work()
        self._costs[stage] = time.process_time() - begin
        return result

    async def _fetch(self) -> list[Exchange]:
        asked: LiveSettings = settings(self._port)
        guard = AddressGuard(asked.allow_net)
        names = Names(Resolver([resolve_rule(rule) for rule in asked.resolve]), guard, time.monotonic)
        answers: list[Exchange] = []
        todo = iter(self._addresses)

        async def ask(client: Client) -> None:
            for address in todo:
                answer = await client.get(address)
                assert isinstance(answer, Exchange)
                answers.append(answer)

        begin = time.process_time()
        async with Client(
            ClientSettings("benchmark", timeout=10.0, max_bytes=1 << 20, connections=CONCURRENCY),
            names,
            GuardedSockets(guard),
        ) as client:
            await asyncio.gather(*(ask(client) for _ in range(CONCURRENCY)))
        self._costs["fetch"] = time.process_time() - begin
        return answers

    def _decode(self, answer: Exchange) -> bytes:
        html = content(answer.fields, answer.body, 1 << 20).html
        assert html is not None
        assert prescan(html) is None
        return html

    async def _hand_over(self, html: list[bytes]) -> None:
        """The parser in a process of its own; what a process costs that reads one page only is left out."""
        costs = []
        for number in (1, len(html)):
            begin = cpu()
            todo = zip(html[:number], self._addresses[:number], strict=True)
            async with ParserPool(Urls(), Texts()) as pool:
                await asyncio.gather(*(_parse_all(pool, todo) for _ in range(CONCURRENCY)))
            costs.append(cpu() - begin)
        self._costs["hand over"] = costs[1] - costs[0]

    def _crawl(self, pages: list[Page]) -> None:
        """A crawl to which page after page is delivered; hosts are busy as they are in a live one."""
        spent: dict[str, float] = dict.fromkeys(("score", "choose", "store"), 0.0)
        strategy: Any = Timed(
            strategies.make("hunter"), spent, {"choose": "choose", "observe": "choose", "revise": "choose"}
        )
        judge: Any = Timed(judges.make("profile"), spent, {"score": "score", "watch": "score"})
        brief = settle(topic(self._port), KnownPages(), self, Limits(max_pages=len(pages)), 0)
        with tempfile.TemporaryDirectory() as folder:
            log = CrawlLog(Path(folder), self.urls, self.words)
            log.begin({})
            timed: Any = Timed(log, spent, {"add_choices": "store", "add_visit": "store"})
            crawl = Crawl(brief, strategy, judge, timed, time.monotonic, log.page)
            busy: deque[int] = deque(maxlen=CONCURRENCY - 1)
            for page in pages:
                (choice,) = crawl.choices(1, frozenset(busy)) or crawl.choices(1)
                busy.append(self.urls.host(choice.link.url))
                url = choice.link.url
                crawl.deliver(choice, Response(url, url, Outcome.OK, 200, replace(page, url=url)))
            begin = time.process_time()
            log.close()
            spent["store"] += time.process_time() - begin
        self._costs.update(spent)


async def _parse_all(pool: ParserPool, todo: Any) -> None:
    for html, address in todo:
        await pool.parse(html, address, None)


def main() -> None:
    """PORT PAGES: measure on the crawlers' core and print the costs as JSON."""
    os.sched_setaffinity(0, {CRAWLER_CORE})
    sys.stdout.write(json.dumps(Stages(int(sys.argv[1]), int(sys.argv[2])).measure()))


if __name__ == "__main__":
    main()
