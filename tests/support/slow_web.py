"""Small webs that take their time, and crawls of them by the live driver; on virtual time."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Callable, Sequence

from tests.support.virtual_time import clock, run_virtual

from salticid.crawl import Crawl
from salticid.drivers.live import NO_CALLS, DriverCalls, LiveDriver
from salticid.judges.cosine import Cosine
from salticid.model import Choice, Response, StopReason
from salticid.protocols import Judge
from salticid.runs.brief import prepare
from salticid.runs.recorded import MemoryLog
from salticid.strategies.best_first import BestFirst
from salticid.testing.small import Sheet, SmallWeb
from salticid.topic import Limits
from salticid.webs.live.politeness import MayAsk, Parked

PLENTY = Limits(max_pages=10_000)


class Log(MemoryLog):
    """Keeps what was chosen, too."""

    def __init__(self) -> None:
        super().__init__()
        self.chosen: list[tuple[int, frozenset[int], list[int]]] = []

    def add_choices(self, room: int, busy: frozenset[int], choices: Sequence[Choice]) -> None:
        self.chosen.append((room, busy, [choice.link.url for choice in choices]))


class SlowWeb:
    """A small web that takes its time, by default that of the small web itself; it knows who waits for it.

    A host in `parked` wants to be left alone until then, whoever comes before, as does one without a sitemap.
    """

    def __init__(self, small: SmallWeb, seconds: Callable[[str], float] | None = None) -> None:
        self.small, self._seconds = small, seconds
        self.parked: dict[str, float] = {}
        self.maps: dict[str, tuple[float, list[str]]] = {}
        self.here: Counter[str] = Counter()
        self.most_here: Counter[str] = Counter()
        self.sent: list[str] = []
        self.came: dict[str, float] = {}

    async def fetch(self, url: int, may_ask: MayAsk | None = None) -> Response:
        name, host = self.small.name(url), self.small.urls.host_name(self.small.urls.host(url))
        self.sent.append(name)
        self.here.update([host, "all"])
        self.most_here |= self.here
        try:
            if clock() < self.parked.get(host, 0.0):
                raise Parked(host, self.parked[host])
            response = self.small.fetch(url)
            await asyncio.sleep(response.seconds if self._seconds is None else self._seconds(name))
        finally:
            self.here.subtract([host, "all"])
        self.came[name] = clock()
        return response

    def forgive(self) -> None: ...

    async def sitemap(self, url: int) -> list[int]:
        seconds, names = self.maps.get(self.small.name(url), (0.0, []))
        await asyncio.sleep(seconds)
        if not names:
            raise Parked("nobody.example", clock() + 1000.0)
        return [self.small.id(name) for name in names]

    async def feed(self, url: str) -> None: ...


class Hunt:
    """A crawl of a slow web by the live driver; inside a running loop."""

    def __init__(
        self,
        web: SlowWeb,
        requests: int,
        limits: Limits = PLENTY,
        sitemaps: bool = False,
        calls: DriverCalls = NO_CALLS,
        judge: Judge | None = None,
    ) -> None:
        self.web, self.log = web, Log()
        brief = prepare(web.small.topic, web.small, limits, seed=0)
        web.small.asked.clear()
        self.crawl = Crawl(brief, BestFirst(), judge or Cosine(), self.log, clock, web.small.page)
        self.driver = LiveDriver(self.crawl, web, requests, clock, sitemaps=sitemaps, calls=calls)

    async def run(self) -> StopReason:
        """To the end, which leaves nobody behind."""
        stopped = await self.driver.run()
        assert asyncio.all_tasks() == {asyncio.current_task()}
        return stopped

    def visited(self) -> list[str]:
        return [self.web.small.name(visit.url) for visit in self.log.visits]


def hunt(
    web: SlowWeb, requests: int, limits: Limits = PLENTY, sitemaps: bool = False, judge: Judge | None = None
) -> tuple[StopReason, Hunt]:
    """A whole crawl."""

    async def main() -> tuple[StopReason, Hunt]:
        done = Hunt(web, requests, limits, sitemaps, judge=judge)
        return await done.run(), done

    return run_virtual(main())


def hosts(count: int, **first: Sheet) -> SmallWeb:
    """A seed that links to so many hosts of one page each."""
    names = [f"h{n}.example/x" for n in range(count)]
    return SmallWeb({"seed": ("spiders", names), **first, **{name: ("spiders", []) for name in names}})


def chains(**lengths: int) -> SmallWeb:
    """A seed that links to hosts each of which is a chain of so many pages."""
    pages: dict[str, Sheet] = {"seed": ("spiders", [f"{host}.example/p0" for host in lengths])}
    for host, length in lengths.items():
        for n in range(length):
            pages[f"{host}.example/p{n}"] = (
                "spiders",
                [f"{host}.example/p{n + 1}"] if n + 1 < length else [],
            )
    return SmallWeb(pages)
