"""Host names to addresses: the person's own rules first, then a name server's; refused ones left out."""

from __future__ import annotations

import asyncio
import errno
import re
import socket
from collections.abc import Callable
from math import inf

from aiodns.error import ARES_EBADNAME, ARES_ENODATA, ARES_ENONAME, ARES_ENOTFOUND, DNSError
from aiohttp import AsyncResolver
from aiohttp.abc import AbstractResolver, ResolveResult

from salticid.webs.live.guard import AddressGuard, AddressRefused, Resolver

ANSWER_LIFETIME = 300.0
"""Seconds an answer is used again."""
_MOST_ENTRIES = 100_000
_NO_SUCH_NAME = (ARES_ENOTFOUND, ARES_ENODATA, ARES_ENONAME)
_POSSIBLE = re.compile(r"(?!.{254})([a-z0-9_*-]{1,63}\.)*[a-z0-9_*-]{1,63}", re.IGNORECASE)
"""Names that a name server can be asked about (RFC 1035)."""
_NEVER_ASKED = ("localhost", "onion")
"""Top-level domains that no name server is asked about (RFC 6761, RFC 7686)."""


class NoSuchName(OSError):
    """The name servers say that there is no such name."""


class ImpossibleName(NoSuchName):
    """A label is empty or too long, the name is too long, or it has a wrong character. No name server is asked."""


class NoNameServer(OSError):
    """No name server answers: that is no fault of the host."""


class Names(AbstractResolver):
    """Resolves for aiohttp, and knows at which address a host will be asked.

    The host of the `proxy`, which the person named, may be anywhere. Without a `server`, ADDRESS:PORT, the system's
    name servers are asked.
    """

    def __init__(
        self,
        rules: Resolver,
        guard: AddressGuard,
        clock: Callable[[], float],
        proxy: str | None = None,
        server: str | None = None,
    ) -> None:
        self._rules, self._guard, self._clock, self._proxy = rules, guard, clock, proxy
        self._server = server
        self._system: AbstractResolver | None = None
        self._entries: dict[tuple[str, int], tuple[float, list[ResolveResult]]] = {}
        self.answered_at = -inf
        """When a name server last answered, be it that there is no such name."""

    async def address(self, host: str, port: int, seconds: float) -> str:
        """The address a host is asked at first. OSError when there is none, or no answer within the seconds."""
        entry = self._entries.get((host, port))
        if entry is not None and entry[0] >= self._clock():
            return entry[1][0]["host"]
        try:
            async with asyncio.timeout(seconds):
                return (await self.resolve(host, port))[0]["host"]
        except TimeoutError as error:
            raise NoNameServer(f"nobody says within {seconds} s where {host} is") from error

    async def again(self, host: str, port: int, seconds: float) -> None:
        """Look a host up although it is known. OSError when there is no answer within so many seconds."""
        async with asyncio.timeout(seconds):
            await self._look_up(host, port)

    def has_rule(self, host: str) -> bool:
        """Whether a rule of the person's says where a host is."""
        return self._rules.find(host, 0) is not None

    def asks(self, host: str) -> bool:
        """Whether a name server has to be asked where a host is."""
        top = host.rpartition(".")[2]
        is_address = ":" in host or top.isdigit()
        return not is_address and top not in _NEVER_ASKED and not self.has_rule(host)

    async def resolve(
        self, host: str, port: int = 0, family: socket.AddressFamily = socket.AF_UNSPEC
    ) -> list[ResolveResult]:
        """The addresses aiohttp may connect to. OSError when there is none."""
        return await (self._entry(host, port) if host == self._proxy else self.admissible(host, port))

    async def admissible(self, host: str, port: int) -> list[ResolveResult]:
        """The addresses of a host that the guard admits, be it the proxy or not; AddressRefused when it has others."""
        addresses = await self._entry(host, port)
        allowed_addresses = [each for each in addresses if self._guard.admits(each["host"])]
        if not allowed_addresses:
            address = addresses[0]["host"]
            raise AddressRefused(f"{host} is at {address}, which this crawl may not reach", address)
        return allowed_addresses

    async def close(self) -> None:
        """Let go of the system's resolver."""
        if self._system is not None:
            await self._system.close()

    async def _entry(self, host: str, port: int) -> list[ResolveResult]:
        entry = self._entries.get((host, port))
        if entry is None or entry[0] < self._clock():
            if len(self._entries) >= _MOST_ENTRIES:
                self._entries.clear()
            entry = self._clock() + ANSWER_LIFETIME, await self._look_up(host, port)
            self._entries[host, port] = entry
        return entry[1]

    async def _look_up(self, host: str, port: int) -> list[ResolveResult]:
        if not (":" in host or _POSSIBLE.fullmatch(host.removesuffix(".")) or self._rules.names(host)):
            raise ImpossibleName(f"{host} is not a valid host name")
        if (place := self._rules.find(host, port)) is not None:
            address, its_port = place
            kind = socket.AF_INET6 if ":" in address else socket.AF_INET
            return [_result(host, address, its_port, kind)]
        try:
            socket.inet_pton(socket.AF_INET6 if ":" in host else socket.AF_INET, host)
            return [_result(host, host, port, socket.AF_INET6 if ":" in host else socket.AF_INET)]
        except OSError:
            pass
        if self._system is None:
            self._system = AsyncResolver(nameservers=[self._server]) if self._server else AsyncResolver()
        try:
            addresses = await self._system.resolve(host, port, socket.AF_UNSPEC)
        except OSError as error:
            why = _why(host, error)
            if isinstance(why, NoSuchName) and not isinstance(why, ImpossibleName) and self.asks(host):
                self.answered_at = self._clock()
            raise why from error
        if self.asks(host):
            self.answered_at = self._clock()
        return addresses


def _why(host: str, error: OSError) -> OSError:
    """What it means that a name was looked up in vain."""
    answer = error.__cause__.args[0] if isinstance(error.__cause__, DNSError) else None
    if answer == ARES_EBADNAME:
        return ImpossibleName(f"{host} is not a valid host name")
    if answer in _NO_SUCH_NAME:
        return NoSuchName(f"nobody is called {host}")
    try:
        socket.socket().close()
    except OSError as short:  # a name server that we have no socket for is not silent
        if short.errno in (errno.EMFILE, errno.ENFILE):
            return short
    return NoNameServer(f"no name server says where {host} is: {error.strerror}")


def _result(host: str, address: str, port: int, family: int) -> ResolveResult:
    return ResolveResult(hostname=host, host=address, port=port, family=family, proto=0, flags=socket.AI_NUMERICHOST)
