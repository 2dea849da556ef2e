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
from pathlib import Path

import msgspec
from selectolax.lexbor import SelectolaxError

from salticid.parse import Parser
from salticid.tables.newcomers import Newcomers

MAX_MEMORY = 2 << 30
"""Bytes of address space a parser may have."""
PAGE_MEMORY = 48 << 20
TIMES_ITS_SIZE = 64
"""Bytes that one page may cost a parser beyond what it has, and for each of its own."""
MAX_PAGES = 20_000
MAX_TEXTS = 500_000
"""A parser that has read so many pages, or whose tables hold so many texts, makes place for a fresh one."""

LENGTH = struct.Struct("<I")
"""What stands before every message. One of length 0 says that all is ready; later, that a page was lost."""


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


def work(pages: int = MAX_PAGES, texts: int = MAX_TEXTS) -> None:
    """Say that all is ready, then let one child after the other parse, until the other side is gone.

    A child reads so many pages at the most, or as long as its tables hold fewer than so many texts.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGPROF, signal.SIG_DFL)
    _limit(resource.RLIMIT_CORE, 0)
    parent = socket.socket(fileno=sys.stdin.fileno())
    at_work = mmap.mmap(-1, 1)  # which the child shares: 1 while it has a page
    gc.freeze()
    with suppress(OSError):  # nobody is there to be told
        parent.sendall(LENGTH.pack(0))
        while child := os.fork():
            _, status = os.waitpid(child, 0)
            if status == 0:
                break
            if at_work[0]:
                at_work[0] = 0
                parent.sendall(LENGTH.pack(0))
        else:
            _parse_all(parent, at_work, pages, texts)
    os._exit(0)


def _parse_all(parent: socket.socket, at_work: mmap.mmap, pages: int, texts: int) -> None:
    """The child's life. It ends with 0 when the other side is gone, else there is more to do for the next child."""
    _limit(resource.RLIMIT_AS, MAX_MEMORY)
    parser = Parser(urls := Newcomers(), words := Newcomers())
    idle = _data_size()
    try:
        while pages and len(urls) + len(words) < texts:
            pages -= 1
            task = msgspec.msgpack.decode(
                _read(parent, *LENGTH.unpack(_read(parent, LENGTH.size))), type=Task
            )
            at_work[0] = 1
            html = _read(parent, task.size)
            _allow(idle + 200 * (len(urls) + len(words)) + PAGE_MEMORY + TIMES_ITS_SIZE * task.size)
            signal.setitimer(signal.ITIMER_PROF, task.limit)
            answer = msgspec.msgpack.encode(_made(parser, html, task, urls, words))
            signal.setitimer(signal.ITIMER_PROF, 0)
            at_work[0] = 0  # who is killed while he answers costs this page at the most
            parent.sendall(LENGTH.pack(len(answer)) + answer)
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


def _data_size() -> int:
    """Bytes of this process that count against RLIMIT_DATA; 0 where nobody tells."""
    try:
        return int(Path("/proc/self/statm").read_text().split()[5]) * resource.getpagesize()
    except OSError:
        return 0


def _allow(most: int) -> None:
    """Let the child have so much data in all, where the system can see to that."""
    with suppress(ValueError, OSError):
        resource.setrlimit(resource.RLIMIT_DATA, (most, resource.getrlimit(resource.RLIMIT_DATA)[1]))


def _limit(kind: int, most: int) -> None:
    with suppress(ValueError, OSError):  # less is allowed already, or the system knows no such limit
        resource.setrlimit(kind, (most, most))
