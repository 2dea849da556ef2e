"""One run of a crawl, new or resumed: it can be watched, paused and stopped, on either web.

Every crawl that is kept or watched is made by `run`: by the command line, the page, a shard, a program.
The laboratory, which only wants the visits of many crawls of a recorded web, makes them with `RecordedCrawl`.
"""

from __future__ import annotations

import asyncio
import time
from abc import ABC, abstractmethod
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Mapping
from contextlib import AsyncExitStack, asynccontextmanager, closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Generic, TypeVar

from salticid.crawl import Crawl
from salticid.encoders import AbsentEncoder
from salticid.model import StopReason, Visit
from salticid.protocols import Table, UrlTable
from salticid.runs.asking import Asker, Listener, asker_of
from salticid.runs.brief import KnownPages
from salticid.runs.live_settings import LiveSettings
from salticid.runs.named import repeats_itself
from salticid.runs.onlooker import Onlooker
from salticid.runs.order import ForeignWeb, Order, Result
from salticid.store import AS_GIVEN, CrawlLog, OtherCrawls
from salticid.tables import Texts, Urls
from salticid.topic import Limits
from salticid.version import __version__

# Which hosts belong to a part of a larger crawl.

T = TypeVar("T")
Hosts = Callable[[str], bool]
"""Whether a host, by its name with its port, belongs to a part."""


class ByHost(Generic[T]):
    """The answers of a function of host names, by URL; it is called once for each host."""

    def __init__(self, urls: UrlTable, of_host: Callable[[str], T]) -> None:
        self._urls, self._of_host = urls, of_host
        self._answers: dict[int, T] = {}

    def of(self, url: int) -> T:
        """The answer for the host of a URL."""
        host = self._urls.host(url)
        if host not in self._answers:
            self._answers[host] = self._of_host(self._urls.host_name(host))
        return self._answers[host]


@dataclass(frozen=True, slots=True)
class Part:
    """The part of a larger crawl that asks some hosts, and leaves all others to others.

    `more` waits, when there is nothing left to do, until there may be; False ends the run. `known_pages` gives the
    known pages of the topic where they were read already. `whole` are the limits of the larger crawl.
    """

    hosts: Hosts
    more: Callable[[], Awaitable[bool]]
    known_pages: Callable[[Urls, Texts], KnownPages] | None = None
    whole: Limits | None = None


def run(order: Order, onlooker: Onlooker | None = None) -> Result:
    """Crawl, or go on with the crawl in the folder. KeyboardInterrupt if it was ended before it had begun."""
    return asyncio.run(run_async(order, onlooker))


async def run_async(order: Order, onlooker: Onlooker | None = None, part: Part | None = None) -> Result:
    """The same on an event loop that is running; perhaps as a part of a larger crawl."""
    onlooker = onlooker or Onlooker()
    if isinstance(order.web, ForeignWeb):
        raise TypeError(f"{order.web.program} fetches this web, and runs the crawl of it")
    if isinstance(order.web, LiveSettings):
        from salticid.runs.live import LiveRun  # here: a recorded web needs no aiohttp

        run: Run = LiveRun(order, order.web, onlooker, part)
    else:
        from salticid.runs.recorded import RecordedRun

        run = RecordedRun(order, order.web, onlooker)
    with closing(run.log):
        try:
            return await run.run()
        finally:
            run.close()


