"""One crawl of the page, in a process of its own: `python -m salticid.service.crawl_process`.

It is told what to do, and says what is not in the log, as `process_messages` has it. When its input ends, the server is
gone: the crawl stops cleanly, as it does on SIGTERM. An input that is a file has no end: whoever adds a line to it is
heard, and the crawl outlives the server that started it.
"""

from __future__ import annotations

import asyncio
import os
import signal
import stat
import sys
import time
from collections.abc import AsyncIterator, Callable
from contextlib import closing, suppress
from dataclasses import asdict, dataclass, replace
from itertools import islice
from pathlib import Path
from typing import Any, BinaryIO

import msgspec

from salticid.errors import SalticidError, UserError
from salticid.model import Feedback, StopReason, Visit
from salticid.protocols import Strategy, UrlTable
from salticid.runs import FIRST_QUESTION, Gauges, Onlooker, Run, ask_anew, reasons, run
from salticid.service import processes as messages
from salticid.service.tally import UNKNOWN
from salticid.store import lock

# What a running crawl can say about itself that its log does not hold.

MOST_FETCHING, MOST_WAITING, MOST_HOSTS = 64, 20, 50
MOST_PLACES = 10_000
"""So many of the best waiting links are compared before and after a person's word."""
MOST_MOVES = 20


class Insight:
    """Looks into a running crawl; to be asked about once a second."""

    def __init__(self, run: Run) -> None:
        self._run = run
        self._since: dict[int, float] = {}
        self._at = run.clock()

    def stand_still(self) -> None:
        """The crawl is about to be paused, and its clock stands still."""
        self._at = self._run.clock()

    def now(self) -> dict[str, Any]:
        """What is being fetched, what waits, who is left alone."""
        run = self._run
        if not run.paused:
            self._at = run.clock()
        clock = self._at
        urls, doing = run.crawl.brief.urls, run.doing
        self._since = {url: self._since.get(url, clock) for url in doing if url >= 0}
        fetching = [
            {
                "url": urls[url],
                "site": _host(urls, url),
                "doing": doing[url],
                "seconds": round(clock - since, 1),
            }
            for url, since in list(self._since.items())[:MOST_FETCHING]
        ]
        size, best = run.crawl.strategy.waiting(MOST_WAITING)
        waiting = [
            {
                "url": urls[choice.link.url],
                "score": choice.score,
                "why": choice.why,
                "reasons": reasons(choice.why),
            }
            for choice in best
        ]
        pauses: dict[str, float] = {}
        for url, until in run.resting():
            pauses.setdefault(_host(urls, url), round(max(0.0, until - clock), 1))
        return {
            "fetching": fetching,
            "waiting": {"size": size, "best": waiting},
            "parked": [{"site": host, "until": pause} for host, pause in islice(pauses.items(), MOST_HOSTS)],
        }

    def advice(self) -> dict[str, Any]:
        """What seems to be left to find, if that can be told."""
        ahead = self._run.crawl.outlook()
        return UNKNOWN if ahead is None else asdict(ahead)


def places(strategy: Strategy) -> dict[int, int]:
    """The places of the links that wait, from 1: the best of them, by URL."""
    _, best = strategy.waiting(MOST_PLACES)
    return {choice.link.url: place for place, choice in enumerate(best, 1)}


@dataclass(frozen=True, slots=True)
class LinkMoves:
    """How many waiting links rose and fell, and those that did most, each with its places before and after.

    None stands for a place behind all we looked at.
    """

    rose: int
    fell: int
    up: list[dict[str, Any]]
    down: list[dict[str, Any]]

    @classmethod
    def between(cls, before: dict[int, int], after: dict[int, int], urls: UrlTable) -> LinkMoves:
        """What changed from some places to others."""
        behind = MOST_PLACES + 1
        changes = [(before.get(url, behind) - after.get(url, behind), url) for url in {**after, **before}]
        by_size = sorted((change for change in changes if change[0]), key=lambda change: -change[0])

        def facts(some: list[tuple[int, int]]) -> list[dict[str, Any]]:
            return [{"url": urls[url], "before": before.get(url), "after": after.get(url)} for _, url in some]

        rose = [change for change in by_size if change[0] > 0]
        fell = [change for change in reversed(by_size) if change[0] < 0]
        return cls(len(rose), len(fell), facts(rose[:MOST_MOVES]), facts(fell[:MOST_MOVES]))


