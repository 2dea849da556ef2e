"""Requests in their places: not too many at once, and few at one address."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from contextlib import suppress
from functools import lru_cache
from ipaddress import IPv6Address
from math import inf
from urllib.parse import urlsplit

from salticid.urls import origin as origin_of
from salticid.webs.live.client import Client, Exchange
from salticid.webs.live.failures import failure_of
from salticid.webs.live.manners import Manners
from salticid.webs.live.names import Names
from salticid.webs.live.places import LATER, Places
from salticid.webs.live.retries import Failure

MOST_ORIGINS = 8
"""Of those who answered, the last so many."""
_PORTS = {"http": 80, "https": 443}
_ANSWERS = (Failure.BROKEN, Failure.BAD_CERTIFICATE)
"""Failures that show that there is a server."""


class Line:
    """The one way to a server, for pages, robots.txt and sitemaps alike.

    Time spent waiting for a place does not count against a request's timeout. While it is closed nothing is
    asked for; what is under way goes on. Where descriptors run out there are fewer places, and a request that got
    none waits for one.

    `origins` are those that answered last, the very last of them at the end, and `answered_at` is when.
    """

    def __init__(
        self, client: Client, names: Names, manners: Manners, requests: int, clock: Callable[[], float]
    ) -> None:
        self._client, self._names, self._manners, self._clock = client, names, manners, clock
        self.origins: dict[str, None] = {}
        self.answered_at = -inf
        self._places = Places(requests)
        self._open = asyncio.Event()
        self._open.set()

    @property
    def named_at(self) -> float:
        """When a name server last said something."""
        return self._names.answered_at

    def is_named(self, origin: str) -> bool:
        """Whether a name server has to be asked where an origin is."""
        return self._names.asks(_host_and_port(origin)[0])

    async def look_up(self, origin: str) -> None:
        """Ask the name server for a host, whatever it said before; it need not answer."""
        with suppress(OSError):
            await self._names.again(*_host_and_port(origin), self._client.timeout)

    def recall(self, origin: str) -> None:
        """This one answered in an earlier run."""
        self.origins[origin] = None

    async def get(
        self, url: str, at_least: int = 0, fields: Mapping[str, str] | None = None
    ) -> tuple[Exchange | Failure, float]:
        """Ask once, reading at least so many bytes if there are as many; and the seconds it took.

        `fields` are added to the request.
        """
        while True:
            answer, seconds = await self._get(url, at_least, fields)
            if answer is not Failure.NO_DESCRIPTORS or not self._places.take_one_away():
                return answer, seconds
            await asyncio.sleep(LATER)

    async def place(self, url: str) -> tuple[str, bool]:
        """The address a URL is asked at, as one of its owner's; and whether the person put it there.

        Where the person put it, manners hold per host, for its address says nothing about who is there. OSError
        when that cannot be found out.
        """
        host, port = _host_and_port(origin_of(url))
        address = await self._names.address(host, port, self._client.timeout)
        return _of_one_owner(address), self._names.has_rule(host)

    def close(self) -> None:
        """Send no request until it is opened again."""
        self._open.clear()

    def open(self) -> None:
        """Let those go on who wait."""
        self._open.set()

    async def _get(
        self, url: str, at_least: int, fields: Mapping[str, str] | None
    ) -> tuple[Exchange | Failure, float]:
        start = self._clock()
        try:
            where, by_rule = await self.place(url)
        except OSError as error:
            return failure_of(error), self._clock() - start
        address = self._manners.at(where)
        async with address.places:
            on_sent = _nobody_waits if by_rule else await address.turn()
            try:
                async with self._places:
                    await self._open.wait()
                    start = self._clock()
                    answer = await self._client.get(url, at_least, fields, on_sent)
                    end = self._clock()
            finally:
                on_sent()
        if isinstance(answer, Exchange) or answer in _ANSWERS:
            self._heard_from(origin_of(url), end)
        return answer, end - start

    def _heard_from(self, origin: str, now: float) -> None:
        self.origins.pop(origin, None)
        self.origins[origin] = None
        if len(self.origins) > MOST_ORIGINS:
            del self.origins[next(iter(self.origins))]
        self.answered_at = now


def _nobody_waits() -> None:
    """Where the person placed a host, others at its address need not know that a request was sent."""


@lru_cache(maxsize=4096)
def _host_and_port(origin: str) -> tuple[str, int]:
    parts = urlsplit(origin)
    return parts.hostname or "", parts.port or _PORTS[parts.scheme]


@lru_cache(maxsize=4096)
def _of_one_owner(address: str) -> str:
    """An address, as one for all that its owner surely has: of IPv6 nobody has less than the first 64 bits.

    >>> _of_one_owner("2001:db8::1") == _of_one_owner("2001:db8::2:3"), _of_one_owner("::ffff:9.9.9.9")
    (True, '9.9.9.9')
    """
    if ":" not in address:
        return address
    ip = IPv6Address(address.partition("%")[0])
    return str(ip.ipv4_mapped or IPv6Address(int(ip) >> 64 << 64))
