"""Politeness: when each host may be asked, and how many requests run at once, in all and per address."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from contextlib import AbstractAsyncContextManager, suppress
from dataclasses import dataclass, field
from functools import lru_cache
from ipaddress import IPv6Address
from math import inf
from urllib.parse import urlsplit

from salticid.urls import origin as origin_of
from salticid.webs.live.client import Client, Exchange
from salticid.webs.live.failures import Failure, failure_of
from salticid.webs.live.names import Names

PARK_AFTER = 600.0
"""A host that wants to be left alone for longer is not waited for."""
LONGEST_PAUSE = 60.0
"""However slow a host answers, this is pause enough."""

MayAsk = Callable[[int, str], bool]
"""Whether a host may be asked now on behalf of a URL."""


class Parked(Exception):
    """A host asked to be left alone for long, until a time on the crawl's clock."""

    def __init__(self, host: str, until: float) -> None:
        super().__init__(f"{host} wants to be left alone until {until:.0f} s")
        self.host, self.until = host, until


class Crowded(Exception):
    """A host has to wait for others: its site, or its address, has had enough for now."""

    def __init__(self, host: str) -> None:
        super().__init__(f"{host} has to wait for others")
        self.host = host


@dataclass(slots=True)
class _HostPatience:
    """What is known of one host's patience; `own_pause` is the one it asked for itself."""

    pause: float
    own_pause: float = 0.0
    free_at: float = 0.0
    last_request: float = -inf
    turn: asyncio.Lock = field(default_factory=asyncio.Lock)


class Address:
    """Where many hosts may be: so many requests at once, and a pause after one was sent before the next is made."""

    def __init__(self, places: int, pause: float, free_at: float, clock: Callable[[], float]) -> None:
        self.places = asyncio.Semaphore(places)
        self._pause, self._free_at, self._clock = pause, free_at, clock
        self._turn = asyncio.Lock()

    async def turn(self) -> Callable[[], None]:
        """Wait until a request may be made; the next may be made after the returned function was called: it is sent."""
        await self._turn.acquire()
        try:
            while (wait := self._free_at - self._clock()) > 0:
                await asyncio.sleep(wait)
        except asyncio.CancelledError:
            self._turn.release()
            raise
        is_sent = False

        def release() -> None:
            nonlocal is_sent
            if not is_sent:
                is_sent = True
                self._free_at = self._clock() + self._pause
                self._turn.release()

        return release


class _Turn:
    """One turn of a host, from when it may be asked to the end of its answer."""

    __slots__ = ("_host", "_lock", "_manners", "_start", "_state")

    def __init__(self, host: str, manners: Manners) -> None:
        self._host, self._manners, self._state = host, manners, manners._state(host)
        self._lock, self._start = self._state.turn, 0.0

    async def __aenter__(self) -> None:
        await self._lock.acquire()
        try:
            while (wait := self._state.free_at - self._manners._clock()) > 0:
                if wait > PARK_AFTER:
                    raise Parked(self._host, self._state.free_at)
                await asyncio.sleep(wait)
        except BaseException:
            self._lock.release()
            raise
        self._start = self._manners._clock()

    async def __aexit__(self, *_: object) -> None:
        self._manners._end_turn(self._host, self._start)
        self._lock.release()


class Manners:
    """Keeps one request in flight per host, a pause between two of them, and few per address.

    The pause is `delay`, or what the host asked for, or as long as its last answer took, whichever is
    longest; with a delay of 0 only what the host asked for counts. An address, which honest hosts may share, is
    asked at most `per_address` times in one delay, however many names it has.
    """

    def __init__(self, delay: float, per_address: int, clock: Callable[[], float]) -> None:
        self._delay, self._per_address, self._clock = delay, per_address, clock
        self._hosts: dict[str, _HostPatience] = {}
        self._changes: dict[str, None] = {}
        self._addresses: dict[str, Address] = {}
        self._addresses_free_at = 0.0

    def turn(self, host: str) -> AbstractAsyncContextManager[None]:
        """Wait for this host's turn; inside, no other request goes to it. Raises Parked when that would take long."""
        return _Turn(host, self)

    def at(self, address: str) -> Address:
        """What is known of an address's patience."""
        if address not in self._addresses:
            self._addresses[address] = Address(
                self._per_address, self._address_pause, self._addresses_free_at, self._clock
            )
        return self._addresses[address]

    def come_back(self) -> None:
        """An earlier run may have asked any address just now."""
        self._addresses_free_at = self._clock() + self._address_pause

    def ask_pause(self, host: str, pause: float) -> None:
        """The host asked for at least this pause between two requests."""
        state = self._state(host)
        state.own_pause = max(state.own_pause, pause)
        state.pause = max(state.pause, pause)
        state.free_at = max(state.free_at, state.last_request + state.pause)
        self._changes[host] = None

    def leave_alone(self, host: str, until: float) -> None:
        """Ask the host for nothing before a time on the crawl's clock."""
        state = self._state(host)
        state.free_at = max(state.free_at, until)
        self._changes[host] = None

    def news(self) -> list[tuple[str, float, float]]:
        """The hosts touched since the last call: name, the pause they asked for, when they may be asked next."""
        changes = [(host, self._hosts[host]) for host in self._changes]
        self._changes.clear()
        return [(host, state.own_pause, state.free_at) for host, state in changes]

    def _end_turn(self, host: str, start: float) -> None:
        state = self._hosts[host]
        end = state.last_request = self._clock()
        slow = min(end - start, LONGEST_PAUSE) if self._delay else 0.0
        state.free_at = max(state.free_at, end + max(state.pause, slow))
        self._changes[host] = None

    @property
    def _address_pause(self) -> float:
        return self._delay / self._per_address

    def _state(self, host: str) -> _HostPatience:
        if host not in self._hosts:
            self._hosts[host] = _HostPatience(self._delay)
        return self._hosts[host]


# Places for requests under way: fewer of them when the system has no more descriptors to give.

LATER = 1.0
"""Seconds until one who got no descriptor tries again: a kept connection may have been closed by then."""
RETURN_AFTER = 100
"""So many requests later one place more is tried."""


class Places(asyncio.Semaphore):
    """So many may be at work at once, and one fewer each time that there turn out to be too many.

    >>> places = Places(2)
    >>> places.take_one_away(), places.take_one_away(), places.there_are
    (True, False, 1)
    """

    def __init__(self, most: int) -> None:
        super().__init__(most)
        self._most = self.there_are = most
        self._to_remove = self._since = 0

    def take_one_away(self) -> bool:
        """Have one place fewer from now on; False when there is only one."""
        self._since = 0
        if self.there_are == 1:
            return False
        self.there_are -= 1
        self._to_remove += 1
        return True

    def release(self) -> None:
        """Leave a place."""
        if self._to_remove:
            self._to_remove -= 1
            return
        super().release()
        self._since += 1
        if self.there_are < self._most and self._since >= RETURN_AFTER:
            self._since = 0
            self.there_are += 1
            super().release()


# Requests in their places: not too many at once, and few at one address.

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

    async def _get(self, url: str, at_least: int, fields: Mapping[str, str] | None) -> tuple[Exchange | Failure, float]:
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
