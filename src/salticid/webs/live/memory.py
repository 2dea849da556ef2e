"""What manners must not forget when the program ends: pauses, robots.txt files, who is where, and who is not there.

Times are kept by the clock on the wall, since a host that asked for an hour means an hour of the world's. Pauses only
make a crawl slower. A robots.txt could allow what its host forbids, so it is signed with a key of this machine; that of
another machine is fetched again.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping
from hashlib import blake2b
from hmac import compare_digest
from itertools import islice

import msgspec

from salticid.webs.live.failures import PREFIX
from salticid.webs.live.robots import LONGEST_DELAY
from salticid.webs.live.web import LiveWeb

_HOST, _ROBOTS, _PLACE = "host ", "robots ", "at "
LONGEST_PROMISE = 86_400.0
"""Seconds ahead that a time may lie when it is remembered; one further ahead was written under a wrong clock."""
_SIGNATURE = 16


class Memory:
    """Hands out what changed, under names, and takes it back in a later run."""

    def __init__(self, web: LiveWeb, key: bytes | None, wall: Callable[[], float] = time.time) -> None:
        self._manners, self._rules = web.network.manners, web.network.rules
        self._web, self._key, self._wall = web, key, wall
        self._places_saved = 0

    def news(self) -> Iterator[tuple[str, bytes]]:
        """All that changed since the last call."""
        ahead, latest = self._wall() - self._web.clock(), self._wall() + LONGEST_PROMISE
        for host, pause, free_at in self._manners.news():
            yield _HOST + host, msgspec.msgpack.encode((pause, min(latest, free_at + ahead)))
        for origin, until, (status, file) in self._rules.news():
            answer = msgspec.msgpack.encode((min(latest, until + ahead), status, file))
            yield _ROBOTS + origin, self._signature(origin, answer) + answer
        for host, address in islice(self._web.places.items(), self._places_saved, None):
            yield _PLACE + host, msgspec.msgpack.encode(address)
        self._places_saved = len(self._web.places)
        for origin, note in self._web.new_failures().items():
            yield PREFIX + origin, note.encode()

    def recall(self, notes: Mapping[str, bytes]) -> None:
        """Take back what an earlier run handed out."""
        ahead = self._wall() - self._web.clock()
        self._manners.come_back()
        for name, value in notes.items():
            if name.startswith(_HOST):
                pause, free_at = msgspec.msgpack.decode(value, type=tuple[float, float])
                host = name.removeprefix(_HOST)
                pause = min(LONGEST_DELAY, pause)
                self._manners.ask_pause(host, pause)
                # It may have been asked just before the program was killed, and nobody wrote that down.
                self._manners.leave_alone(host, max(self._bounded(free_at - ahead), self._web.clock() + pause))
            elif name.startswith(_ROBOTS):
                origin, note = name.removeprefix(_ROBOTS), value[_SIGNATURE:]
                if self._key is not None and compare_digest(self._signature(origin, note), value[:_SIGNATURE]):
                    until, status, file = msgspec.msgpack.decode(note, type=tuple[float, int, bytes])
                    self._rules.recall(origin, self._bounded(until - ahead), (status, file))
            elif name.startswith(_PLACE):
                self._web.places[name.removeprefix(_PLACE)] = msgspec.msgpack.decode(value, type=str)
        self._places_saved = len(self._web.places)

    def _signature(self, origin: str, note: bytes) -> bytes:
        return blake2b(origin.encode() + b"\0" + note, key=self._key or b"", digest_size=_SIGNATURE).digest()

    def _bounded(self, time: float) -> float:
        """A remembered time on the crawl's clock; now, if no right clock can have written it."""
        now = self._web.clock()
        return time if time <= now + LONGEST_PROMISE else now
