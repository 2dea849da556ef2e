"""Choices set aside for later, second chances for hosts that failed, and waiting for a log that cannot write."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
from itertools import islice
from math import inf

from salticid.model import Choice, Outcome, Visit
from salticid.protocols import Log, UrlTable
from salticid.snapshots import in_snapshot
from salticid.urls import origin


@dataclass(frozen=True, slots=True)
class _SetAside:
    """A choice whose host, or one it was sent on to, wants to be left alone; `host` if it is its own."""

    until: float
    choice: Choice
    host: int | None


class Parking:
    """The choices set aside, in the order in which they came, each until its time on the clock."""

    def __init__(self, clock: Callable[[], float]) -> None:
        self._clock = clock
        self._choices: list[_SetAside] = []

    def __len__(self) -> int:
        return len(self._choices)

    def add(self, choice: Choice, until: float | None = None, host: int | None = None) -> None:
        """Set a choice aside until then, or until there is room for it; its `host` is left alone meanwhile."""
        self._choices.append(_SetAside(self._clock() if until is None else until, choice, host))

    def release(self, has_room: Callable[[], bool]) -> list[Choice]:
        """Those whose time has come, for as long as there is room."""
        now, free = self._clock(), []
        for each in [each for each in self._choices if each.until <= now]:
            if not has_room():
                break
            self._choices.remove(each)
            free.append(each.choice)
        return free

    @property
    def hosts(self) -> frozenset[int]:
        """The hosts that are left alone."""
        return frozenset(each.host for each in self._choices if each.host is not None)

    @property
    def until(self) -> float | None:
        """When the first of them may be asked for; None when there are none."""
        return min((each.until for each in self._choices), default=None)

    @property
    def next(self) -> float | None:
        """When the next of those may be asked for whose time has not come; None when there are none."""
        now = self._clock()
        return min((each.until for each in self._choices if each.until > now), default=None)

    @property
    def overdue(self) -> list[float]:
        """The promise of each link whose time has come, if there were room."""
        now = self._clock()
        return [each.choice.score for each in self._choices if each.until <= now]

    def urls(self) -> list[tuple[int, float]]:
        """The URLs set aside, and until when."""
        return [(each.choice.link.url, each.until) for each in self._choices]


# Second chances: hosts that were given up, and the links that were lost with them.
#
# A host may be gone for a while, or our own network was. So each one that was given up is tried again with one of its
# links: when a crawl goes on in a new run, and once more when nothing else is left. If it answers, the others are
# offered again. Links to addresses that the crawl might not reach are, when it may reach more.

MOST_LINKS = 100_000
"""Links remembered, the first ones lost."""
AGAIN_AFTER = 60.0
"""Seconds between two chances for a host."""


@in_snapshot("_urls", "_last_try", _links=dict[str, dict[int, None]], _refused=dict[int, None], _count=int)
class SecondChances:
    """The links lost with hosts given up: a function of the visits it was shown, in their order."""

    def __init__(self, urls: UrlTable) -> None:
        self._urls = urls
        self._links: dict[str, dict[int, None]] = {}
        self._refused: dict[int, None] = {}
        self._count = 0
        self._last_try: dict[str, float] = {}

    def observe(self, visit: Visit) -> list[int]:
        """A visit was made: the links that may be offered again, because their host is there again."""
        if visit.outcome is Outcome.REFUSED_ADDRESS and len(self._refused) < MOST_LINKS:
            self._refused[visit.url] = None
        elif self._refused:
            self._refused.pop(visit.url, None)
        if visit.outcome is not Outcome.UNREACHABLE and not self._links:
            return []
        host = origin(self._urls[visit.final])
        if visit.outcome is Outcome.UNREACHABLE:
            if self._count < MOST_LINKS and visit.url not in (links := self._links.setdefault(host, {})):
                links[visit.url] = None
                self._count += 1
            return []
        if visit.revisit or not visit.outcome.fetched:
            return []
        back = self._links.pop(host, {})
        self._count -= len(back)
        return [url for url in back if url != visit.url]

    def refused(self) -> list[int]:
        """The links whose addresses were refused, each once; they are forgotten here."""
        links, self._refused = list(self._refused), {}
        return links

    def one_each(self, now: float) -> list[int]:
        """A link of each host given up, but for those that were tried again just now."""
        hosts = [host for host in self._links if now - self._last_try.get(host, -inf) >= AGAIN_AFTER]
        self._last_try.update(dict.fromkeys(hosts, now))
        return [url for host in hosts for url in islice(self._links[host], 1)]


# Waiting for a log that cannot write: the disk is full, or the crawl has all the room it may have.

RETRY_SECONDS = 1.0
"""How long after a failed try to write the next one is made."""


async def wait_for_the_log(
    log: Log, interrupted: Callable[[], bool], on_trouble: Callable[[str], None] | None = None
) -> None:
    """Wait until the log is out of trouble, or the crawl is interrupted; `on_trouble` is called with the trouble."""
    if log.trouble is not None and on_trouble is not None:
        on_trouble(log.trouble)
    while log.trouble is not None and not interrupted():
        await asyncio.sleep(RETRY_SECONDS)
        log.retry()
