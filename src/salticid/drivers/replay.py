"""The replay driver: a crawl over a recorded web, in virtual time."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from salticid.crawl import Crawl
from salticid.drivers.arrivals import Arrivals
from salticid.drivers.known_elsewhere import KnownElsewhere
from salticid.model import Choice, StopReason, Visit
from salticid.protocols import Web


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
) -> Iterator[Visit]:
    """The same, arrival by arrival; `crawl.stopped` says in the end why it ended.

    `arrivals` decides who of those in flight returns next; a download ends its own seconds after it
    began, or when those before it let it. An interrupted crawl delivers nothing more. `busy` says which hosts to
    leave alone while these are in flight; the crawl is then asked, as a live driver does, until it wants no more.
    What is `known` elsewhere is not looked for.
    """
    in_flight: dict[int, tuple[Choice, float]] = {}
    while True:
        while (room := arrivals.room()) > 0:
            flying = busy([choice for choice, _ in in_flight.values()]) if busy else frozenset[int]()
            choices = crawl.choices(room, flying)
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
