"""Hours in a moment: an event loop whose clock jumps, and a live web without sockets to run on it."""

from __future__ import annotations

import asyncio
import selectors
from collections.abc import Awaitable, Callable, Coroutine, Mapping
from math import inf
from typing import Any, TypeVar

from salticid.model import Page
from salticid.parse.html import Parser
from salticid.tables.texts import Texts, Urls
from salticid.webs.live.client import Client, Exchange
from salticid.webs.live.failures import Failure
from salticid.webs.live.names import Names
from salticid.webs.live.parser_pool import ParserPool
from salticid.webs.live.politeness import Line, Manners
from salticid.webs.live.reach import Reach
from salticid.webs.live.rules import Rules
from salticid.webs.live.web import LiveWeb, Network

Result = TypeVar("Result")
Answer = Exchange | Failure

TURN = 1e-9
"""Seconds that one turn of the loop takes: what needs no waiting takes no time to speak of."""
MOST_TURNS = 50_000
"""So many turns on end without anybody waiting, and somebody is running in circles."""
LONGEST = 1e9
"""Seconds after which nobody can be said to wait for anything."""
MIDNIGHT = 1_800_000_000.0
"""What the servers' clocks show when a crawl begins."""


def run_virtual(main: Coroutine[Any, Any, Result]) -> Result:
    """Run it to the end on a loop that never waits.

    >>> run_virtual(asyncio.sleep(24 * 3600, "done"))
    'done'
    """
    with asyncio.Runner(loop_factory=_VirtualLoop) as runner:
        return runner.run(main)


def clock() -> float:
    """Seconds since the running loop began."""
    return asyncio.get_running_loop().time()


def wall() -> float:
    """The time of day on the running loop."""
    return MIDNIGHT + clock()


class _VirtualLoop(asyncio.SelectorEventLoop):
    def __init__(self) -> None:
        self._jumps = _Jumps()
        super().__init__(self._jumps)
        self._clock_resolution = 0.0  # no timer fires early

    def time(self) -> float:
        return self._jumps.now


class _Jumps(selectors.DefaultSelector):
    """Where the loop would wait, the time it would wait for is over."""

    now, _turns = 0.0, 0

    def select(self, timeout: float | None = None) -> list[tuple[selectors.SelectorKey, int]]:
        events = super().select(0)
        self._turns = 0 if timeout or events else self._turns + 1
        if self._turns > MOST_TURNS:
            self._turns = 0  # so that the loop can still be closed
            raise RuntimeError(f"running in circles since {self.now:.3f} s")
        if (timeout is None and not events) or self.now > LONGEST:
            since, self.now = self.now, 0.0
            raise RuntimeError(f"everybody waits for nobody at {since:.3f} s")
        self.now += TURN if events else (timeout or 0.0) + TURN
        return events


class Asked(Client):
    """A client without a network: any function from URL to answer is the web."""

    timeout = 10.0

    def __init__(self, answer: Callable[[str], Awaitable[Answer]]) -> None:
        self._answer = answer

    async def get(
        self,
        url: str,
        at_least: int = 0,
        fields: Mapping[str, str] | None = None,
        sent: Callable[[], None] | None = None,
    ) -> Answer:
        if sent is not None:
            sent()
        return await self._answer(url)


class Directory(Names):
    """Knows by heart who shares an address; every other host has its own."""

    def __init__(self, addresses: Mapping[str, str]) -> None:
        self._addresses, self.answered_at = addresses, -inf

    async def address(self, host: str, port: int, seconds: float) -> str:
        return self._addresses.get(host, host)

    def has_rule(self, host: str) -> bool:
        return False


class InProcess(ParserPool):
    """Parses on the spot."""

    def __init__(self) -> None:
        super().__init__(Urls(), Texts())
        self._parser = Parser(self.urls, self.words)

    async def parse(self, html: bytes, url: str, charset: str | None, language: str | None = None) -> Page | None:
        return self._parser.parse(html, url, charset)


def live_web(
    answer: Callable[[str], Awaitable[Answer]],
    manners: Manners,
    requests: int,
    addresses: Mapping[str, str] | None = None,
    rules: type[Rules] = Rules,
) -> LiveWeb:
    """The real live web on the running loop, all but its sockets and processes."""
    line = Line(Asked(answer), Directory(addresses or {}), manners, requests, clock)
    reach = Reach(line, manners, clock)
    network = Network(line, manners, reach, rules("Salticid", line, manners, reach, clock))
    return LiveWeb(network, InProcess(), 1 << 20, clock, wall)


def html(text: str, links: list[str]) -> Exchange:
    """A page that says `text` and links to URLs."""
    anchors = "".join(f'<a href="{link}"></a>' for link in links)
    return Exchange(200, {"content-type": "text/html"}, f"<p>{text}</p>{anchors}".encode())
