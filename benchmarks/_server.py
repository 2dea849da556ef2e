"""A server that is never the limit: real pages, kept ready to send, every host, every path.

Its n-th page request is answered with the n-th page of the collection, whatever the path, so that all crawlers
read the same bytes however they choose. Links lead where they would lead on the site itself, since all pages
stand equally deep.
"""

from __future__ import annotations

import asyncio
import os
import random
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import cycle
from pathlib import Path

from benchmarks.material import ROOT, schools

HOSTS = 64
CRAWLER_CORE = min(os.sched_getaffinity(0))
SERVER_CORE = max(os.sched_getaffinity(0))

_ROBOTS = b"HTTP/1.1 404 Not Found\r\nContent-Type: text/plain\r\nContent-Length: 0\r\n\r\n"


def seeds(port: int) -> list[str]:
    """A page on each of the hosts."""
    return [f"http://h{number}.example:{port}/wp/s/Spider.htm" for number in range(HOSTS)]


def pages(folder: Path | None = None) -> list[bytes]:
    """All pages of a collection, or of the usual one, in an order that is always the same and says nothing."""
    folder = schools() if folder is None else folder
    files = sorted(path for path in folder.rglob("*.htm*") if path.is_file())
    random.Random(0).shuffle(files)
    return [file.read_bytes() for file in files]


@contextmanager
def server(folder: Path | None = None) -> Iterator[int]:
    """A fresh server of a collection in a process and on a core of its own; its port."""
    command = [sys.executable, "-m", __name__, str(folder or schools())]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, cwd=ROOT, text=True)
    try:
        assert process.stdout is not None
        yield int(process.stdout.readline())
    finally:
        process.kill()
        process.wait()


class _Connection(asyncio.Protocol):
    """Keeps alive, takes requests one after the other, reads nothing but the first line."""

    def __init__(self, answers: Iterator[bytes]) -> None:
        self._answers = answers
        self._rest = b""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport

    def data_received(self, data: bytes) -> None:
        *requests, self._rest = (self._rest + data).split(b"\r\n\r\n")
        for request in requests:
            robots = request.startswith(b"GET /robots.txt ")
            self._transport.write(_ROBOTS if robots else next(self._answers))


async def _serve(folder: Path) -> None:
    ready = [
        b"HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=utf-8\r\nContent-Length: %d\r\n\r\n%b" % (len(page), page)
        for page in pages(folder)
    ]
    answers = cycle(ready)
    listening = await asyncio.get_running_loop().create_server(lambda: _Connection(answers), "127.0.0.1", 0)
    sys.stdout.write(f"{listening.sockets[0].getsockname()[1]}\n")
    sys.stdout.flush()
    await listening.serve_forever()


if __name__ == "__main__":
    os.sched_setaffinity(0, {SERVER_CORE})
    asyncio.run(_serve(Path(sys.argv[1])))