def _host(urls: UrlTable, url: int) -> str:
    return urls.host_name(urls.host(url))


_COMMAND = msgspec.json.Decoder(messages.Command)
_STOP, _QUESTION = messages.Do("stop"), messages.Do("question")
PLAYING_EVERY = 1000
"""Visits played again between two reports of it."""
LOOKING_EVERY = 0.5
"""Seconds between two reports of how many pages were asked for again."""
LISTEN_EVERY = 0.2
"""Seconds between two looks for new lines at the end of a file."""
SUCCESSION = 20.0
"""Seconds that a crawl waits for the one before it in its folder to be gone."""


class ProcessOnlooker(Onlooker):
    """Takes commands from the input of the process, and reports to its output; early commands wait for the crawl."""

    def __init__(self, begin: messages.Begin, commands: BinaryIO) -> None:
        self._commands = commands
        self._early: list[messages.Command] = [messages.Do("pause")] if begin.wish.mood == "pause" else []
        self._asks = begin.wish.mood == "run"
        self._handler: CommandHandler | None = None
        self._visits = 0
        self._told_at = 0.0
        self._end: Callable[[], None] = lambda: None

    def begins(self, end: Callable[[], None]) -> None:
        self._end = end
        asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, end)
        self._listening = asyncio.create_task(self._listen())

    def warn(self, sentence: str) -> None:
        say(messages.Notice(sentence))

    def goes_on(self, visits: int) -> None:
        self._visits = visits
        say(messages.Playing(0, visits))

    def replay(self, step: int) -> None:
        if step % PLAYING_EVERY == 0:
            say(messages.Playing(step, self._visits))

    def looks(self, pages: int, of: int) -> None:
        now = time.monotonic()
        if now >= self._told_at + LOOKING_EVERY or pages in (0, of):
            self._told_at = now
            say(messages.Looking(pages, of))

    def ready(self, run: Run) -> None:
        self._handler = CommandHandler(run)
        for command in self._early:
            self._handler(command)
        self._handler.tell()
        if _STOP in self._early:
            self._end()

    def visit(self, visit: Visit) -> None:
        """Ask the person at the page once, early."""
        if self._asks and self._handler is not None and visit.good:
            self._handler.ask_at(FIRST_QUESTION)

    def trouble(self, trouble: str) -> None:
        say(messages.Notice(f"Nothing can be written ({trouble}). The crawl goes on as soon as there is room."))

    async def _listen(self) -> None:
        """Do what each line says; the end of the input ends the crawl. What a person said before is heard first."""
        async for line in lines(self._commands):
            command: messages.Command = _COMMAND.decode(line)
            waits = self._handler is None and any(
                each == _QUESTION or isinstance(each, messages.Hear) for each in self._early
            )
            if command == _STOP and not waits:
                break
            if self._handler is None:
                self._early.append(command)
            else:
                self._handler(command)
        self._end()


