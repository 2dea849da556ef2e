"""A live crawl of a hundred thousand visits goes on: the log read and played again, up to the next request."""

from __future__ import annotations

import asyncio
import shutil
import subprocess
import sys
import time
from collections import Counter, deque
from contextlib import closing

import numpy as np
import zstandard

from benchmarks.material import CACHE
from benchmarks.report import figure, peak_memory, say
from salticid.crawl import Crawl
from salticid.drivers.brief import Known, settle
from salticid.drivers.relive import Past, RelivedClock, RelivedJudge, RelivedLog, relive
from salticid.judges.cosine import Cosine
from salticid.model import Area, Choice, Limits, Links, Outcome, Page, Response, Topic
from salticid.store.log import CrawlLog
from salticid.strategies.best_first import BestFirst
from salticid.tables import Texts, Urls

VISITS = 100_000
TOKENS, LINKS, NEW_LINKS, NEW_WORDS = 300, 40, 20, 5
"""Of a page: its words, its links, and how many of them nobody had seen before."""
HOSTS, IN_FLIGHT = 5000, 15
FOLDER = CACHE / f"resume-{VISITS}"


def run() -> None:
    """Make the crawl once, each part in a process of its own, so that the memory is its own."""
    if not FOLDER.exists():
        say(f"  making a crawl of {VISITS:,} visits")
        _apart("make")
    seconds, cpu, visits, memory = map(float, _apart("go_on").split())
    figure(f"until a crawl of {visits:,.0f} visits goes on", seconds, "s", target=20, at_most=True)
    figure("the same, CPU", cpu, "s")
    figure("visits played again", visits / cpu, "visits/CPU-s")
    figure("memory at the peak", memory, "MB")


def _apart(function: str) -> str:
    code = f"from benchmarks.resume import {function}; {function}()"
    return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout


class Written:
    """A web that writes its pages as they are asked for: words as frequent as words are, links old and new."""

    def __init__(self) -> None:
        self.urls, self.words = Urls(), Texts()
        self._rng = np.random.default_rng(0)
        self._text = zstandard.compress(b"Nobody reads this, for it is the same on every page. " * 40)
        for word in ("jumping", "spider"):
            self.words.intern(word)

    def fetch(self, url: int) -> Response:
        for number in range(len(self.urls), len(self.urls) + NEW_LINKS):
            self.urls.intern(f"http://h{number * 2_654_435_761 % HOSTS}.example/articles/{number}")
        for number in range(len(self.words), len(self.words) + NEW_WORDS):
            self.words.intern(f"word{number}")
        tokens = (len(self.words) * self._rng.random(TOKENS) ** 4).astype(np.int32)
        old = self._rng.integers(0, len(self.urls), LINKS - NEW_LINKS)
        new = np.arange(len(self.urls) - NEW_LINKS, len(self.urls))
        starts = np.arange(0, 4 * LINKS, 4, dtype=np.int32)
        page = Page(
            url=url,
            title=f"Page {url}",
            tokens=tokens,
            area_start=np.array([0, 6, 12], np.int32),
            area=np.array([Area.META, Area.HEADING, Area.REST], np.uint8),
            links=Links(
                np.concatenate([old, new]).astype(np.int32), starts, starts + 3, np.zeros(LINKS, np.bool_)
            ),
            packed_text=self._text,
        )
        return Response(url, url, Outcome.OK, 200, page, 0.1, 20_000)


TOPIC = Topic("resume", "jumping spider", ("http://h0.example/",), language="en")
LIMITS = Limits(max_pages=VISITS)


def make() -> None:
    """Crawl; some are always in flight, at most two on a host."""
    partial = FOLDER.with_suffix(".partial")
    shutil.rmtree(partial, ignore_errors=True)
    web = Written()
    log = CrawlLog(partial, web.urls, web.words, own_tables=True)
    with closing(log):
        log.begin({})
        log.know({})
        brief = settle(TOPIC, Known(), web, LIMITS, seed=0)
        crawl = Crawl(brief, BestFirst(), Cosine(), log, lambda: float(crawl.step), log.page)
        flying: deque[Choice] = deque()
        hosts: Counter[int] = Counter()
        while True:
            while len(flying) < IN_FLIGHT:
                chosen = crawl.wanted(1, frozenset(host for host, links in hosts.items() if links == 2))
                if not chosen:
                    break
                flying += chosen
                hosts[web.urls.host(chosen[0].link.url)] += 1
            if not flying:
                break
            choice = flying.popleft()
            hosts -= Counter([web.urls.host(choice.link.url)])
            crawl.deliver(choice, web.fetch(choice.link.url))
    partial.rename(FOLDER)


def go_on() -> None:
    """Print how long it takes by the clock and in CPU time, the visits, and the memory."""
    began, cpu = time.perf_counter(), time.process_time()
    web = Written.__new__(Written)
    web.urls, web.words = Urls(), Texts()
    log = CrawlLog(FOLDER, web.urls, web.words, own_tables=True)
    with closing(log):
        log.open()
        log.go_on()
        past = Past(log)
        brief = settle(TOPIC, Known(), web, LIMITS, seed=0)
        judge, clock = Cosine(), RelivedClock(past, time.monotonic)
        relived = RelivedJudge(past, judge)
        crawl = Crawl(brief, BestFirst(), relived, RelivedLog(past, log), clock, log.page)
        asyncio.run(relive(crawl, judge, past, lambda step: None))
        sys.stdout.write(
            f"{time.perf_counter() - began} {time.process_time() - cpu} {crawl.step} {peak_memory()}"
        )
