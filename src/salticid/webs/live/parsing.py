"""Pages of the live web are parsed in processes of their own: a hostile one costs its worker, no more.

A worker is a plain Python process that talks over its standard input, a socket: a page goes in, what the
parser made of it comes back, each as one msgpack message behind its length. It has tables of its own and
sends along the texts that are new in them, a line each; here an array leads from its ids to ours.

Nothing outlives the crawl: an idle worker ends when its socket does, a busy one is stopped by the kernel once
it has had its share of processor time, whether or not anyone is left to wait for its answer.
"""

from __future__ import annotations

import asyncio
import os
import resource
import shlex
import signal
import socket
import struct
import subprocess
import sys
from collections import deque
from contextlib import suppress
from pathlib import Path
from typing import Self

import msgspec
import numpy as np
from selectolax.lexbor import SelectolaxError

from salticid.errors import SalticidError
from salticid.model import NO_URL, Ints, Links, Page
from salticid.parse import Parser
from salticid.tables import Texts, Urls

MAX_MEMORY = 2 << 30
"""Bytes of address space a worker may have."""
PAGE_MEMORY = 96 << 20
"""Bytes that one page may cost a worker beyond what it has; twenty times the page's own come on top."""
MAX_PAGES = 20_000
MAX_TEXTS = 1_000_000
"""A worker that has read so many pages, or whose tables hold so many texts, makes place for a fresh one."""

_PATIENCE = 4
"""The limit is of processor time; in real time a busy machine may take so many times as long."""
_START = 60.0  # seconds until it must be ready for its first page
_AT_ONCE = 10_000  # texts taken over before others on the event loop get their turn
_LENGTH = struct.Struct("<I")
_Task = tuple[bytes, str, str | None, float]
"""HTML, its URL, its charset, and the limit."""


class _Made(msgspec.Struct, array_like=True):
    """A page in the worker's ids, its arrays as bytes; and the texts that are new in the worker's tables."""

    title: str
    columns: tuple[bytes, ...]
    packed_text: bytes
    url: int
    canonical: int
    refresh: int
    noindex: bool
    nofollow: bool
    new_urls: bytes
    new_words: bytes


class ParserPool:
    """Parses pages in worker processes; ids are those of the tables handed in.

    Pages are taken up in the order they come. With one worker they get the very ids that a `Parser` would
    give. `limit` is in seconds of a worker's processor time, so that a busy machine loses no page.
    """

    def __init__(self, urls: Urls, words: Texts, workers: int = 1, limit: float = 5.0) -> None:
        self.urls = urls
        self.words = words
        self.workers = workers
        self.limit = limit
        self._idle: list[_Worker] = []
        self._waiting: deque[asyncio.Future[_Worker]] = deque()
        self._all: set[_Worker] = set()
        self._ending: set[asyncio.Task[None]] = set()

    async def __aenter__(self) -> Self:
        for _ in range(self.workers):
            self._free(self._begin())
        return self

    async def __aexit__(self, *_: object) -> None:
        for waiting in self._waiting:
            waiting.cancel()
        for worker in list(self._all):
            self._end(worker)
        await asyncio.gather(*self._ending, return_exceptions=True)

    async def parse(self, html: bytes, url: str, charset: str | None) -> Page | None:
        """The page, as `Parser.parse` makes it. None: it took longer than `limit`, or its worker died of it."""
        # A header may hold bytes that are no text; no charset has such a name.
        label = charset and charset.encode("ascii", "replace").decode()
        task = msgspec.msgpack.encode((html, url, label, self.limit))
        worker = self._idle.pop() if self._idle else await self._turn()
        if worker.gone:  # killed while it had nothing to do
            self._end(worker)
            worker = self._begin()
        try:
            made = await worker.parse(task, self.limit * _PATIENCE)
        finally:
            if worker not in self._all:  # the pool was closed
                await worker.end()
            elif worker.fit:
                self._free(worker)
            else:
                self._end(worker)
                self._free(self._begin())
        return None if made is None else worker.page(made)

    async def _turn(self) -> _Worker:
        """The next worker that nobody waits for longer."""
        waiting: asyncio.Future[_Worker] = asyncio.get_running_loop().create_future()
        self._waiting.append(waiting)
        try:
            return await waiting
        except asyncio.CancelledError:
            if not waiting.cancelled():  # cancelled only after the worker had been handed over
                self._free(waiting.result())
            raise

    def _free(self, worker: _Worker) -> None:
        while self._waiting:
            waiting = self._waiting.popleft()
            if not waiting.done():
                return waiting.set_result(worker)
        return self._idle.append(worker)

    def _begin(self) -> _Worker:
        self._all.add(worker := _Worker(self.urls, self.words))
        return worker

    def _end(self, worker: _Worker) -> None:
        self._all.remove(worker)
        ending = asyncio.create_task(worker.end())
        self._ending.add(ending)
        ending.add_done_callback(self._ending.discard)


