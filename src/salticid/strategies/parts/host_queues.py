"""The links of a frontier by their hosts."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from heapq import heapify, heappop, heappush
from itertools import count

from salticid.model import Choice
from salticid.snapshots import in_snapshot
from salticid.strategies.parts.frontier import Frontier

_SPARE = 64


@in_snapshot(
    "_host_of", _frontier=Frontier, _queues=dict[int, list[tuple[float, int, int]]], _ages=count, _size=int
)
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
