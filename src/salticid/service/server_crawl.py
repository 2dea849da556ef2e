"""One crawl of the server: its wish, its process while it runs, and who watches it."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, MutableMapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Literal

from salticid.errors import UserError
from salticid.model import StopReason
from salticid.runs import WHY, Counts, CrawlFigures, Gauges, LiveSettings, unheeded
from salticid.service import processes
from salticid.service import processes as messages
from salticid.service.processes import PATIENCE, Child
from salticid.service.tally import Tally
from salticid.service.wish import GoOn, KeepWatching, LookProgress, Mood, ReplayProgress, Summary, Wish
from salticid.strategies import strategies
from salticid.topic import Limits

Languages = MutableMapping[int, str | None]
"""The language of pages by step, as far as it was asked for."""
State = Literal["starting", "running", "paused", "stopping", "ended"]
LOOK_EVERY = 1.0
_WATCHERS_MEMORY = 32
"""Reports that wait for a slow watcher; of more, the oldest are forgotten."""
PERIODS: dict[Literal["day", "week"], int] = {"day": 86_400, "week": 604_800}
"""How often rounds of watching begin by themselves, in seconds."""
CUT_OFF, FAILED = "cut off", "failed"
"""Ends that a crawl cannot give a reason for itself."""
_USED_UP = (StopReason.BUDGET.value, StopReason.FETCHES.value)
_KILLED = "It was cut off: its process was ended from outside. Nothing that was found is lost; continue it."
_BROKE = "It failed, and its process with it; the terminal where salticid serve runs says why."
_NOT_SAVED = "What you want of this crawl holds as long as the server runs; it cannot be written down: {cause}."
_SERVER_STOPS = "The server stopped. The crawl goes on by itself when the server runs again."


class ServerCrawl:
    """A crawl in a folder. Its state is in its log and its wish; the process only works on it."""

    def __init__(self, folder: Path, wish: Wish, live: LiveSettings) -> None:
        self.id, self.folder, self.wish = folder.name, folder, wish
        self._live = live
        self._child: Child | None = None
        self._state: State = "paused" if wish.mood == "pause" else "ended"
        self._line: float | None = None
        self._failure: str | None = None
        self._playing: ReplayProgress | None = None
        self._watches = False
        self._looking: LookProgress | None = None
        self._tally = Tally(folder)
        self._walks = wish.spec.strategy in strategies.names() and strategies.find(wish.spec.strategy).walks
        self._feedback_line = unheeded(wish.spec.strategy, wish.spec.judge or "")
        self._only_hears, self._unanswered = False, 0
        self._looked_at = 0.0
        self._watchers: set[asyncio.Queue[messages.ProcessReport]] = set()
        self._turn = asyncio.Lock()
        self.removed = False
        self.languages: Languages = {}
        """Of its pages, as far as they were told."""

    @property
    def running(self) -> bool:
        """Whether it has a process, or is about to."""
        return self._child is not None or self._state == "starting"

    @property
    def runs_alone(self) -> bool:
        """Whether it has a process that is none of ours, as the hunt of an agent has."""
        return self._child is None and processes.lives(self.folder)

    @property
    def can_continue(self) -> bool:
        """Whether there is something left to do for it, perhaps with a larger budget."""
        reason = self.stop_reason
        if reason == StopReason.FRONTIER_EMPTY.value:
            return bool(self._live.allow_net and self._tally.refused)
        return reason != StopReason.EXTINCT.value

    @property
    def stop_reason(self) -> str | None:
        """Why it ended, if it has: a StopReason, CUT_OFF or FAILED."""
        if self._state != "ended" or self.runs_alone:
            return None
        if self._failure is not None:
            return CUT_OFF if self._failure == _KILLED else FAILED
        self._tally.update()
        if self._tally.trouble is not None:
            return FAILED
        unknown = CUT_OFF if self.wish.mood in ("run", "watch") else StopReason.INTERRUPTED.value
        return str(self._tally.about.get("stopped", unknown))

    def summary(self) -> Summary:
        """What a person wants to know at one glance."""
        tally, wish, reason = self._tally, self.wish, self.stop_reason
        tally.update()
        tally.standing.draw_line(tally.about.get("line") if self._line is None else self._line)
        return Summary(
            id=self.id,
            query=wish.query,
            strategy=wish.spec.strategy,
            judge=wish.spec.judge or "",
            state="running" if self.runs_alone else self._state,
            stopped=reason,
            stopped_line=self._stopped_line(reason),
            pages=tally.pages,
            max_pages=wish.limits.max_pages,
            fetches=tally.fetches,
            positive=tally.standing.on_topic,
            harvest=tally.harvest,
            line=tally.standing.line,
            feedback_line=self._feedback_line,
            hosts=tally.hosts,
            hosts_on_topic=tally.hosts_on_topic,
            began=wish.began,
            seconds=round(float(tally.about.get("seconds", 0.0) if reason else tally.seconds), 3),
            agents=self._walks,
            can_continue=self._state in ("paused", "ended") and not self.runs_alone and self.can_continue,
            playing=self._playing,
            world=wish.world,
            round=None if tally.round is None else tally.round.number,
            watching=self._watches,
            looking=self._looking,
            every=self.standing_order.every,
            can_watch=self._state == "ended" and wish.world is None and tally.pages > 0,
        )

    @property
    def standing_order(self) -> KeepWatching:
        """How it is watched by itself."""
        return KeepWatching(next((name for name, seconds in PERIODS.items() if seconds == self.wish.every), None))

    def is_due(self, now: float) -> bool:
        """Whether a round should begin by itself at a time, in seconds since 1970."""
        if self.wish.every is None or self._state != "ended" or self._failure is not None:
            return False
        self._tally.update()
        last = self._tally.round
        return last is None or last.wall > now or now >= last.wall + self.wish.every

    async def figures(self) -> CrawlFigures:
        """Its numbers; those of its run as well, if it answers soon."""
        gauges = await self._gauges()
        self.summary()
        tally = self._tally
        counts = Counts(tally.pages, tally.outcomes, tally.received, tally.harvest)
        return CrawlFigures(self.id, self.running or self.runs_alone, counts, gauges)

    async def _gauges(self) -> Gauges | None:
        if self._child is None or self._state not in ("running", "paused"):
            return None
        with suppress(TimeoutError), self.reports() as reports:
            self._child.send(messages.Do("measure"))
            async with asyncio.timeout(LOOK_EVERY):
                while True:
                    if isinstance(report := await reports.get(), messages.Measured):
                        return report.gauges
        return None

    def curve(self) -> list[int]:
        """How many of its first n pages are on topic by now, for each n from 0 on."""
        self.summary()
        return self._tally.standing.curve()

    async def start(self) -> None:
        """Give it a process, which begins the crawl or goes on with it."""
        async with self._turn:
            await self._begin()

    async def pause(self) -> None:
        """Let it rest; it keeps its process, and is paused also after the server was started again."""
        async with self._turn:
            if self._child is None or self._state in ("stopping", "ended"):
                raise UserError("the crawl does not run; there is nothing to pause")
            if self._watches:
                raise UserError("a round of watching cannot rest; stop it, and it goes on when you watch again")
            self._want("pause")
            self._child.send(messages.Do("pause"))

    async def go_on(self, form: GoOn) -> None:
        """Let it run again, with another budget if one is given."""
        async with self._turn:
            await self._go_on(form)

    async def _go_on(self, form: GoOn) -> None:
        self._check_ours()
        if self._watches and self._state != "stopping":
            raise UserError("it is being watched; wait for the end of the round, or stop it first")
        if self._state in ("stopping", "ended") and self._child is not None:
            await self._child.wait(PATIENCE)
        limits = self._budget(form)
        if self.stop_reason in _USED_UP and limits == self.wish.limits:
            raise UserError("its budget is used up; say how many more pages it may read, or a larger max_pages")
        self._want("run", limits)
        if self._child is None:
            await self._begin()
            return
        self._child.send(messages.Extend(limits.max_pages, limits.max_fetches))
        self._child.send(messages.Do("continue"))

    def _budget(self, form: GoOn) -> Limits:
        """How far it may go from now on; UserError if that makes no sense.

        More pages than were read may also take ten times as many fetches more: those made so far may be used up.
        """
        now = self.wish.limits
        if form.more is not None and form.max_pages is not None:
            raise UserError("say how many more pages it may read, or how many in all (max_pages), not both")
        if form.more is not None:
            self._tally.update()
            more = Limits(max_pages=form.more)
            return Limits(max_pages=self._tally.pages + more.max_pages, max_fetches=self._tally.fetches + more.fetches)
        if form.max_pages is None:
            return now
        if form.max_pages < now.max_pages:
            raise UserError(f"its budget is {now.max_pages} pages already; give a larger max_pages")
        fetches = max(now.fetches, Limits(max_pages=form.max_pages).fetches)
        return Limits(max_pages=form.max_pages, max_fetches=None if now.max_fetches is None else fetches)

    async def watch(self, form: KeepWatching) -> None:
        """Make a round of watching, or go on with one that was stopped; others by themselves, if that is wanted."""
        async with self._turn:
            if self.wish.world is not None:
                raise UserError("it hunts in a recorded world, where nothing changes; watch a hunt on the web")
            self._want(self.wish.mood, every=None if form.every is None else PERIODS[form.every])
            if not form.now:
                return
            if self._state != "ended":
                raise UserError("the hunt has not ended; stop it, or wait for its end, then keep watching")
            if self._child is not None:
                await self._child.wait(PATIENCE)
            self._want("watch")
            await self._begin()

    async def stop(self) -> None:
        """End it; what it found stays, and it can be continued."""
        async with self._turn:
            self._want("stop")
            if self._child is not None:
                self._state = "stopping"
                self._child.send(messages.Do("stop"))
                return
            self._state = "ended"
            if self.runs_alone:
                processes.send(self.folder, messages.Do("stop"))

    async def feedback(self, url: str, liking: int) -> None:
        """Hand it a person's feedback on a page; one that has ended is started for that alone."""
        async with self._turn:
            await self._tell(url, liking)

    async def _tell(self, url: str, liking: int) -> None:
        self._check_ours()
        child = self._child
        if child is not None and (self._state == "stopping" or (self._only_hears and not self._unanswered)):
            await child.wait(PATIENCE)
            child = self._child
        if child is None:
            self._only_hears = True
            child = await self._start(self.wish.but(mood="pause"))
        self._unanswered += 1
        child.send(messages.Hear(url, liking))

    def look(self) -> None:
        """Ask what it is doing now, at most once a second; the answer goes to the watchers."""
        now = asyncio.get_running_loop().time()
        if self._child is not None and self._state in ("running", "paused") and now >= self._looked_at + LOOK_EVERY:
            self._looked_at = now
            self._child.send(messages.Do("look"))

    @contextmanager
    def reports(self) -> Iterator[asyncio.Queue[messages.ProcessReport]]:
        """The reports of its process as they come, for as long as the context lasts."""
        reports: asyncio.Queue[messages.ProcessReport] = asyncio.Queue(_WATCHERS_MEMORY)
        self._watchers.add(reports)
        try:
            yield reports
        finally:
            self._watchers.discard(reports)

    async def rest(self) -> None:
        """The server stops: so does the process, and the wish stays as it is."""
        async with self._turn:
            if self._child is not None:
                self._state = "stopping"
                await self._child.stop()

    def give_up(self) -> None:
        """It is about to be removed: let go of its log and of its watchers; UserError unless it has ended."""
        if self.running or self.runs_alone or self._state != "ended" or self._turn.locked():
            raise UserError("the crawl has not ended; stop it first, then remove it")
        self.removed = True
        self.close()

    def close(self) -> None:
        self._tally.close()

    async def _begin(self) -> None:
        self._failure, self._state = None, "starting"
        self._watches = self.wish.mood == "watch"
        try:
            await self._start(self.wish)
        except OSError as error:
            self._failure, self._state = f"No process could be started for it: {error.strerror}.", "ended"

    async def _start(self, wish: Wish) -> Child:
        begin = messages.Begin(str(self.folder), wish, self._live)
        self._child = child = await Child.start(begin, self._hear, self._over)
        return child

    def _check_ours(self) -> None:
        if self.runs_alone:
            raise UserError("it runs for an agent, and hears only that; wait for its end, or stop it")

    def _want(self, mood: Mood, limits: Limits | None = None, **more: int | None) -> None:
        limits = self.wish.limits if limits is None else limits
        budget = {"max_pages": limits.max_pages, "max_fetches": limits.max_fetches}
        self.wish = self.wish.but(mood=mood, **budget, **more)
        try:
            self.wish.save(self.folder)
        except OSError as error:
            self._pass_on(messages.Notice(_NOT_SAVED.format(cause=error.strerror)))

    def _stopped_line(self, reason: str | None) -> str | None:
        """Why it ended, as a sentence."""
        if reason is None:
            return None
        if (trouble := self._failure or self._tally.trouble) is not None:
            return trouble
        if reason == StopReason.INTERRUPTED.value:
            return "You stopped it." if self.wish.mood == "stop" else _SERVER_STOPS
        if reason == StopReason.FRONTIER_EMPTY.value and not self._tally.pages:
            return "It read nothing: none of its start points could be read."
        return _KILLED if reason == CUT_OFF else f"It ended: {WHY[StopReason(reason)]}."

    def _hear(self, report: messages.ProcessReport) -> None:
        """Take in a report of the process and pass it on."""
        match report:
            case messages.Playing(step, visits):
                self._playing = ReplayProgress(step, visits)
            case messages.Looking(pages, of):
                self._looking = LookProgress(pages, of)
            case messages.CrawlState(paused, line):
                self._playing, self._line = None, line
                if self._state != "stopping" and not self._only_hears:
                    self._state = "paused" if paused else "running"
            case messages.Moves():
                self._unanswered -= 1
                if self._only_hears and not self._unanswered and self._child is not None:
                    self._child.send(messages.Do("stop"))
            case messages.CrawlFailure(error):
                self._failure = error
            case messages.End(reason) if reason != StopReason.INTERRUPTED.value:
                self._want("stop")  # it came to its end; nothing to start again with the server
        self._pass_on(report)

    def _pass_on(self, report: messages.ProcessReport) -> None:
        for reports in self._watchers:
            if reports.full():
                reports.get_nowait()
            reports.put_nowait(report)

    def _over(self, status: int) -> None:
        """The process is gone."""
        self._child, self._playing = None, None
        self._watches, self._looking = False, None
        self._only_hears, self._unanswered = False, 0
        if status and self._failure is None:
            self._failure = _KILLED if status < 0 else _BROKE
        is_over = self._failure is not None or self.wish.mood != "pause"
        self._state = "ended" if is_over else "paused"
