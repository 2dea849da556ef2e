"""The side of a parser's process: pages in, what the parser made of them out, until the socket ends.

The process reads nothing itself. It has loaded all that a parser needs and forks; the child parses. A page that
kills the child costs a fork, some hundredths of a second, and of its memory the child keeps to itself only what it
changes. Messages are read to their last byte and no further, so that what waits in the socket is for the next child.
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
from contextlib import suppress

import msgspec
from selectolax.lexbor import SelectolaxError

from salticid.parse import Parser
from salticid.parse.robots_tags import AGENT
from salticid.tables.newcomers import Newcomers

MAX_MEMORY = 2 << 30
"""Bytes of address space a parser may have."""
PAGE_MEMORY = 48 << 20
TIMES_ITS_SIZE = 64
"""Bytes that one page may cost a parser beyond what it has, and for each of its own."""
MAX_PAGES = 20_000
MAX_TEXTS = 500_000
MAX_GROWTH = 150 << 20
"""A parser that has read so many pages, whose tables hold so many texts, or that has grown by so many bytes, makes
place for a fresh one."""

LENGTH = struct.Struct("<I")
"""What stands before every message. One of length 0 says that all is ready; later, that a page was lost."""

_IDLE, _TALKING, _PARSING = range(3)


class Task(msgspec.Struct, array_like=True):
    """What is said of a page before it comes: its number, URL and charset, seconds of processor time, its size."""

    number: int
    url: str
    charset: str | None
    limit: float
    size: int


class Made(msgspec.Struct, array_like=True):
    """A page in the parser's ids, its arrays as bytes; and the texts that are new in the parser's tables, a line each.

    `urls` and `words` are how many the tables held before.
    """

    number: int
    title: str
    columns: tuple[bytes, ...]
    packed_text: bytes
    url: int
    canonical: int
    refresh: int
    noindex: bool
    nofollow: bool
    urls: int
    words: int
    new_urls: bytes
    new_words: bytes


def work(pages: int = MAX_PAGES, texts: int = MAX_TEXTS, agent: str = AGENT) -> None:
    """Say that all is ready, then let one child after the other parse, until the other side is gone.

    A child reads so many pages at the most, as long as its tables hold fewer than so many texts and it is not too
    large. Robots tags know us as `agent`.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGPROF, signal.SIG_DFL)
    _limit(resource.RLIMIT_CORE, 0)
    parent = socket.socket(fileno=sys.stdin.fileno())
    at_work = mmap.mmap(-1, 1)  # which the child shares: what it is doing
    gc.freeze()
    with suppress(OSError):  # nobody is there to be told
        parent.sendall(LENGTH.pack(0))
        while child := os.fork():
            _, status = os.waitpid(child, 0)
            if status == 0 or at_work[0] == _TALKING:  # half a message was read or sent: nothing may follow
                break
            if at_work[0] == _PARSING:
                at_work[0] = _IDLE
                parent.sendall(LENGTH.pack(0))
        else:
            _parse_all(parent, at_work, pages, texts, agent)
    os._exit(0)


def _parse_all(parent: socket.socket, at_work: mmap.mmap, pages: int, texts: int, agent: str) -> None:
    """The child's life. It ends with 0 when the other side is gone, else there is more to do for the next child."""
    _limit(resource.RLIMIT_AS, MAX_MEMORY)
    parser = Parser(urls := Newcomers(), words := Newcomers(), agent)
    statm = _statm()
    first = has = _data_size(statm)
    try:
        while pages and len(urls) + len(words) < texts and has - first < MAX_GROWTH:
            pages -= 1
            (size,) = LENGTH.unpack(_read(parent, LENGTH.size))
            at_work[0] = _TALKING
            task = msgspec.msgpack.decode(_read(parent, size), type=Task)
            html = _read(parent, task.size)
            at_work[0] = _PARSING
            if has:
                _allow(has + PAGE_MEMORY + TIMES_ITS_SIZE * task.size)
            signal.setitimer(signal.ITIMER_PROF, task.limit)
            answer = msgspec.msgpack.encode(_made(parser, html, task, urls, words))
            message = LENGTH.pack(len(answer)) + answer
            signal.setitimer(signal.ITIMER_PROF, 0)
            at_work[0] = _TALKING
            parent.sendall(message)
            at_work[0] = _IDLE
            has = _data_size(statm)
    except (EOFError, OSError):
        os._exit(0)
    except (MemoryError, SelectolaxError):
        pass
    os._exit(1)


def _made(parser: Parser, html: bytes, task: Task, urls: Newcomers, words: Newcomers) -> Made:
    page = parser.parse(html, task.url, task.charset)
    known_urls, new_urls = urls.tell()
    known_words, new_words = words.tell()
    links = page.links
    columns = (page.tokens, page.area_start, page.area, links.url, links.start, links.end, links.nofollow)
    return Made(
        number=task.number,
        title=page.title,
        columns=tuple(column.tobytes() for column in columns),
        packed_text=page.packed_text,
        url=page.url,
        canonical=page.canonical,
        refresh=page.refresh,
        noindex=page.noindex,
        nofollow=page.nofollow,
        urls=known_urls,
        words=known_words,
        new_urls=b"\n".join(new_urls),
        new_words=b"\n".join(new_words),
    )


def _read(parent: socket.socket, size: int) -> bytes:
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
    """Bytes of this process that count against RLIMIT_DATA; 0 where nobody tells."""
    return int(os.pread(statm, 200, 0).split()[5]) * resource.getpagesize() if statm >= 0 else 0


def _allow(most: int) -> None:
    """Let the child have so much data in all, where the system can see to that."""
    with suppress(ValueError, OSError):
        resource.setrlimit(resource.RLIMIT_DATA, (most, resource.getrlimit(resource.RLIMIT_DATA)[1]))


def _limit(kind: int, most: int) -> None:
    with suppress(ValueError, OSError):  # less is allowed already, or the system knows no such limit
        resource.setrlimit(kind, (most, most))
