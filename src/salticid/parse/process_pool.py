"""Pages are read in processes of their own: a hostile one costs its process, no more.

A worker is a plain Python process (`page_process`) that talks over its standard input, a socket: a message goes in,
an answer comes back.

Nothing outlives the pool: an idle worker ends when its socket does, a busy one is stopped by the kernel once it has
had its share of processor time, whether or not anyone is left to wait for its answer.
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
from collections.abc import Callable
from concurrent.futures import Future
from contextlib import suppress
from dataclasses import dataclass
from heapq import heappop, heappush
from itertools import count
from math import inf
from threading import Thread
from typing import Generic, Self, TypeVar

import msgspec

from salticid.errors import SalticidError
from salticid.parse.page_process import HEAD

OVERTAKEN = 4096
"""A page that waits may be overtaken by one page for so many bytes that it is longer."""
AHEAD, SMALL, SOON = 2, 64 << 10, 0.1
"""So many pages, of so many bytes at the most, may be sent to a worker which is still at another, so that it works on
while we are busy; unless it has been at that for so many seconds."""

_PATIENCE = 4
"""The limit is of processor time; in real time a busy machine may take so many times as long."""
_START = 60.0  # seconds until it must be ready for its first page
_END = 0.2  # seconds that it may take to notice that we are gone

Answer = TypeVar("Answer")


@dataclass(slots=True, eq=False)
class _Job(Generic[Answer]):
    """A message about a page, and who waits for the answer."""

    number: int
    message: bytes
    answer: asyncio.Future[Answer | None]
    again: bool = False
    """Whether a worker died that had it, perhaps not of it."""


class ProcessPool(Generic[Answer]):
    """Reads pages in worker processes, each of which runs the Python code `program`.

    For every worker `interpreter` is asked for something that understands its answers. Short pages come before long
    ones, but none waits for ever (`OVERTAKEN`). `limit` is in seconds of a worker's processor time, so that a busy
    machine loses no page. What workers say beside their answers goes where `stderr` says, as in `subprocess`.
    """

    def __init__(
        self,
        program: str,
        interpreter: Callable[[], Callable[[bytes], Answer]],
        workers: int = 1,
        limit: float = 5.0,
        stderr: int | None = None,
    ) -> None:
        self.command = [sys.executable, "-P", "-c", program, str(limit)]
        self.interpreter, self.workers, self.limit, self.stderr = interpreter, workers, limit, stderr
        self._waiting: list[tuple[float, int, _Job[Answer]]] = []
        self._numbers = count()
        self._all: list[_Worker[Answer]] = []
        self._ending: set[asyncio.Task[None]] = set()
        self.restarts = 0
        """How often a page, or something else, has cost a process its life."""

    async def __aenter__(self) -> Self:
        self._all = [_Worker(self) for _ in range(self.workers)]
        return self

    async def __aexit__(self, *_: object) -> None:
        workers, self._all = self._all, []
        unread = [job for *_, job in self._waiting] + [job for worker in workers for job in worker.jobs]
        for job in unread:
            job.answer.cancel()
        for worker in workers:
            self._end(worker)
        await asyncio.gather(*self._ending, return_exceptions=True)

    async def ask(self, message: bytes) -> Answer | None:
        """The answer to a message. None: it took longer than `limit`, or its worker died of it."""
        answer: asyncio.Future[Answer | None] = asyncio.get_running_loop().create_future()
        self._wait(_Job(next(self._numbers), message, answer))
        self.hand_out()
        return await answer

    def hand_out(self) -> None:
        """Give the pages that wait to workers with nothing to do; small ones are sent ahead to one that is busy."""
        while self._waiting and self._all:
            job = self._waiting[0][2]
            worker = min(self._all, key=lambda worker: len(worker.jobs))
            if not job.answer.done():
                if not worker.has_room(job):
                    break
                worker.take(job)
            heappop(self._waiting)

    def replace(self, worker: _Worker[Answer], unread: list[_Job[Answer]]) -> None:
        """A worker is gone; pages that were sent to it and not read yet go to others."""
        if worker in self._all:
            self.restarts += 1
            self._all[self._all.index(worker)] = _Worker(self)
            self._end(worker)
            for job in unread:
                self._wait(job)
            self.hand_out()

    def _wait(self, job: _Job[Answer]) -> None:
        heappush(self._waiting, (job.number + len(job.message) / OVERTAKEN, job.number, job))

    def _end(self, worker: _Worker[Answer]) -> None:
        ending = asyncio.create_task(worker.end())
        self._ending.add(ending)
        ending.add_done_callback(self._ending.discard)


class _Worker(asyncio.Protocol, Generic[Answer]):
    """A worker process, seen from here: the pages sent to it, the one it is at first."""

    def __init__(self, pool: ProcessPool[Answer]) -> None:
        self.jobs: deque[_Job[Answer]] = deque()
        self._pool = pool
        self._interpret = pool.interpreter()
        self._process: subprocess.Popen[bytes] | None = None
        self._transport: asyncio.WriteTransport | None = None
        self._starting: asyncio.Task[None] | None = None
        self._late: asyncio.TimerHandle | None = None
        self._deadline = inf
        """When it is too late for the page that it is at."""
        self._way: asyncio.WriteTransport | None = None
        """The transport, once it is ready."""
        self._buffer = bytearray()
        self._killed = False
        self._start_time = 0.0
        """When it began with the page that it is at."""

    def has_room(self, job: _Job[Answer]) -> bool:
        """Whether it may be sent this page now."""
        if not self.jobs:
            return True
        soon = asyncio.get_running_loop().time() < self._start_time + SOON
        return len(job.message) <= SMALL and len(self.jobs) <= AHEAD and soon

    def take(self, job: _Job[Answer]) -> None:
        """Read this after the others."""
        self.jobs.append(job)
        if self._starting is None:
            self._starting = asyncio.create_task(self._start())
        elif self._way is not None:
            self._send(job, self._way)

    def data_received(self, data: bytes) -> None:
        self._buffer += data
        while len(self._buffer) >= HEAD.size:
            number, size = HEAD.unpack_from(self._buffer)
            end = HEAD.size + size
            if len(self._buffer) < end:
                break
            answer = bytes(self._buffer[HEAD.size : end])
            del self._buffer[:end]
            self._hear(number, answer)
        self._pool.hand_out()

    def connection_lost(self, error: Exception | None) -> None:
        """It died as a whole: the page it was at is lost, or else it never was ready.

        If it may not have died of that page, another worker tries it, once.
        """
        self._watch(None)
        if self._way is None:
            return self._fail()
        if self.jobs and (self._killed or self._buffer or self.jobs[0].again):
            _settle(self.jobs.popleft(), None)
        elif self.jobs:
            self.jobs[0].again = True
        return self._pool.replace(self, list(self.jobs))

    def _hear(self, number: int, answer: bytes) -> None:
        if self._way is None and self._transport is not None:
            self._way = self._transport
            for job in self.jobs:
                self._send(job, self._way)
        elif answer and not (self.jobs and self.jobs[0].number == number):
            self._kill()  # its answer belongs to no message
        elif self.jobs:
            self._pool.restarts += not answer
            try:
                found = self._interpret(answer) if answer else None
            except (ValueError, LookupError, TypeError, OverflowError):
                self._kill()  # whatever it read has taken it over: its page is lost
                return
            _settle(self.jobs.popleft(), found)
            self._watch(self._patience if self.jobs else None)

    def _send(self, job: _Job[Answer], way: asyncio.WriteTransport) -> None:
        way.write(HEAD.pack(job.number, len(job.message)) + job.message)  # at once: every write wakes it
        if job is self.jobs[0]:
            self._watch(self._patience)

    @property
    def _patience(self) -> float:
        return self._pool.limit * _PATIENCE

    def _watch(self, patience: float | None) -> None:
        """Let it have so many seconds from now on, for the page it begins with.

        A timer that is set already looks when the time of an earlier page is over, and again if it was too soon: there
        is none for each page.
        """
        loop = asyncio.get_running_loop()
        self._start_time = loop.time()
        self._deadline = inf if patience is None else self._start_time + patience
        if self._late is not None and self._late.when() > self._deadline:
            self._late.cancel()
            self._late = None
        if self._late is None and patience is not None:
            self._late = loop.call_at(self._deadline, self._look)

    def _look(self) -> None:
        """Kill it if it is late, unless there is more time or nothing to do."""
        loop, self._late = asyncio.get_running_loop(), None
        if loop.time() >= self._deadline:
            self._kill()
        elif self._deadline < inf:
            self._late = loop.call_at(self._deadline, self._look)

    async def _start(self) -> None:
        ours, theirs = socket.socketpair()
        with theirs:
            self._transport, _ = await asyncio.get_running_loop().create_unix_connection(lambda: self, sock=ours)
            try:
                self._process = subprocess.Popen(  # noqa: S603 - our own interpreter
                    self._pool.command,
                    stdin=theirs.fileno(),
                    stdout=subprocess.DEVNULL,
                    stderr=self._pool.stderr,
                    env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path), "OPENBLAS_NUM_THREADS": "1"},
                    start_new_session=True,  # out of reach of Ctrl-C
                )
            except OSError:
                return self._fail()
        return self._watch(_START)

    def _fail(self) -> None:
        command = shlex.join(self._pool.command)
        for job in self.jobs:
            if not job.answer.done():
                job.answer.set_exception(SalticidError(f"no process would start to read pages; try: {command}"))
        self._pool.replace(self, [])

    def _kill(self) -> None:
        """End the process and its child; the socket ends with them."""
        self._killed = True
        if self._process is not None:
            with suppress(ProcessLookupError):
                os.killpg(self._process.pid, signal.SIGKILL)

    async def end(self) -> None:
        """Wait until nothing of the process is left; one that is busy is killed."""
        self._watch(None)
        if self._late is not None:
            self._late.cancel()
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


def _settle(job: _Job[Answer], answer: Answer | None) -> None:
    """Hand over an answer, if it is still waited for."""
    if not job.answer.done():
        job.answer.set_result(answer)


# A process pool for those who have no event loop: it is run by a thread, and answers are futures.


class ThreadedPool(Generic[Answer]):
    """Asks a pool from any thread. Use it as a context."""

    def __init__(self, pool: ProcessPool[Answer]) -> None:
        self._pool = pool

    def __enter__(self) -> Self:
        # One thread for all workers: it does nothing but wait for their answers.
        self._loop = asyncio.new_event_loop()
        self._thread = Thread(target=self._loop.run_forever)
        self._thread.start()
        asyncio.run_coroutine_threadsafe(self._pool.__aenter__(), self._loop).result()
        return self

    def __exit__(self, *_: object) -> None:
        try:
            asyncio.run_coroutine_threadsafe(self._pool.__aexit__(), self._loop).result()
        finally:
            self._loop.call_soon_threadsafe(self._loop.stop)
            self._thread.join()
            self._loop.close()

    def ask(self, message: bytes) -> Future[Answer | None]:
        """The answer to a message, once it is there. None: it took too long, or its worker died of it."""
        return asyncio.run_coroutine_threadsafe(self._pool.ask(message), self._loop)


# What is read of a PDF.


class PdfDocument(msgspec.Struct, frozen=True, array_like=True):
    """A document of HTML in UTF-8 that says what a PDF says; and when that was last changed, in seconds since 1970."""

    html: bytes
    modified: float | None


# PDFs are read in processes of their own (`pdf_process`); no other process but those that export loads pdfium.

SECONDS = 10.0
"""Seconds of processor time that a document may take."""
_PROGRAM = "from salticid.parse.pdf_process import work; work()"


class PdfPool(ProcessPool[PdfDocument | None]):
    """Reads PDFs in worker processes, which start with the first of them."""

    def __init__(self, workers: int = 1, limit: float = SECONDS) -> None:
        super().__init__(_PROGRAM, lambda: _document, workers, limit, subprocess.DEVNULL)

    async def read(self, pdf: bytes) -> PdfDocument | None:
        """What it says. None: it is locked or damaged, took longer than `limit`, or its worker died of it."""
        return await self.ask(pdf)


def _document(answer: bytes) -> PdfDocument | None:
    return msgspec.msgpack.decode(answer, type=PdfDocument | None)