class _Worker(asyncio.Protocol):
    """A worker process, seen from here. It is `fit` until it dies, is too slow, or has grown too big.

    Once it is `gone` nothing more will be heard of it.
    """

    def __init__(self, urls: Urls, words: Texts) -> None:
        self._urls = _Ids(urls)
        self._words = _Ids(words)
        self._process: subprocess.Popen[bytes] | None = None
        self._transport: asyncio.WriteTransport | None = None
        self._answer: asyncio.Future[bytes | None] | None = None
        self._heard = bytearray()
        self._pages = 0
        self.fit, self.gone = True, False

    async def parse(self, task: bytes, patience: float) -> _Made | None:
        """What it makes of one task, or None. Unless this ends well the worker is no longer fit."""
        self.fit = False
        transport = self._transport or await self._start()
        answer = self._expect(patience)
        transport.write(_LENGTH.pack(len(task)) + task)
        message = await answer
        if message is None:
            return None
        made = msgspec.msgpack.decode(message, type=_Made)
        await self._urls.grow(made.new_urls.split(b"\n") if made.new_urls else [])
        await self._words.grow(made.new_words.split(b"\n") if made.new_words else [])
        self._pages += 1
        self.fit = self._pages < MAX_PAGES and self._urls.size + self._words.size < MAX_TEXTS
        return made

    def data_received(self, data: bytes) -> None:
        """A piece of the message that is waited for; nothing else is ever sent."""
        self._heard += data
        if len(self._heard) < _LENGTH.size:
            return
        end = _LENGTH.size + _LENGTH.unpack_from(self._heard)[0]
        if len(self._heard) >= end and self._answer is not None and not self._answer.done():
            self._answer.set_result(bytes(self._heard[_LENGTH.size : end]))
            del self._heard[:end]

    def connection_lost(self, error: Exception | None) -> None:
        self.gone = True
        if self._answer is not None:
            _give_up(self._answer)

    def _expect(self, patience: float) -> asyncio.Future[bytes | None]:
        """The next message; None if it does not come in time, or never will."""
        loop = asyncio.get_running_loop()
        answer: asyncio.Future[bytes | None] = loop.create_future()
        late = loop.call_later(patience, _give_up, answer)
        answer.add_done_callback(lambda _: late.cancel())
        if self.gone:
            _give_up(answer)
        self._answer = answer
        return answer

    async def _start(self) -> asyncio.WriteTransport:
        ours, theirs = socket.socketpair()
        loop = asyncio.get_running_loop()
        transport, _ = await loop.create_unix_connection(lambda: self, sock=ours)
        self._transport = transport
        command = [sys.executable, "-P", "-c", f"from {__name__} import _work; _work()"]
        try:
            with theirs:
                self._process = subprocess.Popen(  # noqa: S603 - our own interpreter
                    command,
                    stdin=theirs.fileno(),
                    stdout=subprocess.DEVNULL,
                    env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path), "OPENBLAS_NUM_THREADS": "1"},
                    start_new_session=True,  # out of reach of Ctrl-C
                )
        except OSError as error:
            raise _no_start(command) from error
        if await self._expect(_START) is None:
            raise _no_start(command)
        return transport

    def page(self, made: _Made) -> Page:
        """The page of a task, in our ids."""
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

    async def end(self) -> None:
        """Kill the process and wait until nothing of it is left."""
        if self._transport:
            self._transport.abort()
        if self._process:
            self._process.kill()
            try:
                while self._process.poll() is None:
                    await asyncio.sleep(0.002)
            finally:
                self._process.wait()
        await asyncio.sleep(0)  # the event loop closes the socket in its next round


