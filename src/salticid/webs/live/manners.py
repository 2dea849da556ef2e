"""Manners: when which host may be asked, and who waits for whom."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, field
from math import inf

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
