"""Pages of the live web are parsed in processes of their own: a hostile one costs its process, no more.

A worker is a plain Python process (`parser_process`) that talks over its standard input, a socket: a page goes in,
what the parser made of it comes back. It has tables of its own and sends along the texts that are new in them; here
an array leads from its ids to ours.

Nothing outlives the crawl: an idle worker ends when its socket does, a busy one is stopped by the kernel once
it has had its share of processor time, whether or not anyone is left to wait for its answer.
"""

from __future__ import annotations

import asyncio
import os
import shlex
import signal
import socket
import subprocess
import sys
from collections import deque
from contextlib import suppress
from dataclasses import dataclass
from heapq import heappop, heappush
from itertools import count
from typing import Self

import msgspec
import numpy as np

from salticid.errors import SalticidError
from salticid.model import NO_URL, Ints, Links, Page
from salticid.parse.robots_tags import AGENT
from salticid.tables import Texts, Urls
from salticid.webs.live import parser_process
from salticid.webs.live.parser_process import LENGTH, MAX_PAGES, MAX_TEXTS, Made, Task

OVERTAKEN = 4096
"""A page that waits may be overtaken by one page for so many bytes that it is longer."""
AHEAD, SMALL, SOON = 2, 64 << 10, 0.1
"""So many pages, of so many bytes at the most, may be sent to a worker which is still at another, so that it works on
while we are busy; unless it has been at that for so many seconds."""

_PATIENCE = 4
"""The limit is of processor time; in real time a busy machine may take so many times as long."""
_START = 60.0  # seconds until it must be ready for its first page
_END = 0.2  # seconds that it may take to notice that nobody is there any more


@dataclass(slots=True, eq=False)
class _Job:
    """A page to be parsed, and who waits for it."""

    number: int
    html: bytes
    url: str
    charset: str | None
    page: asyncio.Future[Page | None]
    again: bool = False
    """Whether a worker died that had it, perhaps not of it."""


class ParserPool:
    """Parses pages in worker processes; ids are those of the tables handed in.

    Short pages come before long ones, but none waits for ever (`OVERTAKEN`). With one worker, pages parsed one
    after the other get the very ids that a `Parser` would give. `limit` is in seconds of a worker's processor
    time, so that a busy machine loses no page. `agent` is our name in robots tags.
    """

    def __init__(
        self, urls: Urls, words: Texts, workers: int = 1, limit: float = 5.0, agent: str = AGENT
    ) -> None:
        self.urls = urls
        self.words = words
        self.workers = workers
        self.limit = limit
        self.agent = agent
        self._waiting: list[tuple[float, int, _Job]] = []
        self._numbers = count()
        self._all: list[_Worker] = []
        self._ending: set[asyncio.Task[None]] = set()

    async def __aenter__(self) -> Self:
        self._all = [_Worker(self) for _ in range(self.workers)]
        return self

    async def __aexit__(self, *_: object) -> None:
        workers, self._all = self._all, []
        unread = [job for *_, job in self._waiting] + [job for worker in workers for job in worker.jobs]
        for job in unread:
            job.page.cancel()
        for worker in workers:
            self._end(worker)
        await asyncio.gather(*self._ending, return_exceptions=True)

    async def parse(self, html: bytes, url: str, charset: str | None) -> Page | None:
        """The page, as `Parser.parse` makes it. None: it took longer than `limit`, or its worker died of it."""
        # A header may hold bytes that are no text; no charset has such a name.
        label = charset and charset.encode("ascii", "replace").decode()
        page: asyncio.Future[Page | None] = asyncio.get_running_loop().create_future()
        job = _Job(next(self._numbers), html, url, label, page)
        self._wait(job)
        self.hand_out()
        return await page

    def hand_out(self) -> None:
        """Give the pages that wait to workers with nothing to do; small ones are sent ahead to one that is busy."""
        while self._waiting and self._all:
            job = self._waiting[0][2]
            worker = min(self._all, key=lambda worker: len(worker.jobs))
            if not job.page.done():
                if not worker.has_room(job):
                    break
                worker.take(job)
            heappop(self._waiting)

    def replace(self, worker: _Worker, unread: list[_Job]) -> None:
        """A worker is gone; pages that were sent to it and not read yet go to others."""
        if worker in self._all:
            self._all[self._all.index(worker)] = _Worker(self)
            self._end(worker)
            for job in unread:
                self._wait(job)
            self.hand_out()

    def _wait(self, job: _Job) -> None:
        heappush(self._waiting, (job.number + len(job.html) / OVERTAKEN, job.number, job))

    def _end(self, worker: _Worker) -> None:
        ending = asyncio.create_task(worker.end())
        self._ending.add(ending)
        ending.add_done_callback(self._ending.discard)