class CommandHandler:
    """Carries commands out on a crawl that is ready, between two arrivals."""

    def __init__(self, run: Run) -> None:
        self._run, self._insight = run, Insight(run)
        self._line: float | None = None

    def __call__(self, command: messages.Command) -> None:
        match command:
            case messages.Do("pause"):
                if not self._run.paused:
                    self._insight.stand_still()
                self._run.pause()
                self.tell()
            case messages.Do("continue"):
                self._run.go_on()
                self.tell()
            case messages.Extend(max_pages, max_fetches):
                self._extend(max_pages, max_fetches)
            case messages.Hear(url, liking):
                self._hear(url, liking)
            case messages.Do("look"):
                self._look()
            case messages.Do("question"):
                say(self._ask())
            case messages.Do("measure"):
                say(messages.Measured(Gauges.of(self._run)))

    def ask_at(self, pages: int) -> None:
        """Ask about pages, if the crawl has just read so many."""
        if self._run.crawl.pages == pages and (asked := self._ask()).urls:
            say(asked)

    def _ask(self) -> messages.Asked:
        run = self._run
        return messages.Asked(run.crawl.brief.urls.spell(ask_anew(run.crawl, run.order.judge, run.log)))

    def tell(self) -> None:
        """Say how things stand."""
        self._line = self._run.crawl.judge.line
        say(messages.CrawlState(self._run.paused, self._line))

    def _look(self) -> None:
        if self._run.crawl.judge.line != self._line:
            self.tell()
        say(messages.Now(**self._insight.now()))
        say(messages.Advice(**self._insight.advice()))

    def _extend(self, max_pages: int, max_fetches: int | None) -> None:
        crawl = self._run.crawl
        limits = replace(crawl.limits, max_pages=max_pages, max_fetches=max_fetches)
        if limits != crawl.limits:
            crawl.extend(limits)
            self._run.nudge()

    def _hear(self, text: str, liking: int) -> None:
        """Hand the crawl a person's feedback, and report which of the waiting links it moved."""
        crawl = self._run.crawl
        urls = crawl.brief.urls
        feedback = [Feedback(url, liking)] if (url := urls.find(text)) >= 0 else []
        start = self._run.clock()
        before = places(crawl.strategy)
        crawl.hear(feedback)
        crawl.log.retry()
        moves = LinkMoves.between(before, places(crawl.strategy), urls)
        say(
            messages.Moves(
                text,
                liking,
                moves.rose,
                moves.fell,
                moves.up,
                moves.down,
                round(self._run.clock() - start, 3),
            )
        )
        self.tell()


async def lines(commands: BinaryIO) -> AsyncIterator[bytes]:
    """The lines of an input: of a pipe until it ends, of a file for ever, as it grows."""
    if stat.S_ISREG(os.fstat(commands.fileno()).st_mode):
        rest = b""
        while True:
            *whole, rest = (rest + commands.read()).split(b"\n")
            for line in whole:
                yield line
            await asyncio.sleep(LISTEN_EVERY)
    reader = asyncio.StreamReader(limit=1 << 24)
    loop = asyncio.get_running_loop()
    await loop.connect_read_pipe(lambda: asyncio.StreamReaderProtocol(reader), commands)
    while line := await reader.readline():
        yield line


def say(report: messages.ProcessReport) -> None:
    """One line of output. A closed pipe is no trouble: then the input ends, and with it the crawl."""
    with suppress(BrokenPipeError):
        sys.stdout.buffer.write(msgspec.json.encode(report) + b"\n")
        sys.stdout.buffer.flush()


def main() -> int:
    """Crawl as the first line says, and obey the others; the exit status."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the server's Ctrl-C is not ours: it tells us what to do
    commands = open(0, "rb", buffering=0, closefd=False)  # noqa: SIM115 - the loop takes it over
    begin = msgspec.json.decode(commands.readline(), type=messages.Begin)
    try:
        folder = Path(begin.folder)
        wait_for(folder)
        stopped = crawl(begin, folder, ProcessOnlooker(begin, commands))
    except KeyboardInterrupt:
        say(messages.End(StopReason.INTERRUPTED.value))
        return 0
    except SalticidError as error:
        say(messages.CrawlFailure(str(error)))
        return 1
    say(messages.End(stopped))
    return 0


def crawl(begin: messages.Begin, folder: Path, onlooker: Onlooker) -> str:
    """Crawl, or make a round of watching, as is wished; why it stopped."""
    order = begin.wish.order(folder, begin.live)
    if begin.wish.mood != "watch":
        return run(order, onlooker).stopped.value
    from salticid.runs import watch_crawl  # here: few need it

    return asyncio.run(watch_crawl(order, begin.live, onlooker=onlooker)).stopped


def wait_for(folder: Path, seconds: float = SUCCESSION) -> None:
    """Wait until no other process crawls into a folder: that of a server that was killed takes a moment to stop."""
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        with suppress(UserError), closing(lock(folder)):
            return
        time.sleep(0.1)


if __name__ == "__main__":
    sys.exit(main())
