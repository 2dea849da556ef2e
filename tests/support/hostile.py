"""A server that does to each request whatever a test wants, in raw bytes, and writes down who asked."""

from __future__ import annotations

import asyncio
import socket
import struct
import time
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass, replace
from itertools import pairwise
from pathlib import Path
from ssl import SSLContext
from typing import Any, TypeVar

import pytest

from salticid.model import Response
from salticid.runs.live import live_web
from salticid.runs.live_settings import LiveSettings
from salticid.webs.live import rules
from salticid.webs.live.failures import REMEDIES
from salticid.webs.live.web import LiveWeb

A = "http://a.example/"
T = TypeVar("T")


@dataclass(frozen=True)
class Asked:
    """One request as it came in: when, by which connection, for what."""

    at: float
    connection: int
    host: str
    path: str
    fields: Mapping[str, str]


Play = Callable[[asyncio.StreamWriter], Awaitable[None]]
"""What is done to a connection after a request."""
Answer = bytes | Play
Behaviour = Mapping[str, Answer] | Callable[[Asked], Answer]
"""Answers by "host/path" or by "/path", 404 for all others; or a function."""


class Server:
    """What happens at the server's side of a test."""

    def __init__(self, behaviour: Behaviour) -> None:
        self.requests: list[Asked] = []
        self.port = self.accepted = self.at_once = self.most_at_once = 0
        self.refuse = False
        """Whether a new connection is reset at once."""
        self._behaviour = behaviour

    @property
    def pages(self) -> list[str]:
        """What was asked for, as host/path, but for robots.txt files."""
        return [asked.host + asked.path for asked in self.requests if asked.path != "/robots.txt"]

    @property
    def robots(self) -> Counter[str]:
        """How often each host was asked for its robots.txt."""
        return Counter(asked.host for asked in self.requests if asked.path == "/robots.txt")

    def gaps(self, path: str | None = None) -> list[float]:
        """Seconds between the requests for a path, or for all but robots.txt files."""
        counted = (each for each in self.requests if (path or each.path) == each.path)
        times = [each.at for each in counted if path or each.path != "/robots.txt"]
        return [after - before for before, after in pairwise(times)]

    async def talk(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Answer the requests of one connection until somebody ends it."""
        self.accepted += 1
        try:
            if self.refuse:
                await reset(writer)
            await self._answer_all(self.accepted, reader, writer)
        except (OSError, asyncio.IncompleteReadError):
            pass
        finally:
            writer.close()

    async def _answer_all(self, connection: int, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while not writer.is_closing():
            asked = _read(await reader.readuntil(b"\r\n\r\n"), connection)
            self.requests.append(asked)
            self.at_once += 1
            self.most_at_once = max(self.most_at_once, self.at_once)
            try:
                answer = self._answer(asked)
                if isinstance(answer, bytes):
                    answer = in_parts(answer)
                await answer(writer)
            finally:
                self.at_once -= 1

    def _answer(self, asked: Asked) -> Answer:
        if callable(self._behaviour):
            return self._behaviour(asked)
        found = self._behaviour.get(asked.host + asked.path) or self._behaviour.get(asked.path)
        return found or page(b"gone", status=404)


def _read(head: bytes, connection: int) -> Asked:
    first, *lines = head.decode("latin-1").split("\r\n")
    pairs = (line.partition(":") for line in lines if line)
    fields = {name.lower(): value.strip() for name, _, value in pairs}
    return Asked(time.monotonic(), connection, fields.get("host", ""), first.split()[1], fields)


def page(body: bytes = b"<p>spiders", *fields: str, status: int = 200, kind: str = "text/html") -> bytes:
    """An answer in good form."""
    head = [f"HTTP/1.1 {status} So", f"Content-Length: {len(body)}", *fields]
    return "\r\n".join([*head, *([f"Content-Type: {kind}"] if kind else []), "", ""]).encode() + body


def moved(to: str, status: int = 302) -> bytes:
    return page(b"", f"Location: {to}", status=status)


def robots(*lines: str) -> bytes:
    return page("\n".join(("User-agent: *", *lines)).encode(), kind="text/plain")


def in_parts(*parts: bytes, pause: float = 0.0, forever: bool = False, close: bool = False) -> Play:
    """Write these, a pause after each; the last one again and again; and close the connection or not."""

    async def play(writer: asyncio.StreamWriter) -> None:
        for part in parts:
            writer.write(part)
            await writer.drain()
            await asyncio.sleep(pause)
        while forever and not writer.is_closing():
            writer.write(parts[-1])
            await writer.drain()
            await asyncio.sleep(pause)
        if close:
            writer.close()

    return play


def turns(*answers: Answer) -> Play:
    """One answer after the other; the last one to all further requests."""
    left = list(answers)

    async def play(writer: asyncio.StreamWriter) -> None:
        answer = left.pop(0) if len(left) > 1 else left[0]
        await (in_parts(answer) if isinstance(answer, bytes) else answer)(writer)

    return play


def then_reset(data: bytes) -> Play:
    """Write this, then reset the connection."""

    async def play(writer: asyncio.StreamWriter) -> None:
        await in_parts(data, pause=0.05)(writer)
        await reset(writer)

    return play


def slowly(answer: bytes, pause: float) -> Play:
    """Answer after a while."""

    async def play(writer: asyncio.StreamWriter) -> None:
        await asyncio.sleep(pause)
        await in_parts(answer)(writer)

    return play


async def reset(writer: asyncio.StreamWriter) -> None:
    """End a connection as a crash does: without a goodbye."""
    writer.get_extra_info("socket").setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    writer.transport.abort()


async def silence(writer: asyncio.StreamWriter) -> None:
    """Say nothing, keep the line open."""
    await asyncio.sleep(60)


@asynccontextmanager
async def serving(
    behaviour: Behaviour,
    tls: SSLContext | None = None,
    address: str | Sequence[str] = "127.0.0.1",
    port: int = 0,
) -> AsyncIterator[Server]:
    """A server on loopback, at one address or several; at the end no connection of it is left."""
    server = Server(behaviour)
    talks: set[asyncio.Task[None]] = set()

    def met(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        talks.add(asyncio.create_task(server.talk(reader, writer)))

    listening = await asyncio.start_server(met, address, port, ssl=tls, limit=1 << 20)
    server.port = listening.sockets[0].getsockname()[1]
    try:
        yield server
    finally:
        listening.close()
        for talk in talks:
            talk.cancel()
        await asyncio.gather(*talks, return_exceptions=True)
        await listening.wait_closed()


def settings(server: Server, **more: Any) -> LiveSettings:
    """Every host is at the server, and nobody waits for anybody."""
    local = LiveSettings(delay=0, timeout=5, allow_net=("127.0.0.0/8",), resolve=(f"*=127.0.0.1:{server.port}",))
    return replace(local, **more)


def on_the_web(
    behaviour: Behaviour,
    use: Callable[[LiveWeb, Server], Awaitable[T]],
    clock: Callable[[], float] = time.monotonic,
    tls: SSLContext | None = None,
    warn: Callable[[str], None] | None = None,
    **more: Any,
) -> T:
    """Run `use` on a live web that leads to a server of this behaviour; `more` are its settings."""

    async def run() -> T:
        async with (
            serving(behaviour, tls) as server,
            live_web(settings(server, **more), clock, warn=warn) as there,
        ):
            return await use(there, server)

    return asyncio.run(run())


def fetched(behaviour: Behaviour, *urls: str, **more: Any) -> tuple[list[Response], LiveWeb, Server]:
    """The responses to these URLs, asked for one after the other; the web, and what its server saw."""

    async def use(there: LiveWeb, server: Server) -> tuple[list[Response], LiveWeb, Server]:
        return [await there.fetch(there.urls.intern(url)) for url in urls], there, server

    return on_the_web(behaviour, use, **more)


def outcome(answer: Answer, **more: Any) -> tuple[str, int, int]:
    """What becomes of a page that is answered so: its outcome, its status, how many requests it took."""
    (response,), _, server = fetched({"/": answer}, A, **more)
    return response.outcome.value, response.status, len(server.pages)


def all_at_once(there: LiveWeb, *urls: str) -> Awaitable[list[Response]]:
    return asyncio.gather(*(there.fetch(there.urls.intern(url)) for url in urls))


def hurry(monkeypatch: pytest.MonkeyPatch) -> None:
    """Make the table's waits a thousand times shorter; a robots.txt in trouble is tried again soon."""
    for failure, remedy in list(REMEDIES.items()):
        monkeypatch.setitem(REMEDIES, failure, replace(remedy, wait=remedy.wait / 1000))
    monkeypatch.setattr(rules, "FIRST_BACKOFF", 0.03)


@contextmanager
def peak_of() -> Iterator[Callable[[], int]]:
    """How many bytes more of memory this process had at a time than when the context began."""
    try:
        Path("/proc/self/clear_refs").write_text("5")  # the peak is counted anew
    except OSError:
        pytest.skip("this system keeps no peak of memory that can be set back")
    before = _kilobytes("VmRSS")
    yield lambda: (_kilobytes("VmHWM") - before) << 10


def _kilobytes(name: str) -> int:
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith(name))
