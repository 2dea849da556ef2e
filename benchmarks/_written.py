"""Crawls of any size over a web that writes its pages as they are asked for, and how they go on."""

from __future__ import annotations

import asyncio
import shutil
import subprocess
import sys
import time
from collections import Counter, deque
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

import msgspec
import numpy as np
import zstandard

from benchmarks.material import ROOT
from benchmarks.report import peak_memory
from salticid.crawl import Crawl
from salticid.judges import judges
from salticid.model import Area, Choice, Links, Outcome, Page, Response
from salticid.runs.brief import KnownPages, settle
from salticid.runs.past import Past, RelivedClock, RelivedJudge, RelivedLog, relive
from salticid.runs.snapshot import leave_snapshot, resume_from_snapshot
from salticid.store.log import CrawlLog
from salticid.strategies import strategies
from salticid.tables.texts import Texts, Urls
from salticid.topic import Limits, Topic

TOPIC = Topic("written", "jumping spider", ("http://h0.example/",), language="en")
IN_FLIGHT = 15


@dataclass(frozen=True, slots=True)
class Size:
    """How long a crawl is; of a page: its words, its links, and how many of them nobody had seen before."""

    visits: int
    tokens: int
    links: int
    new_links: int
    new_words: int
    hosts: int
    max_buffer: int
    strategy: str = "best_first"
    judge: str = "cosine"
    snapshot: bool = False

    @property
    def limits(self) -> Limits:
        return Limits(max_pages=self.visits, max_buffer=self.max_buffer)


@dataclass(frozen=True, slots=True)
class Made:
    """What making a crawl took, all but the writing of its pages; and what it met."""

    cpu: float
    visits: int
    urls: int
    words: int
    memory: float
    leaving: float
    """Seconds for the snapshot, if it was to leave one."""


@dataclass(frozen=True, slots=True)
class WentOn:
    """What it took until a crawl went on, by the clock and in CPU time; memory in MB."""

    seconds: float
    cpu: float
    visits: int
    filling: float
    """CPU time until the tables were filled."""
    tables: float
    """What the two tables take in memory."""
    memory: float
    played: int
    """Visits played again: those that no snapshot held."""


class Written:
    """A web that writes its pages: words as frequent as words are, links old and new, of some sixty bytes."""

    def __init__(self, size: Size) -> None:
        self.urls, self.words = Urls(), Texts()
        self._size = size
        self._rng = np.random.default_rng(0)
        self._text = zstandard.compress(b"Nobody reads this, for it is the same on every page. " * 40)
        self.words.intern_all([b"jumping", b"spider"])

    def texts(self) -> tuple[list[bytes], list[bytes]]:
        """New URLs and new words, for the next page."""
        size, first = self._size, len(self.urls)
        host, folder = first * 2_654_435_761 % size.hosts, first * 40_503 % 9973
        urls = [
            b"https://www.site-%d.example/articles/%d/on-spiders-%d.html"
            % (host if number % 8 else number % size.hosts, folder, number * 7_919)
            for number in range(first, first + size.new_links)
        ]
        known = len(self.words)
        return urls, [b"word%d" % number for number in range(known, known + size.new_words)]

    def page(self, url: int, new: list[int]) -> Response:
        """The answer of a URL: a page that leads to these and to others."""
        size = self._size
        tokens = (len(self.words) * self._rng.random(size.tokens) ** 4).astype(np.int32)
        old = self._rng.integers(0, len(self.urls), size.links - len(new))
        starts = np.arange(0, 4 * size.links, 4, dtype=np.int32) % size.tokens
        page = Page(
            url=url,
            title=f"Page {url}",
            tokens=tokens,
            area_start=np.array([0, 6, 12], np.int32),
            area=np.array([Area.META, Area.HEADING, Area.REST], np.uint8),
            links=Links(np.append(old, new).astype(np.int32), starts, starts + 3, np.zeros(size.links, np.bool_)),
            packed_text=self._text,
        )
        return Response(url, url, Outcome.OK, 200, page, 0.1, 20_000)


