"""A thousand hosts, four at each address, honest but for their faults, that notice who is impolite to them.

Page n of a host leads back, to the next four pages, one of them new, and sometimes to another host. What
goes wrong with a request is drawn from its host and path, so that it goes wrong every time or, where a second try
should help, the first time only.
"""

from __future__ import annotations

import asyncio
import socket
import struct
import time
from bisect import bisect
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from math import inf
from zlib import crc32

_HEAD = b"HTTP/1.1 %b\r\nContent-Type: text/html\r\nContent-Length: %d\r\n%b\r\n"
_WORDS = b"spiders jump and spin silk while the keeper of the garden sleeps in the shade of an old tree "
_CLOCKS_DIFFER = 0.05
"""Seconds by which a request may come too soon: the kernel's times are good to 10 ms, and two are compared."""
_SINCE_SENT, _SINCE_RECEIVED = 44, 52
"""Offsets in Linux's `struct tcp_info`: milliseconds since data was last sent, and since data last arrived."""
HOSTS_AN_ADDRESS = 4
_REMEMBERED = 64
"""Requests at an address whose times are remembered."""


@dataclass(slots=True)
class Host:
    """What a host, or an address, has seen: requests, how many at once, when they came and the last answer was sent."""

    requests: int = 0
    at_once: int = 0
    last: float = 0.0
    not_before: float = 0.0
    came: list[float] = field(default_factory=list)

    def gap(self, now: float) -> float:
        """Seconds between a request and the nearest other one; a busy server reads them in another order."""
        at = bisect(self.came, now)
        self.came.insert(at, now)
        gaps = [abs(other - now) for other in (*self.came[:at][-1:], *self.came[at + 1 :][:1])]
        del self.came[:-_REMEMBERED]
        return min(gaps, default=inf)


@dataclass(slots=True)
class FaultyHosts:
    """The server. `offences` are what was impolite: host or address, and by how many seconds too soon.

    The times compared are the kernel's: on this machine a request arrives when the crawler sends it. When the server
    or the crawler gets to run does not matter, so a busy machine makes no offence and hides none.
    """

    hosts: int
    delay: float
    per_address: int = 8
    served: int = 0
    good: int = 0
    """Pages sent whole."""
    last_served: float = 0.0
    longest_silence: float = 0.0
    offences: list[tuple[str, float]] = field(default_factory=list)
    port: int = 0
    _seen: dict[str, Host] = field(default_factory=dict)
    _failed_once: set[int] = field(default_factory=set)
    _talks: set[asyncio.Task[None]] = field(default_factory=set)

    def address(self, name: str) -> str:
        """Where a host is."""
        number = int(name.removeprefix("h").partition(".")[0]) // HOSTS_AN_ADDRESS
        return f"127.0.{1 + number // 250}.{1 + number % 250}"

    @asynccontextmanager
    async def serving(self) -> AsyncIterator[None]:
        """Listen at one port of every address; at the end nobody is left talking."""
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1] if not self.port else self.port
        addresses = dict.fromkeys(self.address(f"h{number}") for number in range(self.hosts))

        def met(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            self._talks.add(talk := asyncio.create_task(self._talk(reader, writer)))
            talk.add_done_callback(self._talks.discard)

        listening = await asyncio.start_server(met, list(addresses), self.port, backlog=1000)
        self.last_served = time.monotonic()
        try:
            yield
        finally:
            listening.close()
            for talk in list(self._talks):
                talk.cancel()
            await asyncio.gather(*self._talks, return_exceptions=True)

    async def _talk(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """One connection, request after request."""
        try:
            while not writer.is_closing():
                first, *lines = (await reader.readuntil(b"\r\n\r\n")).split(b"\r\n")
                name = next(line[6:].decode() for line in lines if line.lower().startswith(b"host: "))
                await self._answer(name, first.split()[1].decode(), reader, writer)
        except (OSError, asyncio.IncompleteReadError):
            pass
        finally:
            writer.close()

    async def _answer(self, name: str, path: str, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        host, now = self._seen.setdefault(name, Host()), _kernel_time(writer, _SINCE_RECEIVED)
        too_soon = max(host.last + self.delay, host.not_before) - _CLOCKS_DIFFER - now
        if host.at_once or (host.requests and too_soon > 0):
            self.offences.append((name, too_soon))
        address = self._seen.setdefault(self.address(name), Host())
        too_soon = self.delay / self.per_address - _CLOCKS_DIFFER - address.gap(now)
        if address.at_once >= self.per_address or too_soon > 0:
            self.offences.append((self.address(name), too_soon))
        address.requests += 1
        address.at_once += 1
        if self.served:
            self.longest_silence = max(self.longest_silence, now - self.last_served)
        self.last_served = now
        self.served += 1
        host.requests += 1
        host.at_once += 1
        host.last = time.monotonic()
        try:
            if not self._play(host, name, path, writer):
                await reader.read(1)  # until the other side has had enough; when that was, a busy server cannot say
            await writer.drain()
            host.last = max(host.last, _kernel_time(writer, _SINCE_SENT))
        finally:
            host.at_once -= 1
            address.at_once -= 1

    def _play(self, host: Host, name: str, path: str, writer: asyncio.StreamWriter) -> bool:
        """Answer one request; False when the end of the answer is never sent."""
        if not path.removeprefix("/p").isdecimal():  # robots.txt, and what nobody links to
            writer.write(_HEAD % (b"404 Not Found", 0, b""))
            return True
        chance = crc32(f"{name}{path}".encode())
        kind, again = chance % 100, chance in self._failed_once
        body = self._page(name, path)
        if kind < 3:
            writer.write(_HEAD % (b"404 Not Found", 0, b""))
        elif kind < 4:
            writer.write(_HEAD % (b"302 Found", 0, b"Location: /p1\r\n"))
        elif kind < 5 and not again:
            self._failed_once.add(chance)
            host.not_before = time.monotonic() + 2
            writer.write(_HEAD % (b"503 Later", 0, b"Retry-After: 2\r\n"))
        elif kind < 6 and not again:
            self._failed_once.add(chance)
            writer.transport.abort()
        elif kind < 7:
            writer.write(_HEAD % (b"200 OK", len(body) + 100, b"") + body)
            writer.close()
        elif chance % 400 == 7:
            writer.write(_HEAD % (b"200 OK", len(body), b"") + body[:10])
            return False
        elif kind < 8:
            body += b"<div>" * 50_000
            writer.write(_HEAD % (b"200 OK", len(body), b"") + body)
        else:
            self.good += 1
            writer.write(_HEAD % (b"200 OK", len(body), b"") + body)
        return True

    def _page(self, name: str, path: str) -> bytes:
        number = int(path[2:])
        to = [f"/p{number // 2}", *(f"/p{number + ahead}" for ahead in (1, 2, 3, 4))]
        if number % 4 == 0:
            to.append(f"http://h{crc32(f'{name}{number}'.encode()) % self.hosts}.example:{self.port}/p0")
        anchors = "".join(f'<p><a href="{link}">spiders and more</a>' for link in to)
        return b"<title>Spiders %d</title><p>" % number + _WORDS * 20 + anchors.encode()


def _kernel_time(writer: asyncio.StreamWriter, since: int) -> float:
    """When the kernel last received or sent data on a connection; the distant past if it is closed."""
    connection = writer.get_extra_info("socket")
    if connection is None or connection.fileno() < 0:
        return 0.0
    info = connection.getsockopt(socket.IPPROTO_TCP, socket.TCP_INFO, 104)
    return time.monotonic() - float(struct.unpack_from("=I", info, since)[0]) / 1000
