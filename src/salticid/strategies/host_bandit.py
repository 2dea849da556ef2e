"""First the host that has paid, then its most promising link."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from heapq import heapify, heappop, heappush
from itertools import count
from typing import Annotated, ClassVar

import numpy as np
from msgspec import Meta

from salticid.model import Choice, Floats, Ints, Links, Visit
from salticid.protocols import Brief
from salticid.snapshots import in_snapshot
from salticid.strategies.parts import Frontier, LinkScoring

# The links of a frontier by their hosts.

_SPARE = 64


@in_snapshot("_host_of", _frontier=Frontier, _queues=dict[int, list[tuple[float, int, int]]], _ages=count, _size=int)
class HostQueues:
    """A frontier whose links can be had host by host: of a host the best one, the oldest among equals.

    The frontier says who waits and with what score; here is only the order. Links that left it, or moved in it,
    are dropped as they surface, or when there are many.
    """

    def __init__(self, frontier: Frontier, host_of: Callable[[int], int]) -> None:
        self._frontier, self._host_of = frontier, host_of
        self._queues: dict[int, list[tuple[float, int, int]]] = {}
        self._ages = count()
        self._size = 0

    def enter(self, urls: Iterable[int]) -> None:
        """These may be new in the frontier, or have another score."""
        for url in urls:
            if url in self._frontier:
                queue = self._queues.setdefault(self._host_of(url), [])
                heappush(queue, (-self._frontier.score(url), next(self._ages), url))
                self._size += 1
        if self._size > 2 * len(self._frontier) + _SPARE:
            self._tidy()

    def has(self, host: int) -> bool:
        """Whether a link of this host waits."""
        queue = self._queues.get(host, [])
        while queue and not self._lives(queue[0]):
            heappop(queue)
            self._size -= 1
        if not queue:
            self._queues.pop(host, None)
        return bool(queue)

    def take(self, host: int) -> Choice:
        """The best link of a host that has one; it waits no more."""
        self._size -= 1
        return self._frontier.take(heappop(self._queues[host])[2])

    def _lives(self, entry: tuple[float, int, int]) -> bool:
        score, _, url = entry
        return url in self._frontier and self._frontier.score(url) == -score

    def _tidy(self) -> None:
        for host, queue in list(self._queues.items()):
            queue[:] = [entry for entry in queue if self._lives(entry)]
            heapify(queue)
            if not queue:
                del self._queues[host]
        self._size = sum(map(len, self._queues.values()))


_TRIES = 16
"""So many times a host is drawn that has no link to give, or is busy, before the best one is taken instead."""
"""So many entries of hosts whose record has changed may be left lying about."""


@in_snapshot(
    "_host_of", _rng=np.random.Generator, _links=HostQueues, _record=dict[int, tuple[int, int]],
    _number=dict[int, int], _hosts=list[int], _ranking=list[tuple[float, int, int]],
    _rank_of=dict[int, float], _pages=int,
)  # fmt: skip
class HostBandit(LinkScoring):
    """Hosts are the arms of a bandit: the one of the best record is played, now and then any other.

        record of a host = (positive pages + 1) / (pages + 2)

    With probability explore * decay / (decay + pages of the crawl) a host is drawn, all alike; else the one of
    the best record is taken, of equals the one known longest. Of the host's links the one is chosen whose anchor
    is most likely to lead on topic: naive Bayes on its words, learned while crawling, as in `anchor`. `why` gives
    the record and that probability.

    Deviations: the paper looks for pages that carry structured data and describes a link by more than its
    anchor. Here so that a strategy of hosts has its place in the race.

    >>> from salticid.testing import walk_through
    >>> walk_through(HostBandit(explore=0), max_pages=5)
    ['seed', 'b', 'b2', 'b21', 'a2']

    Paper: Meusel, Mika, Blanco, "Focused crawling for structured data", CIKM 2014.
    """

    reads_pages: ClassVar[bool] = False

    def __init__(
        self,
        *,
        explore: Annotated[float, Meta(ge=0, le=1)] = 0.2,
        decay: Annotated[int, Meta(ge=1, le=1_000_000)] = 1000,
    ) -> None:
        self.explore = explore
        self.decay = decay

    def log_prior(self, posterior: Floats) -> Floats:
        return self.model.anchor_prior()

    def start(self, brief: Brief) -> None:
        super().start(brief)
        self._host_of, self._rng = brief.urls.host, brief.rng
        self._links = HostQueues(self.frontier, self._host_of)
        self._record: dict[int, tuple[int, int]] = {}
        self._number: dict[int, int] = {}
        self._hosts: list[int] = []
        self._ranking: list[tuple[float, int, int]] = []
        self._rank_of: dict[int, float] = {}
        self._pages = 0
        self._enter(brief.seeds.url.tolist())

    def choose(self, n: int, busy: frozenset[int]) -> list[Choice]:
        choices: list[Choice] = []
        while len(choices) < n and (host := self._next_host(busy)) is not None:
            choice = self._links.take(host)
            self._rank(host)
            choices.append(replace(choice, why=(("host", self._value(host)), ("anchor", choice.score))))
        self._leave(choices)
        return choices

    def observe(self, visit: Visit, fresh: Ints) -> None:
        super().observe(visit, fresh)
        if visit.page is None:
            return
        host = self._host_of(visit.final)
        good, visits = self._record.get(host, (0, 0))
        self._record[host] = good + visit.positive, visits + 1
        self._pages += 1
        self._rank(host)
        self._enter(visit.page.links.url[fresh].tolist())

    def offer(self, links: Links) -> None:
        super().offer(links)
        self._enter(links.url.tolist())

    def _enter(self, urls: list[int]) -> None:
        """Queue links with their hosts, and rank hosts met for the first time."""
        self._links.enter(dict.fromkeys(urls))
        for host in dict.fromkeys(map(self._host_of, urls)):
            if host not in self._number:
                self._number[host] = len(self._hosts)
                self._hosts.append(host)
            self._rank(host)

    def _value(self, host: int) -> float:
        good, visits = self._record.get(host, (0, 0))
        return (good + 1) / (visits + 2)

    def _rank(self, host: int) -> None:
        """Let a host that has a link compete, by what its record says now."""
        value = self._value(host)
        if host not in self._number or self._rank_of.get(host) == value or not self._links.has(host):
            return
        self._rank_of[host] = value
        heappush(self._ranking, (-value, self._number[host], host))
        if len(self._ranking) > 2 * len(self._rank_of) + _SPARE:
            self._ranking = [(-value, self._number[host], host) for host, value in self._rank_of.items()]
            heapify(self._ranking)

    def _next_host(self, busy: frozenset[int]) -> int | None:
        """The host to play now; None when no host that is not busy has a link."""
        explores = self._rng.random() < self.explore * self.decay / (self.decay + self._pages)
        return self._random_host(busy) if explores else self._best_host(busy)

    def _random_host(self, busy: frozenset[int]) -> int | None:
        for _ in range(_TRIES if self._hosts else 0):
            host = self._hosts[self._rng.integers(len(self._hosts))]
            if host not in busy and self._links.has(host):
                return host
        return self._best_host(busy)

    def _best_host(self, busy: frozenset[int]) -> int | None:
        resting, best = [], None
        while best is None and self._ranking:
            entry = heappop(self._ranking)
            value, _, host = entry
            if self._rank_of.get(host) != -value:
                continue
            if host in busy:
                resting.append(entry)
                continue
            del self._rank_of[host]
            if self._links.has(host):
                best = host
        for entry in resting:
            heappush(self._ranking, entry)
        return best
