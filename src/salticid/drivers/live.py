"""The live driver: a small waiting room between a crawl and the live web."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Awaitable, Callable, Coroutine, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from typing import Any, Protocol, TypeVar, cast

from salticid.crawl import Crawl
from salticid.drivers.glimpses import Feeds, KnownElsewhere
from salticid.drivers.lobby import Lobby, Parking, SecondChances, wait_for_the_log
from salticid.drivers.traps import Traps
from salticid.errors import ContractBroken
from salticid.model import FROM_SEED, Choice, Links, Outcome, Page, Response, StopReason, Visit
from salticid.protocols import BatchJudge
from salticid.topic import Limits
from salticid.webs.live import Crowded, MayAsk, Parked

LINKS_A_HOST = 2
"""Links of one host in the waiting room; a host that has as many is busy."""
KEEPING = 1.0
"""Seconds without an arrival after which the log writes what it holds."""
SILENCE = 60.0
"""Seconds without an arrival after which `on_silence` is called."""

T = TypeVar("T")

_AT_ONCE = (
    StopReason.TIME,
    StopReason.CONDITION,
    StopReason.STALLED,
    StopReason.WAITING,
    StopReason.INTERRUPTED,
)
"""Reasons for which what is still on its way is left behind."""


class AsyncWeb(Protocol):
    """A web that takes its time."""

    async def fetch(self, url: int, may_ask: MayAsk) -> Response:
        """The answer to one URL; raises `Parked` when its host wants to be left alone for long, `Crowded` when
        `may_ask` says that it has to wait for others."""
        ...

    async def sitemap(self, url: int) -> list[int]:
        """The pages that the site of a URL names itself; raises `Parked` likewise."""
        ...

    async def feed(self, url: str) -> Page | None:
        """The links of a feed as a page, None if there are none; raises `Parked` likewise."""
        ...

    def forgive(self) -> None:
        """Ask again those who were given up."""
        ...


@dataclass(frozen=True, slots=True)
class DriverCalls:
    """Called by a driver: `on_silence` whenever nothing has arrived for a minute; `on_trouble` when the log is in
    trouble: then nothing more is asked for or delivered until it is not; and `on_delay` after that, and after a pause,
    with the seconds lost.
    """

    on_silence: Callable[[], None] = lambda: None
    on_trouble: Callable[[str], None] = lambda trouble: None
    on_delay: Callable[[float], None] = lambda seconds: None


NO_CALLS = DriverCalls()


class LiveDriver:
    """Carries choices to the web and delivers answers in the order they arrive.

    At most `requests` are asked for at once, and about as many wait for their host's turn; with one request
    nothing waits, so that every choice is made knowing all that came before. With `sitemaps`, a host's
    sitemap links are offered once the judge liked a page of it; with `feeds`, the links of the feeds that liked pages
    name are shown as those pages' own. What is `known` elsewhere is not asked for. With `traps`, what leads into one
    is a visit at once and never asked for, and a host that has had its share of the budget, or is one of too many new
    names of its site or address, waits in a lobby for as long as others have links or are at work: the budget is that
    of the `whole`, if this is a part of a larger crawl. `reaches_more`: it may reach addresses that it might not in
    earlier runs.
    """

    def __init__(
        self,
        crawl: Crawl,
        web: AsyncWeb,
        requests: int,
        clock: Callable[[], float],
        sitemaps: bool = False,
        traps: Traps | None = None,
        feeds: Feeds | None = None,
        known: KnownElsewhere | None = None,
        whole: Limits | None = None,
        reaches_more: bool = False,
        calls: DriverCalls = NO_CALLS,
    ) -> None:
        self.crawl, self._web, self._clock, self._traps = crawl, web, clock, traps
        self._known, self._whole, self._reaches_more, self._calls = known, whole, reaches_more, calls
        self._chances = SecondChances(crawl.brief.urls)
        self.lobby = Lobby(crawl.brief.urls, None if traps is None else traps.crowds)
        self._flying: Sequence[Choice] = ()
        self._interrupted = False
        self._pauses: set[str] = set()
        self._paused_at = 0.0
        self._room = 2 * requests - 1
        self._sitemaps, self._feeds = sitemaps, feeds
        self._mapped_hosts: set[int] = set()
        self._probes: dict[int, None] = {}
        self._out: set[asyncio.Task[Any]] = set()
        self._unscored: list[tuple[Choice, Response]] = []
        self._scoring = False
        self._hosts: Counter[int] = Counter()
        self._busy: frozenset[int] = frozenset()
        self.parking = Parking(clock)
        self._events: asyncio.Queue[Callable[[], None] | None] = asyncio.Queue()
        self._last_arrival = self._last_write = clock()

    @property
    def active_hosts(self) -> int:
        """How many hosts have links in the waiting room."""
        return len(self._hosts)

    async def run(self, watch: Callable[[Visit], None] | None = None) -> StopReason:
        """Crawl to the end and say why it ended. Parked hosts are waited for only while others are at work.

        It may run again when there is more to do.
        """
        self._watch = watch
        self._last_arrival = self._last_write = self._clock()
        flying, self._flying = self._flying, ()
        for choice in flying:
            self.crawl.set_aside()
            self.parking.add(choice)
        if self._reaches_more and self.crawl.has_room and (refused := self._chances.refused()):
            self.crawl.offer_again(refused)
        self._give_a_chance()
        self._last_chance = True
        try:
            while True:
                if self.crawl.log.trouble is not None:
                    await self._wait_for_the_log()
                if self._unscored and not self._scoring and self._events.empty():
                    self._score_arrivals()
                if not self.paused:
                    await self._send_out()
                if self._over():
                    break
                if (take := await self._next()) is not None:
                    take()
        finally:
            for task in self._out:
                task.cancel()
            await asyncio.gather(*self._out, return_exceptions=True)
            if self._traps is not None:
                self._traps.same_pages.ask_again(self._probes)  # nobody has heard the answers
                self._probes.clear()
        return self.crawl.stopped or StopReason.FRONTIER_EMPTY

    @property
    def paused(self) -> bool:
        """Whether nothing is asked for until it goes on."""
        return bool(self._pauses)

    def pause(self, why: str = "") -> None:
        """Choose nothing more until `go_on` for the same reason; what is under way may still arrive."""
        if not self.paused:
            self._paused_at = self._clock()
        self._pauses.add(why)

    def go_on(self, why: str = "") -> None:
        """Choose again, if there is no other reason not to; the time since the last arrival is lost."""
        if self._pauses == {why}:
            self._calls.on_delay(self._clock() - self._paused_at)
            self._last_arrival = self._last_write = self._clock()
            self.nudge()
        self._pauses.discard(why)

    def wait_no_longer(self) -> None:
        """Nobody can be reached, and it took too long: end the crawl, so that it can go on later."""
        self.crawl.stop(StopReason.WAITING)
        self._pauses.clear()
        self.nudge()

    def take_up(self, flying: Sequence[Choice]) -> None:
        """An earlier run had these choices under way: the next run asks for them."""
        self._flying = flying

    def recall(self, visit: Visit) -> None:
        """Take note of a visit of an earlier run, which is played again."""
        self._chances.observe(visit)
        if self._traps is not None:
            self._traps.observe(visit)

    def knowledge(self) -> dict[str, object]:
        """What it knows from the visits of all runs, by name."""
        known: dict[str, object] = {"second chances": self._chances}
        if self._traps is not None:
            known |= {"traps": self._traps, "crowds": self._traps.crowds}
        return known

    def show_known(self, visit: Visit) -> None:
        """If that is what a visit stands for, show the crawl the page that is known elsewhere."""
        if self._known is not None and visit.outcome is Outcome.KNOWN:
            self._known.show(visit)

    def take_for_read(self, feed: str | None = None, sitemap_host: int | None = None) -> None:
        """This feed, or the sitemap of this host, was read just now by others."""
        if feed is not None and self._feeds is not None:
            self._feeds.take_for_read(feed)
        if sitemap_host is not None:
            self._mapped_hosts.add(sitemap_host)

    def nudge(self) -> None:
        """Somebody spoke to the crawl: look again at what is wanted."""
        self._events.put_nowait(None)

    def interrupt(self) -> None:
        """End the crawl now, from a signal handler of the event loop."""
        self._interrupted = True
        self.crawl.stop(StopReason.INTERRUPTED)
        self._events.put_nowait(None)

    async def settle(self) -> None:
        """Wait until the log has written everything, or the crawl is interrupted; it needs no room for more."""
        self.crawl.log.retry()
        if self.crawl.log.write_error is not None:
            await self._wait_for_the_log()

    async def _wait_for_the_log(self) -> None:
        """Answers that arrive meanwhile are delivered afterwards."""
        start = self._clock()
        await wait_for_the_log(self.crawl.log, lambda: self._interrupted, self._calls.on_trouble)
        self._calls.on_delay(self._clock() - start)
        self._last_arrival = self._clock()

    async def _send_out(self) -> None:
        """Let those go whose host may be asked again, and fill the waiting room."""
        if self._traps is not None:
            self._traps.crowds.bind(self._whole or self.crawl.limits)
            questions = self._traps.same_pages.questions
            while questions and len(self._out) < self._room:
                self._probe(questions.pop())
        for free_choice in self.lobby.release():
            self.parking.add(free_choice)
        for free_choice in self.parking.release(self.crawl.take_up):
            self._send_or_keep(free_choice)
        resting = self.parking.hosts
        while len(self._out) < self._room and len(self._unscored) < self._room and not self.paused:
            if (choice := self._choice(resting)) is None:
                break
            if self._known is not None and (answer := self._known.answer(choice)) is not None:
                self.show_known(self._deliver(choice, answer))
                await self._after_no_fetch()
            elif self._leads_into_a_trap(choice) or (self.lobby.full and self.lobby.must_wait(choice)):
                await self._leave_out(choice)
            elif self._send_or_keep(choice):
                await asyncio.sleep(0)  # many may have to wait

    def _choice(self, resting: frozenset[int]) -> Choice | None:
        """The next link to ask for; one of the lobby only when no other host has links or is at work."""
        busy, waiting = self._busy | resting, self.lobby.hosts
        choices = self.crawl.choices(1, busy | waiting)
        if not choices and (waiting or len(self.lobby)) and waiting.issuperset(self._hosts):
            if (best := self.lobby.best()) is not None:
                return self.lobby.let_in(best) if self.crawl.take_up() else None
            choices = [self.lobby.let_in(choice) for choice in self.crawl.choices(1, busy)]
        return choices[0] if choices else None

    def _send_or_keep(self, choice: Choice) -> bool:
        """Ask for a choice unless it has to wait: whether it has."""
        waits = self.lobby.must_wait(choice)
        if waits:
            self._keep(choice)
        else:
            self._send(choice)
        return waits

    def _keep(self, choice: Choice, crowded_host: str | None = None) -> None:
        self.lobby.keep(choice, crowded_host)
        self.crawl.set_aside()

    def _leads_into_a_trap(self, choice: Choice) -> bool:
        """A seed never does: a person named it."""
        link = choice.link
        return self._traps is not None and link.source != FROM_SEED and self._traps.hold(link.url)

    async def _leave_out(self, choice: Choice) -> None:
        self._deliver(choice, _left_out(choice))
        await self._after_no_fetch()

    async def _after_no_fetch(self) -> None:
        """There may be many links that are never asked for: others get their turn between two of them."""
        await asyncio.sleep(0)
        if self.crawl.log.trouble is not None:
            await self._wait_for_the_log()

    def _give_a_chance(self) -> bool:
        """Try those again who were given up, each with one link; whether there are any."""
        again = self._chances.one_each(self._clock()) if self.crawl.has_room else []
        if again:
            self._web.forgive()
            self.crawl.offer_again(again)
        return bool(again)

    def _over(self) -> bool:
        """Whether nothing more is waited for."""
        crawl = self.crawl
        if self.paused:
            return self._interrupted
        if not self._out and not self._unscored:
            if self._last_chance and not self.parking:
                self._last_chance = False
                if self._give_a_chance():
                    return False
            crawl.stop(StopReason.WAITING if self.parking else StopReason.FRONTIER_EMPTY)
            return True
        if (limit := crawl.limits.max_seconds) is not None and self._clock() >= limit:
            crawl.stop(StopReason.TIME)
        used_up = crawl.stopped in (StopReason.BUDGET, StopReason.FETCHES) and not crawl.in_flight
        return used_up or crawl.stopped in _AT_ONCE

    def _send(self, choice: Choice) -> None:
        if choice.link.source == FROM_SEED:
            self.lobby.let_in(choice)
        host = self._host(choice)
        self._hosts[host] += 1
        if self._hosts[host] == LINKS_A_HOST:
            self._busy |= {host}
        self._start(self._web.fetch(choice.link.url, self.lobby.may_ask), partial(self._take, choice))

    def _start(self, work: Coroutine[Any, Any, T], take: Callable[[asyncio.Task[T]], None]) -> None:
        """Let the web work; `take` gets the finished task, in the order of arrival."""
        task = asyncio.create_task(work)
        self._out.add(task)

        def arrive() -> None:
            self._out.remove(task)
            take(task)

        task.add_done_callback(lambda _: self._events.put_nowait(arrive))

    async def _next(self) -> Callable[[], None] | None:
        """What to do about the next arrival; None when it is time to look at the clock, or to stop."""
        if not self._events.empty():
            return self._events.get_nowait()
        deadlines = [self._last_arrival + SILENCE, self._last_write + KEEPING]
        if (due := self.parking.next) is not None:
            deadlines.append(due)
        if (limit := self.crawl.limits.max_seconds) is not None and not self.paused:
            deadlines.append(limit)
        try:
            async with asyncio.timeout(max(0.0, min(deadlines) - self._clock())):
                return await self._events.get()
        except TimeoutError:
            if self._clock() >= self._last_write + KEEPING:
                self._last_write = self._clock()
                self.crawl.log.retry()
            if self._clock() >= self._last_arrival + SILENCE:
                self._last_arrival = self._clock()
                if not self.paused:
                    self._calls.on_silence()
            return None

    def _take(self, choice: Choice, task: asyncio.Task[Response]) -> None:
        self.lobby.leave(choice.link.url)
        host = self._host(choice)
        self._hosts[host] -= 1
        if self._hosts[host] == LINKS_A_HOST - 1:
            self._busy -= {host}
        if not self._hosts[host]:
            del self._hosts[host]
        try:
            response = task.result()
        except Parked as parked:
            own = self.crawl.brief.urls.host_name(host) == parked.host
            self.parking.add(choice, parked.until, host if own else None)
            self.crawl.set_aside()
            return
        except Crowded as crowded:
            if self.lobby.full:
                self._deliver(choice, _left_out(choice))
            else:
                self._keep(choice, crowded.host)
            return
        self._last_arrival = self._clock()
        self._paused_at = self._last_arrival
        if self._traps is not None:
            response = self._traps.same_pages.seen_through(response)
        if self._known is not None and response.page is not None:
            self._known.compare(response.page)
        if response.page is not None and isinstance(self.crawl.judge, BatchJudge):
            self._unscored.append((choice, response))
        else:
            self._take_in(choice, response)

    def _score_arrivals(self) -> None:
        """Hand the judge all pages that wait for it; they are delivered, in order, when their scores are there."""
        batch, self._unscored = self._unscored, []
        self._scoring = True
        pages = [response.page for _, response in batch if response.page is not None]
        self._start(_scores(cast(BatchJudge, self.crawl.judge), pages), partial(self._take_scores, batch))

    def _take_scores(self, batch: Sequence[tuple[Choice, Response]], task: asyncio.Task[Sequence[float]]) -> None:
        self._scoring = False
        for (choice, response), score in zip(batch, task.result(), strict=True):
            self._take_in(choice, response, score)

    def _take_in(self, choice: Choice, response: Response, score: float | None = None) -> None:
        """Deliver an answer, and read what the site of a relevant page offers besides."""
        visit, host = self._deliver(choice, response, score), self._host(choice)
        if self._sitemaps and visit.positive and host not in self._mapped_hosts:
            self._mapped_hosts.add(host)
            self._read_sitemap(visit)
        for feed in () if self._feeds is None else self._feeds.unread(visit):
            self._start(self._web.feed(feed), partial(self._show_feed, visit))

    def _deliver(self, choice: Choice, response: Response, score: float | None = None) -> Visit:
        visit = self.crawl.deliver(choice, response, score)
        if links := self._chances.observe(visit):
            self.crawl.offer_again(links)
        if self._traps is not None:
            self._traps.observe(visit)
        if self._watch is not None:
            self._watch(visit)
        return visit

    def _probe(self, made_up: int) -> None:
        """Ask for a page that cannot be there; like a robots.txt it is no visit, and not charged."""
        self._probes[made_up] = None
        self._start(self._web.fetch(made_up, self.lobby.may_ask), partial(self._take_probe, made_up))

    def _take_probe(self, made_up: int, task: asyncio.Task[Response]) -> None:
        self.lobby.leave(made_up)
        self._probes.pop(made_up, None)
        if self._traps is not None:
            with suppress(Parked, Crowded):
                self._traps.take_probe(task.result())

    def _read_sitemap(self, visit: Visit) -> None:
        """What a sitemap names is as far from a seed as what the good page links to."""
        self._start(self._web.sitemap(visit.final), partial(self._offer, visit.depth + 1))

    def _offer(self, depth: int, task: asyncio.Task[list[int]]) -> None:
        with suppress(Parked):
            self.crawl.offer(Links.to(task.result()), depth)

    def _show_feed(self, visit: Visit, task: asyncio.Task[Page | None]) -> None:
        with suppress(Parked):
            if self._feeds is not None and (page := task.result()) is not None:
                self.crawl.glimpse(self._feeds.glimpse(page, visit, self.crawl.step))

    def _host(self, choice: Choice) -> int:
        return self.crawl.brief.urls.host(choice.link.url)


async def _scores(judge: BatchJudge, pages: Sequence[Page]) -> Sequence[float]:
    scores = judge.score_many(pages)
    scores = await scores if isinstance(scores, Awaitable) else scores
    if len(scores) != len(pages):
        raise ContractBroken(f"the judge gave {len(scores)} scores for {len(pages)} pages")
    return [float(score) for score in scores]


def _left_out(choice: Choice) -> Response:
    """The response to a choice that is never asked for."""
    return Response(choice.link.url, choice.link.url, Outcome.TRAP)
