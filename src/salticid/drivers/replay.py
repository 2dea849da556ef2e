"""The replay driver: a crawl over a recorded web, in virtual time."""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Protocol

import numpy as np

from salticid.crawl import Crawl
from salticid.drivers.glimpses import KnownElsewhere
from salticid.errors import UserError
from salticid.model import Choice, StopReason, Visit
from salticid.protocols import Web

# Who of those in flight returns next, on a recorded web.


class Arrivals(Protocol):
    """The choices in flight, and how many more may join them now."""

    def room(self) -> int:
        """How many choices to ask for now; 0 for none."""
        ...

    def add(self, choices: list[Choice]) -> None:
        """These are in flight now."""
        ...

    def next(self) -> Choice:
        """The one that returns next; it is in flight no more."""
        ...

    def __len__(self) -> int: ...


class Window:
    """Up to `size` in flight; they return in the order they left. With size 1: one at a time."""

    def __init__(self, size: int = 1) -> None:
        self._size = size
        self._flying: deque[Choice] = deque()

    def __len__(self) -> int:
        return len(self._flying)

    def room(self) -> int:
        return self._size - len(self._flying)

    def add(self, choices: list[Choice]) -> None:
        self._flying.extend(choices)

    def next(self) -> Choice:
        return self._flying.popleft()


class Roulette:
    """Up to `capacity` in flight, refilled when only `low` are left; the longer there, the sooner back.

    Each carries a time stamp, 1 on entry and one more at every refill; the next to return is drawn
    with a probability proportional to it. The seeds all enter at once, even above the capacity.

    Paper: system 5, a crawl simulator for evolving the ranking of the frontier.
    """

    def __init__(self, capacity: int, low: int, seeds: int, rng: np.random.Generator) -> None:
        self._capacity, self._low, self._rng = capacity, low, rng
        self._first_room = max(capacity, seeds)
        self._flying: list[Choice] = []
        self._entries: list[int] = []
        self._refills = 0

    def __len__(self) -> int:
        return len(self._flying)

    def room(self) -> int:
        if not self._refills:
            return self._first_room
        return self._capacity - len(self._flying) if len(self._flying) <= self._low else 0

    def add(self, choices: list[Choice]) -> None:
        if choices:
            self._refills += 1
            self._flying += choices
            self._entries += [self._refills] * len(choices)

    def next(self) -> Choice:
        stamps = np.cumsum(self._refills + 1 - np.array(self._entries))
        at = int(stamps.searchsorted(self._rng.integers(int(stamps[-1])), "right"))
        del self._entries[at]
        return self._flying.pop(at)


def arrivals(spec: str, seeds: int, rng: np.random.Generator) -> Arrivals:
    """The model a person named: `one`, `window:N` or `roulette:CAPACITY/LOW`.

    >>> arrivals("window:8", 1, np.random.default_rng(0)).room()
    8
    """
    if spec == "one":
        return Window()
    if match := re.fullmatch(r"window:(\d+)", spec):
        if (size := int(match[1])) > 0:
            return Window(size)
    elif (match := re.fullmatch(r"roulette:(\d+)/(\d+)", spec)) and int(match[1]) > int(match[2]):
        return Roulette(int(match[1]), int(match[2]), seeds, rng)
    raise UserError(
        f"no arrivals {spec!r}; write one, window:N (N >= 1) or roulette:CAPACITY/LOW, as in roulette:100/50"
    )


class VirtualClock:
    """Seconds since the crawl began, moved on by the downloads themselves."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now

    def advance(self, to: float) -> None:
        """Show this time, unless it is later already."""
        self.now = max(self.now, to)


def replay(
    crawl: Crawl,
    web: Web,
    arrivals: Arrivals,
    clock: VirtualClock,
    watch: Callable[[Visit], None] | None = None,
) -> StopReason:
    """Crawl a recorded web to the end and say why it ended; `watch` is shown every arrival."""
    for visit in visits(crawl, web, arrivals, clock):
        if watch is not None:
            watch(visit)
    return crawl.stopped or StopReason.FRONTIER_EMPTY


def visits(
    crawl: Crawl,
    web: Web,
    arrivals: Arrivals,
    clock: VirtualClock,
    busy: Callable[[Iterable[Choice]], frozenset[int]] | None = None,
    known: KnownElsewhere | None = None,
    flying: Sequence[Choice] = (),
) -> Iterator[Visit]:
    """The same, arrival by arrival; `crawl.stopped` says in the end why it ended.

    `arrivals` decides who of those in flight returns next; a download ends its own seconds after it
    began, or when those before it let it. An interrupted crawl delivers nothing more. `busy` says which hosts to
    leave alone while these are in flight; the crawl is then asked, as a live driver does, until it wants no more.
    What is `known` elsewhere is not looked for. An earlier run left these choices `flying`.
    """
    in_flight: dict[int, tuple[Choice, float]] = {choice.link.url: (choice, clock.now) for choice in flying}
    arrivals.add([*flying])
    while True:
        while (room := arrivals.room()) > 0:
            hosts = busy([choice for choice, _ in in_flight.values()]) if busy else frozenset[int]()
            choices = crawl.choices(room, hosts)
            in_flight.update((choice.link.url, (choice, clock.now)) for choice in choices)
            arrivals.add(choices)
            if not choices or busy is None:
                break
        if crawl.stopped is not None and (not len(arrivals) or crawl.stopped is StopReason.INTERRUPTED):
            return
        choice = arrivals.next()
        answer = None if known is None else known.answer(choice)
        response = web.fetch(choice.link.url) if answer is None else answer
        if known is not None and response.page is not None:
            known.compare(response.page)
        clock.advance(in_flight.pop(choice.link.url)[1] + response.seconds)
        yield crawl.deliver(choice, response)