def make(folder: Path, size: Size) -> Made:
    """Crawl; some are always in flight, at most two on a host."""
    partial = folder.with_suffix(".partial")
    shutil.rmtree(partial, ignore_errors=True)
    web = Written(size)
    log = CrawlLog(partial, web.urls, web.words, own_tables=True)
    writing = 0.0
    with closing(log):
        log.begin({})
        log.add_known_pages({})
        brief = settle(TOPIC, KnownPages(), web, size.limits, seed=0)
        judge = judges.make(size.judge)
        crawl = Crawl(brief, strategies.make(size.strategy), judge, log, lambda: float(crawl.step), log.page)
        flying: deque[Choice] = deque()
        hosts: Counter[int] = Counter()
        began = time.process_time()
        while True:
            while len(flying) < IN_FLIGHT:
                chosen = crawl.choices(1, frozenset(host for host, links in hosts.items() if links == 2))
                if not chosen:
                    break
                flying += chosen
                hosts[web.urls.host(chosen[0].link.url)] += 1
            if not flying:
                break
            choice = flying.popleft()
            hosts -= Counter([web.urls.host(choice.link.url)])
            before = time.process_time()
            urls, words = web.texts()
            writing += time.process_time() - before
            new = web.urls.intern_all(urls)
            web.words.intern_all(words)
            before = time.process_time()
            response = web.page(choice.link.url, new)
            writing += time.process_time() - before
            crawl.deliver(choice, response)
        cpu, memory = time.process_time() - began - writing, peak_memory()
        log.retry()
        before = time.perf_counter()
        if size.snapshot and not leave_snapshot(crawl, judge, log):
            raise RuntimeError(f"{size.strategy} and {size.judge} cannot be kept")
        leaving = time.perf_counter() - before
    partial.rename(folder)
    return Made(cpu, crawl.step, len(web.urls), len(web.words), memory, leaving)


def go_on(folder: Path, size: Size) -> WentOn:
    """Go on with the crawl, up to the next request."""
    before, began, cpu = peak_memory(), time.perf_counter(), time.process_time()
    web = Written(size)
    web.urls, web.words = Urls(), Texts()
    log = CrawlLog(folder, web.urls, web.words, own_tables=True)
    with closing(log):
        log.open()
        log.go_on()
        filling, tables = time.process_time() - cpu, peak_memory() - before
        past = Past(log)
        brief = settle(TOPIC, KnownPages(), web, size.limits, seed=0)
        strategy, judge = strategies.make(size.strategy), judges.make(size.judge)
        relived, clock = RelivedJudge(past, judge), RelivedClock(past, time.monotonic)
        crawl = Crawl(brief, strategy, relived, RelivedLog(past, log), clock, log.page)
        in_flight: list[Choice] = []
        if (resumed := resume_from_snapshot(crawl, judge, log)) is not None:
            in_flight = resumed.in_flight
            past.begin_after(resumed.mark)
        before = crawl.step
        asyncio.run(relive(crawl, judge, past, lambda step: None, in_flight))
        return WentOn(
            seconds=time.perf_counter() - began,
            cpu=time.process_time() - cpu,
            visits=crawl.step,
            filling=filling,
            tables=tables,
            memory=peak_memory(),
            played=crawl.step - before,
        )


def made_apart(folder: Path, size: Size) -> Made:
    """The same in a process of its own, so that the memory is its own."""
    return msgspec.json.decode(_apart("make", folder, size), type=Made)


def went_on_apart(folder: Path, size: Size) -> WentOn:
    """Likewise."""
    return msgspec.json.decode(_apart("go_on", folder, size), type=WentOn)


def _apart(function: str, folder: Path, size: Size) -> bytes:
    command = [sys.executable, "-m", __name__, function, str(folder), msgspec.json.encode(size).decode()]
    return subprocess.run(command, cwd=ROOT, stdout=subprocess.PIPE, check=True).stdout


if __name__ == "__main__":
    doing, where = {"make": make, "go_on": go_on}[sys.argv[1]], Path(sys.argv[2])
    sys.stdout.write(msgspec.json.encode(doing(where, msgspec.json.decode(sys.argv[3], type=Size))).decode())
