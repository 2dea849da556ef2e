"""The replay driver: a crawl over a recorded web, in virtual time."""

from __future__ import annotations

from collections.abc import Callable

from salticid.crawl import Crawl
from salticid.drivers.arrivals import Arrivals
from salticid.model import StopReason, Visit
from salticid.protocols import Web


class VirtualClock:
    """Seconds since the crawl began, moved on by the downloads themselves."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


def replay(
    crawl: Crawl,
    web: Web,
    arrivals: Arrivals,
    clock: VirtualClock,
    watch: Callable[[Visit], None] | None = None,
) -> StopReason:
    """Crawl a recorded web to the end and say why it ended.

    `arrivals` decides who of those in flight returns next; a download ends its own seconds after it
    began, or when those before it let it. An interrupted crawl delivers nothing more. `watch` is shown
    every arrival.
    """
    began: dict[int, float] = {}
    while True:
        if (room := arrivals.room()) > 0:
            choices = crawl.wanted(room)
            began.update((choice.link.url, clock.now) for choice in choices)
            arrivals.add(choices)
        if crawl.stopped is not None and (not len(arrivals) or crawl.stopped is StopReason.INTERRUPTED):
            return crawl.stopped
        choice = arrivals.next()
        response = web.fetch(choice.link.url)
        clock.now = max(clock.now, began.pop(choice.link.url) + response.seconds)
        visit = crawl.deliver(choice, response)
        if watch is not None:
            watch(visit)