class _Worker(asyncio.Protocol):
    """A worker process, seen from here: the pages sent to it, the one it is at first."""

    def __init__(self, pool: ParserPool) -> None:
        self.jobs: deque[_Job] = deque()
        self._pool = pool
        self._urls = _Ids(pool.urls)
        self._words = _Ids(pool.words)
        self._process: subprocess.Popen[bytes] | None = None
        self._transport: asyncio.WriteTransport | None = None
        self._starting: asyncio.Task[None] | None = None
        self._late: asyncio.TimerHandle | None = None
        self._way: asyncio.WriteTransport | None = None
        """The transport, once it is ready."""
        self._heard = bytearray()
        self._killed = False
        self._began = 0.0
        """When it began with the page that it is at."""

    def has_room(self, job: _Job) -> bool:
        """Whether it may be sent this page now."""
        if not self.jobs:
            return True
        soon = asyncio.get_running_loop().time() < self._began + SOON
        return len(job.html) <= SMALL and len(self.jobs) <= AHEAD and soon

    def take(self, job: _Job) -> None:
        """Parse this after the others."""
        self.jobs.append(job)
        if self._starting is None:
            self._starting = asyncio.create_task(self._start())
        elif self._way is not None:
            self._send(job, self._way)

    def data_received(self, data: bytes) -> None:
        self._heard += data
        while len(self._heard) >= LENGTH.size:
            end = LENGTH.size + LENGTH.unpack_from(self._heard)[0]
            if len(self._heard) < end:
                break
            message = bytes(self._heard[LENGTH.size : end])
            del self._heard[:end]
            self._hear(message)
        self._pool.hand_out()

    def connection_lost(self, error: Exception | None) -> None:
        """It died as a whole: the page it was at is lost, or else it never was ready.

        If nobody knows whether it died of that page, another worker tries it, once.
        """
        self._watch(None)
        if self._way is None:
            return self._fail()
        if self.jobs and (self._killed or self._heard or self.jobs[0].again):
            _settle(self.jobs.popleft(), None)
        elif self.jobs:
            self.jobs[0].again = True
        return self._pool.replace(self, list(self.jobs))

    def _hear(self, message: bytes) -> None:
        if self._way is None and self._transport is not None:
            self._way = self._transport
            for job in self.jobs:
                self._send(job, self._way)
            return
        made = msgspec.msgpack.decode(message, type=Made) if message else None
        if made is not None and not (self.jobs and self.jobs[0].number == made.number):
            self._kill()  # nobody knows what it speaks of
        elif self.jobs:
            _settle(self.jobs.popleft(), None if made is None else self._page(made))
            self._watch(self._patience if self.jobs else None)

    def _send(self, job: _Job, way: asyncio.WriteTransport) -> None:
        task = msgspec.msgpack.encode(Task(job.number, job.url, job.charset, self._pool.limit, len(job.html)))
        way.write(b"".join((LENGTH.pack(len(task)), task, job.html)))  # at once: every write wakes it
        if job is self.jobs[0]:
            self._watch(self._patience)

    @property
    def _patience(self) -> float:
        return self._pool.limit * _PATIENCE

    def _watch(self, patience: float | None) -> None:
        """Let it have so many seconds from now on, for the page it begins with."""
        self._began = asyncio.get_running_loop().time()
        if self._late is not None:
            self._late.cancel()
        self._late = None if patience is None else asyncio.get_running_loop().call_later(patience, self._kill)

    async def _start(self) -> None:
        ours, theirs = socket.socketpair()
        with theirs:
            self._transport, _ = await asyncio.get_running_loop().create_unix_connection(
                lambda: self, sock=ours
            )
            try:
                self._process = subprocess.Popen(  # noqa: S603 - our own interpreter
                    self._command(),
                    stdin=theirs.fileno(),
                    stdout=subprocess.DEVNULL,
                    env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path), "OPENBLAS_NUM_THREADS": "1"},
                    start_new_session=True,  # out of reach of Ctrl-C
                )
            except OSError:
                return self._fail()
        return self._watch(_START)

    def _command(self) -> list[str]:
        order = f"from {parser_process.__name__} import work; work({MAX_PAGES}, {MAX_TEXTS}, {self._pool.agent!r})"
        return [sys.executable, "-P", "-c", order]

    def _fail(self) -> None:
        for job in self.jobs:
            if not job.page.done():
                command = shlex.join(self._command())
                job.page.set_exception(SalticidError(f"no parsing process would start; try: {command}"))
        self._pool.replace(self, [])

    def _page(self, made: Made) -> Page:
        """The page of a task, in our ids."""
        self._urls.grow(made.urls, made.new_urls)
        self._words.grow(made.words, made.new_words)
        tokens, area_start, area, url, start, end, nofollow = made.columns
        return Page(
            url=self._urls.one(made.url),
            title=made.title,
            tokens=self._words.many(tokens),
            area_start=_ints(area_start),
            area=np.frombuffer(area, np.uint8),
            links=Links(self._urls.many(url), _ints(start), _ints(end), np.frombuffer(nofollow, np.bool_)),
            packed_text=made.packed_text,
            canonical=self._urls.one(made.canonical),
            refresh=self._urls.one(made.refresh),
            noindex=made.noindex,
            nofollow=made.nofollow,
        )

    def _kill(self) -> None:
        """End the process and its child; the socket ends with them."""
        self._killed = True
        if self._process is not None:
            with suppress(ProcessLookupError):
                os.killpg(self._process.pid, signal.SIGKILL)

    async def end(self) -> None:
        """Wait until nothing of the process is left; one that is busy is killed."""
        self._watch(None)
        if self._starting is not None:
            await self._starting
        if self._transport:
            self._transport.abort()
        if self._process:
            kill = asyncio.get_running_loop().call_later(_END, self._kill)
            try:
                while self._process.poll() is None:
                    await asyncio.sleep(0.002)
            finally:
                self._kill()
                self._process.wait()
                kill.cancel()
        await asyncio.sleep(0)  # the event loop closes the socket in its next round


class _Ids:
    """The ids of a worker's table, as those of one of ours."""

    def __init__(self, table: Texts) -> None:
        self._table = table
        self._ours = np.empty(1024, np.int32)

    def grow(self, size: int, texts: bytes) -> None:
        """The worker's table, which held so many texts, has grown by these, a line each."""
        if texts:
            ids = self._table.intern_all(texts.split(b"\n"))
            end = size + len(ids)
            if end > len(self._ours):
                self._ours = np.append(self._ours, np.empty(end, np.int32))
            self._ours[size:end] = ids

    def many(self, ids: bytes) -> Ints:
        return self._ours.take(_ints(ids))

    def one(self, at: int) -> int:
        return NO_URL if at == NO_URL else int(self._ours[at])


def _ints(column: bytes) -> Ints:
    return np.frombuffer(column, np.int32)


def _settle(job: _Job, page: Page | None) -> None:
    """Hand over a page, if anybody still waits for it."""
    if not job.page.done():
        job.page.set_result(page)
