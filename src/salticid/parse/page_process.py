"""A process that reads pages, from within: a message in, an answer out, until the socket at its standard input ends.

The process reads nothing itself. It has loaded all that is needed and forks; the child reads. A page that kills the
child costs a fork, some hundredths of a second, and of its memory the child keeps to itself only what it changes.
Messages are read to their last byte and no further, so that what waits in the socket is for the next child.
"""

from __future__ import annotations

import gc
import mmap
import os
import resource
import signal
import socket
import struct
import sys
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from typing import Protocol

MAX_PAGES = 20_000
MAX_GROWTH = 150 << 20
"""A child that has read so many pages, or that has grown by so many bytes, makes place for a fresh one."""

HEAD = struct.Struct("<QI")
"""What stands before every message, the number of its page and its length; and before every answer, the same number.
An answer of length 0 says that all is ready; later, that a page was lost."""

_IDLE, _TALKING, _READING = range(3)


class PageReader(Protocol):
    """What a child makes of pages."""

    @property
    def full(self) -> bool:
        """Whether it has gathered so much that a fresh one should take its place."""
        ...

    def read(self, message: bytes) -> bytes:
        """The answer to a message, which is never empty."""
        ...


@dataclass(frozen=True, slots=True)
class ChildLimits:
    """Bytes of address space a child may have; and what one page may cost it beyond what it has: so many bytes, and
    so many for each of the message's, if that is limited.
    """

    memory: int
    page_memory: int | None = None
    times_its_size: int = 0
    pages: int = MAX_PAGES


def serve(start: Callable[[], PageReader], limits: ChildLimits) -> None:
    """Say that all is ready, then let one child after the other read pages, until the other side is gone.

    A page may take as many seconds of processor time as the command line says. One that needs too much memory is
    lost without a word.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGPROF, signal.SIG_DFL)
    _limit(resource.RLIMIT_CORE, 0)
    parent = socket.socket(fileno=sys.stdin.fileno())
    at_work = mmap.mmap(-1, 1)  # which the child shares: what it is doing
    gc.freeze()
    with suppress(OSError):  # nobody is there to be told
        parent.sendall(HEAD.pack(0, 0))
        while child := os.fork():
            _, status = os.waitpid(child, 0)
            if status == 0 or at_work[0] == _TALKING:  # half a message was read or sent: nothing may follow
                break
            if at_work[0] == _READING:
                at_work[0] = _IDLE
                parent.sendall(HEAD.pack(0, 0))
        else:
            with suppress(MemoryError):
                _read_all(parent, at_work, start(), limits)
            os._exit(1)
    os._exit(0)


def _read_all(parent: socket.socket, at_work: mmap.mmap, reader: PageReader, limits: ChildLimits) -> None:
    """The child's life. It ends with 0 when the other side is gone, else there is more to do for the next child."""
    _limit(resource.RLIMIT_AS, limits.memory)
    seconds, pages = float(sys.argv[1]), limits.pages
    statm = _statm()
    first = data = _data_size(statm)
    try:
        while pages and not reader.full and data - first < MAX_GROWTH:
            pages -= 1
            number, size = HEAD.unpack(_exactly(parent, HEAD.size))
            at_work[0] = _TALKING
            message = _exactly(parent, size)
            at_work[0] = _READING
            if data and limits.page_memory is not None:
                _allow(data + limits.page_memory + limits.times_its_size * size)
            signal.setitimer(signal.ITIMER_PROF, seconds)
            answer = reader.read(message)
            answer = HEAD.pack(number, len(answer)) + answer
            signal.setitimer(signal.ITIMER_PROF, 0)
            at_work[0] = _TALKING
            parent.sendall(answer)
            at_work[0] = _IDLE
            data = _data_size(statm)
    except (EOFError, OSError):
        os._exit(0)


def _exactly(parent: socket.socket, size: int) -> bytes:
    """The next so many bytes; `EOFError` when the other side has gone before."""
    data = parent.recv(size, socket.MSG_WAITALL) if size else b""
    if len(data) < size:
        raise EOFError
    return data


def _statm() -> int:
    """A file that says how large this process is; -1 where there is none."""
    try:
        return os.open("/proc/self/statm", os.O_RDONLY)
    except OSError:
        return -1


def _data_size(statm: int) -> int:
    """Bytes of this process that count against RLIMIT_DATA; 0 where that cannot be found out."""
    return int(os.pread(statm, 200, 0).split()[5]) * resource.getpagesize() if statm >= 0 else 0


def _allow(most: int) -> None:
    """Let the child have so much data in all, where the system can see to that."""
    with suppress(ValueError, OSError):
        resource.setrlimit(resource.RLIMIT_DATA, (most, resource.getrlimit(resource.RLIMIT_DATA)[1]))


def _limit(kind: int, most: int) -> None:
    with suppress(ValueError, OSError):  # less is allowed already, or the system knows no such limit
        resource.setrlimit(kind, (most, most))
