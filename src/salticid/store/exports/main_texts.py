"""Main texts are taken in processes of their own: a hostile page costs its worker, no more.

A worker is a plain Python process that talks over its standard input, a socket: the place of a record goes in,
its main text comes back, each as one msgpack message behind its length. It reads the WARC itself.

Nothing outlives the export: an idle worker ends when its socket does, a busy one is stopped by the kernel once it
has had its share of processor time, whether or not anyone is left to wait for its answer.
"""

from __future__ import annotations

import os
import resource
import shlex
import signal
import socket
import struct
import subprocess
import sys
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from queue import SimpleQueue
from threading import Event, Lock
from typing import Self

import msgspec

from salticid.errors import SalticidError

MAX_MEMORY = 1 << 30
"""Bytes of address space a worker may have."""
MAX_PAGES = 20_000
"""A worker that has read so many pages makes place for a fresh one."""
MAX_WORKERS = 4

_PATIENCE = 4
"""The limit is of processor time; in real time a busy machine may take so many times as long."""
_START = 60.0  # seconds until it must be ready for its first page
_LENGTH = struct.Struct("<I")


class MainTexts:
    """The main texts of records in a crawl's WARC. Use it as a context.

    `limit` is in seconds of a worker's processor time, so that a busy machine loses no page.
    """

    def __init__(self, folder: Path, workers: int | None = None, limit: float = 5.0) -> None:
        self.workers = workers or min(len(os.sched_getaffinity(0)), MAX_WORKERS)
        self._all = [_Worker(folder, limit) for _ in range(self.workers)]
        self._idle: SimpleQueue[_Worker] = SimpleQueue()
        for worker in self._all:
            self._idle.put(worker)

    def __enter__(self) -> Self:
        # One thread a worker: all it does is to wait for its answer.
        self._threads = ThreadPoolExecutor(self.workers)
        return self

    def __exit__(self, *_: object) -> None:
        self._threads.shutdown(wait=False, cancel_futures=True)
        for worker in self._all:
            worker.end()
        self._threads.shutdown()
        for worker in self._all:
            worker.lose()

    def ask(self, place: int) -> Future[str | None]:
        """The main text of a record, once it is there; None if it has none, takes too long, or kills its worker."""
        return self._threads.submit(self._text, place)

    def _text(self, place: int) -> str | None:
        worker = self._idle.get()
        try:
            return worker.text(place)
        finally:
            self._idle.put(worker)


class _Worker:
    """A worker process, seen from here; a new one is started for the next page when it is lost."""

    def __init__(self, folder: Path, limit: float) -> None:
        self._folder, self._limit = folder.absolute(), limit
        self._process: subprocess.Popen[bytes] | None = None
        self._parent: socket.socket | None = None
        self._pages = 0
        self._starting = Lock()
        self._ended = Event()

    def text(self, place: int) -> str | None:
        """The main text of one record, or None."""
        if self._pages == MAX_PAGES or (self._process and self._process.poll() is not None):
            self.lose()
        parent = self._parent or self._start()
        if parent is None:
            return None
        self._pages += 1
        try:
            parent.settimeout(self._limit * _PATIENCE)
            _send(parent, msgspec.msgpack.encode(place))
            return msgspec.msgpack.decode(_received(parent), type=str | None)
        except (OSError, EOFError):
            self.lose()
            return None

    def end(self) -> None:
        """Kill the process; from now on there is no text and no other process."""
        with self._starting:
            self._ended.set()
            if self._process:
                self._process.kill()
                self._process.wait()

    def _start(self) -> socket.socket | None:
        """A new process that is ready, or None at the end of everything."""
        command = [sys.executable, "-P", "-c", f"from {__name__} import work; work()"]
        command += [str(self._folder), str(self._limit)]
        with self._starting:
            if self._ended.is_set():
                return None
            self._pages = 0
            self._parent, theirs = socket.socketpair()
            with theirs:
                self._process = subprocess.Popen(  # noqa: S603 - our own interpreter
                    command,
                    stdin=theirs.fileno(),
                    stdout=subprocess.DEVNULL,
                    stderr=subprocess.DEVNULL,
                    env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path), "OPENBLAS_NUM_THREADS": "1"},
                    start_new_session=True,  # out of reach of Ctrl-C
                )
        try:
            self._parent.settimeout(_START)
            _received(self._parent)
        except (OSError, EOFError) as error:
            self.lose()
            if self._ended.is_set():
                return None
            raise SalticidError(
                f"no process would start to read pages; try: {shlex.join(command)}"
            ) from error
        return self._parent

    def lose(self) -> None:
        """Let go of the process, whatever it is doing."""
        if self._parent:
            self._parent.close()
            self._parent = None
        if self._process:
            self._process.kill()
            self._process.wait()


def work() -> None:
    """The worker's side: an empty message when it is ready, then a text for every place until the end."""
    folder, limit = Path(sys.argv[1]), float(sys.argv[2])
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGPROF, signal.SIG_DFL)
    for kind, most in (resource.RLIMIT_AS, MAX_MEMORY), (resource.RLIMIT_CORE, 0):
        with suppress(ValueError, OSError):  # less is allowed already, or the system knows no such limit
            resource.setrlimit(kind, (most, most))
    parent = socket.socket(fileno=sys.stdin.fileno())
    # Memory may run out, and the other side may go, even in the middle of a message: no news to anybody.
    with suppress(MemoryError, OSError, EOFError):
        _answer(parent, folder, limit)
    os._exit(0)


def _answer(parent: socket.socket, folder: Path, limit: float) -> None:
    from salticid.parse.main_text import main_text  # here: only a worker needs what this loads
    from salticid.store.warc import read

    _send(parent, b"")
    while True:
        place = msgspec.msgpack.decode(_received(parent), type=int)
        signal.setitimer(signal.ITIMER_PROF, limit)
        exchange = read(folder, place)
        text = main_text(exchange[1]) if exchange else None
        signal.setitimer(signal.ITIMER_PROF, 0)
        _send(parent, msgspec.msgpack.encode(text))


def _send(to: socket.socket, message: bytes) -> None:
    to.sendall(_LENGTH.pack(len(message)) + message)


def _received(of: socket.socket) -> bytes:
    return _exactly(of, *_LENGTH.unpack(_exactly(of, _LENGTH.size)))


def _exactly(of: socket.socket, size: int) -> bytes:
    """So many bytes, or EOFError."""
    data = bytearray()
    while len(data) < size:
        part = of.recv(min(size - len(data), 1 << 20))
        if not part:
            raise EOFError
        data += part
    return bytes(data)
