"""The real program, let loose on hosts of the worst kind, with an honest one among them; and what it cost."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
import time
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import AsyncIterator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from itertools import count, pairwise
from pathlib import Path

from benchmarks._processes import family, resident, waited_seconds
from tests.support.dns_server import Refusal, name_server
from tests.support.hostile import Answer, Asked, Server, page, serving
from tests.support.worst_web.row import NEVER, Port, Row

from salticid.store.crawl_folder import CrawlFolder
from salticid.store.stored_visit import StoredVisit

HONEST = "honest.example"
BEFORE = 5
"""Pages of the honest host, until everything runs; the next one leads to all others."""
AFTER = 30
"""Pages of the honest host after that, at least."""
TIMEOUT = 1.0
INTERRUPTED = 130
LONGEST = 600
"""Seconds after which a crawl is over whoever has not come, on a machine however busy."""


@dataclass(frozen=True)
class Survived:
    """A crawl that has ended: its visits, what its server saw, its processes, and what it said.

    `idle` are the bytes of memory before the worst hosts were met.
    """

    visits: list[StoredVisit]
    server: Server
    tree: Tree
    idle: int
    status: int
    err: str

    def of(self, row: Row) -> StoredVisit | None:
        """The visit to the page of a row."""
        return next((visit for visit in self.visits if visit.url == row.url), None)

    @property
    def asked(self) -> Counter[str]:
        """How often each page was asked for, by host and path."""
        return Counter(self.server.pages)

    @property
    def gaps(self) -> list[float]:
        """Seconds between two pages that the honest host is asked for, once the others are at work.

        Each page leads to the next, so that it is asked for when the one before was read. What somebody else's
        programs took does not count: the seconds in which one of ours could have run and had no processor.
        """
        first: dict[str, float] = {}
        for asked in self.server.requests:
            if asked.host == HONEST and asked.path != "/robots.txt":
                first.setdefault(asked.path, asked.at)
        return [
            max(0.0, after - before - self.tree.waited(before, after))
            for before, after in pairwise(list(first.values())[BEFORE:])
        ]


class Tree:
    """A process and all its descendants: their memory, and how long they, and we who serve them, had no processor."""

    def __init__(self, pid: int) -> None:
        self._pid = pid
        self.peak = 0
        self._waited: dict[int, float] = {}
        self._times: list[float] = []
        self._waited_by: list[float] = []

    def look(self) -> int:
        """Bytes that are resident now."""
        pids = family(self._pid)
        now = sum(map(resident, pids))
        self.peak = max(self.peak, now)
        for pid in (*pids, os.getpid()):
            self._waited[pid] = max(self._waited.get(pid, 0.0), waited_seconds(pid))
        self._times.append(time.monotonic())
        self._waited_by.append(sum(self._waited.values()))
        return now

    def waited(self, since: float, until: float) -> float:
        """Seconds that all of them together had no processor, from the last look before to the first one after."""
        before = max(0, bisect_right(self._times, since) - 1)
        after = min(len(self._times) - 1, bisect_left(self._times, until))
        return self._waited_by[after] - self._waited_by[before]


def survive(rows: Sequence[Row], folder: Path, *options: str) -> Survived:
    """Crawl all rows until every page that is to come has come."""
    return asyncio.run(_survive(rows, folder, options))


async def _survive(rows: Sequence[Row], folder: Path, options: Sequence[str]) -> Survived:
    answers: dict[str, Answer] = {f"{row.host}{path}": answer for row in rows for path, answer in row.answers.items()}
    hosts = [row.url for row in rows]
    started = asyncio.Event()

    def answer(asked: Asked) -> Answer:
        if asked.host == HONEST:
            return _honest(asked.path, hosts, started)
        return answers.get(asked.host + asked.path) or page(b"gone", status=404)

    topic = folder / "topic.toml"
    topic.write_text(f'name = "worst"\nkeywords = "spiders"\nseeds = ["http://{HONEST}/0"]\nlanguage = "en"\n')
    async with serving(answer) as server, AsyncExitStack() as stack:
        where = ["--allow-net", "127.0.0.0/8"]
        if any(row.bare_host for row in rows):
            names = stack.enter_context(name_server(lambda name: Refusal.FAILURE))
            where += ["--dns", f"127.0.0.1:{names.port}"]
            placed = [HONEST, *(row.host for row in rows if not row.bare_host)]
        else:
            placed = ["*"]
        where += [word for host in placed for word in ("--resolve", f"{host}=127.0.0.1:{server.port}")]
        for row in rows:
            if row.port is not None:
                number = await stack.enter_async_context(_listening(row.port))
                where += ["--resolve", f"{row.host}=127.0.0.1:{number}"]
        pace = ["--delay", "0.1", "--timeout", str(TIMEOUT), "--concurrency", "200", "--per-address", "300"]
        ends = ["--max-time", f"{LONGEST}s", "--max-pages", "100000", "--user-agent", "Test (+nobody)"]
        command = [
            sys.executable,
            "-m",
            "salticid",
            "crawl",
            str(topic),
            "--out",
            str(folder / "out"),
            "--json",
        ]
        process = await asyncio.create_subprocess_exec(
            *command, *where, *pace, *ends, *options, stdout=subprocess.PIPE, stderr=subprocess.PIPE
        )
        tree, idle, all_came = Tree(process.pid), 0, False
        expected = {row.url for row in rows if NEVER not in row.outcomes}
        expected.add(f"http://{HONEST}/{BEFORE + AFTER}")
        said = asyncio.create_task(process.communicate())
        for look in count():
            if said.done():
                break
            now = tree.look()
            if not started.is_set():
                idle = now
            elif look % 25 == 0 and not all_came and expected <= {visit.url for visit in _visits(folder)}:
                all_came = True
                process.send_signal(signal.SIGINT)
            await asyncio.sleep(0.02)
        _, err = await said
    visits = _visits(folder)
    return Survived(visits, server, tree, idle, process.returncode or 0, err.decode())


@asynccontextmanager
async def _listening(port: Port) -> AsyncIterator[int]:
    """The number of a port where this is said, or which is free."""

    async def greet(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(port.greeting or b"")
        writer.close()

    listening = await asyncio.start_server(greet, "127.0.0.1", 0)
    number: int = listening.sockets[0].getsockname()[1]
    if port.greeting is None:
        listening.close()
    async with listening:
        yield number


def _visits(folder: Path) -> list[StoredVisit]:
    crawled = CrawlFolder(folder / "out")
    try:
        return list(crawled.visits())
    finally:
        crawled.close()


def _honest(path: str, others: Sequence[str], started: asyncio.Event) -> Answer:
    """A page that links to the next one; one of them to all the others too."""
    if path == "/robots.txt":
        return page(b"", status=404)
    at = int(path.strip("/"))
    links = [f"/{at + 1}"]
    if at == BEFORE:
        started.set()
        links += others
    anchors = "".join(f'<a href="{link}">spiders</a> ' for link in links)
    return page(f"<title>Spiders {at}</title><p>spiders number {at} {anchors}".encode())