class _Ids:
    """The ids of a worker's table, as those of one of ours."""

    def __init__(self, table: Texts) -> None:
        self._table = table
        self._ours = np.empty(1024, np.int32)
        self.size = 0

    async def grow(self, texts: list[bytes]) -> None:
        """The worker's table has grown by these. A few at a time, for one page may hold a million words."""
        for begin in range(0, len(texts), _AT_ONCE):
            if begin:
                await asyncio.sleep(0)
            ids = self._table.intern_all(texts[begin : begin + _AT_ONCE])
            end = self.size + len(ids)
            if end > len(self._ours):
                self._ours = np.append(self._ours, np.empty(end, np.int32))
            self._ours[self.size : end] = ids
            self.size = end

    def many(self, ids: bytes) -> Ints:
        return self._ours.take(_ints(ids))

    def one(self, at: int) -> int:
        return NO_URL if at == NO_URL else int(self._ours[at])


def _ints(column: bytes) -> Ints:
    return np.frombuffer(column, np.int32)


def _give_up(answer: asyncio.Future[bytes | None]) -> None:
    if not answer.done():
        answer.set_result(None)


def _no_start(command: list[str]) -> SalticidError:
    return SalticidError(f"no parsing process would start; try: {shlex.join(command)}")


def _work() -> None:
    """The worker's side: an empty message when it is ready, then a page for every task until the end."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGPROF, signal.SIG_DFL)
    for kind, most in (resource.RLIMIT_AS, MAX_MEMORY), (resource.RLIMIT_CORE, 0):
        with suppress(ValueError, OSError):  # less is allowed already, or the system knows no such limit
            resource.setrlimit(kind, (most, most))
    parent = socket.socket(fileno=sys.stdin.fileno())
    # Memory may run out, and the other side may go, even in the middle of a message: no news to anybody.
    with suppress(MemoryError, SelectolaxError, OSError, struct.error, msgspec.DecodeError):
        _answer(parent)
    os._exit(0)


def _answer(parent: socket.socket) -> None:
    parser = Parser(urls := Urls(), words := Texts())
    told_urls = told_words = 0
    idle = _data_size()
    tasks = parent.makefile("rb", 1 << 20)
    parent.sendall(_LENGTH.pack(0))
    while size := tasks.read(_LENGTH.size):
        html, url, charset, limit = msgspec.msgpack.decode(tasks.read(*_LENGTH.unpack(size)), type=_Task)
        _allow(idle + 200 * (told_urls + told_words) + PAGE_MEMORY + 20 * len(html))
        signal.setitimer(signal.ITIMER_PROF, limit)
        page = parser.parse(html, url, charset)
        signal.setitimer(signal.ITIMER_PROF, 0)
        links = page.links
        columns = (page.tokens, page.area_start, page.area, links.url, links.start, links.end, links.nofollow)
        made = _Made(
            title=page.title,
            columns=tuple(column.tobytes() for column in columns),
            packed_text=page.packed_text,
            url=page.url,
            canonical=page.canonical,
            refresh=page.refresh,
            noindex=page.noindex,
            nofollow=page.nofollow,
            new_urls=b"\n".join(urls.between(told_urls, len(urls))),
            new_words=b"\n".join(words.between(told_words, len(words))),
        )
        told_urls, told_words = len(urls), len(words)
        answer = msgspec.msgpack.encode(made)
        parent.sendall(_LENGTH.pack(len(answer)) + answer)


def _data_size() -> int:
    """Bytes of this process that count against RLIMIT_DATA; 0 where nobody tells."""
    try:
        return int(Path("/proc/self/statm").read_text().split()[5]) * resource.getpagesize()
    except OSError:
        return 0


def _allow(most: int) -> None:
    """Let the worker have so much data in all, where the system can see to that."""
    with suppress(ValueError, OSError):
        resource.setrlimit(resource.RLIMIT_DATA, (most, resource.getrlimit(resource.RLIMIT_DATA)[1]))
