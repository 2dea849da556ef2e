"""A crawl of a recorded web: the same topic, web and recipe give the same visits, bit for bit."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AsyncExitStack

import numpy as np

from salticid.drivers import KnownElsewhere, VirtualClock, arrivals, visits, wait_for_the_log
from salticid.errors import ContractBroken
from salticid.messages import Message, Report
from salticid.model import Choice, Event, Outcome, Page, StopReason, Visit
from salticid.protocols import Log, Web
from salticid.runs.brief import prepare
from salticid.runs.lifecycle import Run
from salticid.runs.onlooker import Onlooker
from salticid.runs.order import Order, Recipe
from salticid.runs.past import Past, given_visits
from salticid.store import CrawlLog, OtherCrawls
from salticid.topic import Limits, Topic
from salticid.webs import RecordedWeb

_A_TURN = 16
"""Visits without a look at anything else on the event loop."""


class RecordedCrawl:
    """A crawl that is ready to run.

    With a `past` it repeats an earlier run, which the log holds, and goes on from its end. The limits of the recipe
    are then those it began with; `larger` ones hold from there on. `busy` says which hosts to leave alone while
    these choices are in flight. What `others` hold is not looked for. Its clock shows how long the crawl would
    have taken on the recorded web.
    """

    def __init__(
        self,
        topic: Topic,
        web: Web,
        recipe: Recipe,
        log: Log,
        past: Past | None = None,
        larger: Limits | None = None,
        busy: Callable[[Iterable[Choice]], frozenset[int]] | None = None,
        others: OtherCrawls | None = None,
    ) -> None:
        self._web, self._judge, self._past, self._larger, self._busy = web, recipe.judge, past, larger, busy
        self.clock = VirtualClock()
        self.brief = prepare(topic, web, recipe.limits, recipe.seed, recipe.backlinks, recipe.meanings(log))
        self._arrivals = arrivals(recipe.arrivals, len(self.brief.seeds), np.random.default_rng([recipe.seed, 1]))
        self.crawl = recipe.crawl(self.brief, log, self.clock, self._page, past=past)
        self._known = None if others is None else KnownElsewhere(self.crawl, others)

    def visits(self) -> Iterator[Visit]:
        """Crawl to the end, visit by visit; `crawl.stopped` then says why."""
        flying: list[Choice] = []
        if self._past is not None and self._past.as_given:
            flying = yield from given_visits(self.crawl, self._judge, self._past)
            self.clock.advance(self._past.seconds)
            self._say_again()
        while True:
            for visit in visits(self.crawl, self._web, self._arrivals, self.clock, self._busy, self._known, flying):
                if self._known is not None and visit.outcome is Outcome.KNOWN and self._is_new:
                    self._known.show(visit)
                self._say_again()
                yield visit
            self._say_again()
            flying = []
            if self.crawl.stopped is not None:
                return

    def run(self, watch: Callable[[Visit], None] | None = None) -> StopReason:
        """Crawl to the end and say why it ended."""
        for visit in self.visits():
            if watch is not None:
                watch(visit)
        return self.crawl.stopped or StopReason.FRONTIER_EMPTY

    def _say_again(self) -> None:
        """Repeat the messages of an earlier run at this point; after it, extend the limits."""
        if self._past is not None:
            self._past.tell(self.crawl, self._judge)
        if self._larger is not None and self._is_new:
            larger, self._larger = self._larger, None
            self.crawl.extend(larger)

    @property
    def _is_new(self) -> bool:
        """Whether what comes now is not what an earlier run heard already."""
        return self._past is None or self._past.over

    def _page(self, url: int) -> Page:
        page = self._web.page_at(url)
        if page is None:
            raise ContractBroken(f"{self._web.urls[url]} was asked for again but never delivered")
        return page


class RecordedRun(Run):
    """One run of such a crawl, with a log and an onlooker, on an event loop that others use too."""

    def __init__(self, order: Order, web: RecordedWeb, onlooker: Onlooker) -> None:
        super().__init__(order, onlooker, CrawlLog(order.folder, web.urls, web.words))
        self._web, self._interrupted = web, False
        self._may_go_on = asyncio.Event()
        self._may_go_on.set()

    async def to_its_end(self) -> StopReason:
        past = None if self.new else Past(self.log, self.as_given)
        recorded_crawl = self._set_up(past)
        self.crawl, self.clock = recorded_crawl.crawl, recorded_crawl.clock
        self.onlooker.begins(self._end)
        ready = past is None
        async with AsyncExitStack() as stack:
            if ready:
                await self._begin(stack)
            for visit in recorded_crawl.visits():
                if not ready and past is not None and not past.over:
                    self.onlooker.replay(visit.step + 1)
                else:
                    if not ready:
                        ready = True
                        await self._begin(stack)
                    self.visit(visit)
                    if self.asker is not None:
                        await self.asker.catch_up()
                await self._give_others_a_turn(visit)
            if past is not None and not past.over:
                raise KeyboardInterrupt  # in the middle of what is known already
            if not ready:
                await self._begin(stack)
        self.log.retry()
        await self._wait_for_the_log()
        return self.crawl.stopped or StopReason.FRONTIER_EMPTY

    async def _begin(self, stack: AsyncExitStack) -> None:
        """The past is over: what comes now is new."""
        self.onlooker.ready(self)
        await stack.enter_async_context(self.asking())
        if self.asker is not None:
            await self.asker.catch_up()

    def _set_up(self, past: Past | None) -> RecordedCrawl:
        order, log = self.order, self.log
        others = self.others(self._web.urls, self._web.words)
        recorded_crawl = RecordedCrawl(order.topic, self._web, order.recipe, log, past, self.larger, others=others)
        if past is None:
            self.onlooker.missing(order.topic, recorded_crawl.brief)
            log.begin({**order.facts(), "folder": str(self._web.folder.resolve())})
        else:
            self.onlooker.goes_on(past.visits)
        log.session(self.seconds, {})
        return recorded_crawl

    async def _give_others_a_turn(self, visit: Visit) -> None:
        await self._wait_for_the_log()
        if visit.step % _A_TURN == 0:
            await asyncio.sleep(0)
        await self._may_go_on.wait()

    async def _wait_for_the_log(self) -> None:
        await wait_for_the_log(self.log, lambda: self._interrupted, self.onlooker.trouble)

    def _end(self) -> None:
        self._interrupted = True
        self.crawl.stop(StopReason.INTERRUPTED)
        self._may_go_on.set()

    @property
    def paused(self) -> bool:
        return not self._may_go_on.is_set()

    def pause(self) -> None:
        self._may_go_on.clear()

    def go_on(self) -> None:
        self._may_go_on.set()

    def nudge(self) -> None:
        """It looks by itself before every page."""


# A log that is gone when the program ends: for the laboratory, where only the visits matter.


class MemoryLog:
    """Keeps the visits, without their pages: those are in the recording."""

    trouble: str | None = None
    write_error: str | None = None

    def __init__(self) -> None:
        self.visits: list[Visit] = []
        self.events: list[Event] = []

    def retry(self) -> None: ...

    def add_choices(self, room: int, busy: frozenset[int], choices: Sequence[Choice]) -> None: ...

    def add_visit(self, visit: Visit) -> None:
        self.visits.append(visit if visit.page is None else visit.without_page())

    def add_message(self, message: Message) -> None:
        if isinstance(message, Report):
            self.events.extend(message.events)