class Run(ABC):
    """One run of a crawl. `crawl` is there once the onlooker's `ready` was called."""

    crawl: Crawl
    clock: Callable[[], float]
    """Seconds since the crawl began, over all its runs."""

    def __init__(self, order: Order, onlooker: Onlooker, log: CrawlLog) -> None:
        self.order, self.onlooker, self.log = order, onlooker, log
        self.new, self.as_given = True, False
        """Whether the folder held no crawl; if it did, whether its past is taken as given."""
        self.larger: Limits | None = None
        self._others: OtherCrawls | None = None
        self.asker: Asker | None = None
        """Asks about pages, while the crawl runs and somebody is there to be asked."""
        self.seconds, self._visits = 0.0, 0
        """What the crawl's clock showed when the run began, and how many visits there were."""

    async def run(self) -> Result:
        """From the folder to what came of it."""
        if (before := self.log.open()) is not None:
            self._go_on_from(before)
        reason = await self.to_its_end()
        if self.log.write_error is not None:
            reason = StopReason.INTERRUPTED
        crawl, seconds = self.crawl, self.clock()
        self.log.about({"seconds": seconds, "line": crawl.judge.line})
        if self.new or self.larger or crawl.step > self._visits or reason is not StopReason.INTERRUPTED:
            # A run that was only woken, without a visit, keeps the reason of the run before.
            self.log.about({"stopped": reason.value})
        return Result(crawl.pages, crawl.fetches, reason, seconds, self.log.in_memory)

    def others(self, urls: UrlTable, words: Table) -> OtherCrawls | None:
        """The other crawls whose pages the order takes for known; what is noted of them goes to the log."""
        spec = self.order.spec
        if spec.known:
            since = time.time() - spec.known_for
            self._others = OtherCrawls([*map(Path, spec.known)], since, urls, words)
            self.log.attach(self._others.news)
        return self._others

    def close(self) -> None:
        """Let go of what was opened besides the log."""
        if self._others is not None:
            self._others.close()

    def _go_on_from(self, before: dict[str, Any]) -> None:
        """The folder holds a crawl, with these facts: take it up, if it is the one that was ordered."""
        self.new = False
        self.order, self.larger = self.order.continuing(self.log, before)
        if (missing := self.log.go_on()) is not None:
            self.onlooker.warn(missing)
        if isinstance(encoder := self.order.encoder, AbsentEncoder):
            self.onlooker.warn(
                f"The sentence encoder {encoder.name} of this crawl is not here: texts that are new are read by their "
                f"words alone. Install it with: salticid model get {encoder.name}"
            )
        order = self.order
        repeats = all(repeats_itself(part) for part in (order.strategy, order.judge))
        same_version = AS_GIVEN not in before and before["version"] == __version__
        self.as_given = order.spec.as_given or not (repeats and same_version)
        if self.as_given:
            self.log.about({AS_GIVEN: __version__})
        record = self.log.record()
        self.seconds, self._visits = record.seconds, record.visits

    @asynccontextmanager
    async def asking(self) -> AsyncIterator[None]:
        """While this lasts, words of a person are heard, and somebody is asked about pages, if the order says so.

        `crawl` is ready by then.
        """
        order, onlooker = self.order, self.onlooker
        listener = Listener(self.crawl, self.log, self.nudge)
        listener.look()
        listening = asyncio.create_task(listener.listen())
        async with AsyncExitStack() as stack:
            self.asker = await asker_of(order.spec, self.crawl, order.judge, self.log, stack, self.nudge, onlooker.warn)
            try:
                yield
            finally:
                listening.cancel()
                if self.asker is not None:
                    await self.asker.close(self.crawl.stopped is not StopReason.INTERRUPTED)
                listener.look()

    def visit(self, visit: Visit) -> None:
        """There was a new visit: tell the onlooker, and ask about pages if it is time to."""
        self.onlooker.visit(visit)
        if self.asker is not None:
            self.asker.visit()

    @abstractmethod
    async def to_its_end(self) -> StopReason:
        """Set the crawl up, call the onlooker's `ready`, and crawl until there is a reason to stop."""

    @property
    @abstractmethod
    def paused(self) -> bool:
        """Whether nothing is asked for until it goes on."""

    @abstractmethod
    def pause(self) -> None:
        """Ask for nothing more, and let the crawl's clock stand still, until it goes on."""

    @abstractmethod
    def go_on(self) -> None:
        """Ask again."""

    @abstractmethod
    def nudge(self) -> None:
        """Somebody spoke to the crawl: look again at what is wanted."""

    @property
    def active_hosts(self) -> int:
        """How many hosts have something under way."""
        return 0

    @property
    def parser_restarts(self) -> int:
        """How often a process that reads pages had to be replaced."""
        return 0

    @property
    def doing(self) -> Mapping[int, str]:
        """What is being done now, by URL."""
        return {}

    def resting(self) -> Iterator[tuple[int, float]]:
        """URLs whose hosts want to be left alone, and until when."""
        return iter(())
