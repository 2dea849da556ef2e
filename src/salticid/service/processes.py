"""The process of a crawl as a server sees it: started, spoken to in lines of JSON, and outliving the server."""

from __future__ import annotations

import asyncio
import fcntl
import subprocess
import sys
import threading
import time
from asyncio.subprocess import PIPE, Process
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import asdict
from pathlib import Path
from typing import Any, BinaryIO, Literal, TypeVar

import msgspec
from msgspec import Struct

from salticid.errors import UserError
from salticid.runs import Gauges, LiveSettings
from salticid.service.settings import read_plain
from salticid.service.wish import Wish
from salticid.store import UnsafeFile, open_in

# What the server and the process of a crawl say to each other: lines of JSON, each with a name.
#
# First the order goes in, then commands; out come reports on what is not in the log. When the input ends, the server
# is gone, unless it is a file.


class Begin(Struct, frozen=True):
    """The first line of the input."""

    folder: str
    wish: Wish
    live: LiveSettings

    def line(self) -> bytes:
        """How it is sent."""
        return msgspec.json.encode({**msgspec.structs.asdict(self), "live": asdict(self.live)}) + b"\n"


class Do(Struct, frozen=True, tag="do"):
    """Pause the crawl, let it continue, stop it, have it report its work, its numbers, or pages to be asked about."""

    what: Literal["pause", "continue", "stop", "look", "measure", "question"]


class Extend(Struct, frozen=True, tag="extend"):
    """It may read so many pages in all, and make so many fetches."""

    max_pages: int
    max_fetches: int | None


class Hear(Struct, frozen=True, tag="hear"):
    """A person likes a page (+1), or does not (-1)."""

    url: str
    liking: int


Command = Do | Extend | Hear


class Playing(Struct, frozen=True, tag="playing"):
    """An earlier run is played again, and has come to a step of so many."""

    step: int
    visits: int


class Looking(Struct, frozen=True, tag="looking"):
    """A round of watching has asked again for so many pages of those it wants to see."""

    pages: int
    of: int


class CrawlState(Struct, frozen=True, tag="state"):
    """It is ready, or something changed."""

    paused: bool
    line: float


class Now(Struct, frozen=True, tag="now"):
    """The answer to a look: what is being fetched, what waits, who is left alone."""

    fetching: list[dict[str, Any]]
    waiting: dict[str, Any]
    parked: list[dict[str, Any]]


class Moves(Struct, frozen=True, tag="moved"):
    """How many waiting links rose and fell after a person's word on a page, which did most, how long that took."""

    url: str
    liking: int
    rose: int
    fell: int
    up: list[dict[str, Any]]
    down: list[dict[str, Any]]
    seconds: float


class Asked(Struct, frozen=True, tag="asked"):
    """Pages whose answers would teach the crawl most."""

    urls: list[str]


class Advice(Struct, frozen=True, tag="advice"):
    """What seems to be left to find; None where that cannot be told."""

    remaining: dict[str, Any] | None
    harvest: dict[str, Any] | None


class Measured(Struct, frozen=True, tag="measured"):
    """The numbers of the run, as they stand now."""

    gauges: Gauges


class Notice(Struct, frozen=True, tag="warned"):
    """A sentence for the person."""

    line: str


class End(Struct, frozen=True, tag="ended"):
    """The last report: the crawl ended, for this reason."""

    stopped: str


class CrawlFailure(Struct, frozen=True, tag="failed"):
    """The last report: the crawl failed."""

    error: str


RelayedReport = Now | Moves | Asked | Advice | Notice
"""Reports that the page gets as they are."""
ProcessReport = Playing | Looking | CrawlState | Now | Moves | Asked | Advice | Measured | Notice | End | CrawlFailure


PATIENCE = 20.0
"""Seconds that a crawl is given to stop cleanly before it is ended by force."""
_LAST_WORDS = 1.0
_LONGEST_LINE = 1 << 24

Hears = Callable[[ProcessReport], None]
_REPORT = msgspec.json.Decoder(ProcessReport)


class Child:
    """A running crawl: commands go in, reports come out.

    `hear` is called with each report, `on_end` once, with the exit status, when the process is gone.
    """

    def __init__(self, process: Process, hear: Hears, on_end: Callable[[int], None]) -> None:
        self._process, self._hear, self._on_end = process, hear, on_end
        self._watching = asyncio.create_task(self._watch())

    @classmethod
    async def start(cls, begin: Begin, hear: Hears, on_end: Callable[[int], None]) -> Child:
        """A new process that was given its first line."""
        process = await asyncio.create_subprocess_exec(
            sys.executable,
            "-m",
            "salticid.service.crawl_process",
            stdin=PIPE,
            stdout=PIPE,
            start_new_session=True,
            limit=_LONGEST_LINE,
        )
        child = cls(process, hear, on_end)
        child._write(begin.line())
        return child

    def send(self, command: Command) -> None:
        """Give a command; one that has just ended hears nothing."""
        self._write(msgspec.json.encode(command) + b"\n")

    async def stop(self) -> None:
        """End it cleanly, or by force if it takes too long."""
        self.send(Do("stop"))
        await self.wait(PATIENCE)

    async def wait(self, within: float) -> None:
        """Wait until it has ended; it is killed if that takes longer."""
        try:
            await asyncio.wait_for(asyncio.shield(self._watching), within)
        except TimeoutError:
            with suppress(ProcessLookupError):
                self._process.kill()
            await self._watching

    def _write(self, line: bytes) -> None:
        with suppress(ConnectionError, RuntimeError):
            _pipe(self._process.stdin).write(line)

    async def _watch(self) -> None:
        """Hear its reports until it is gone. Its parsers may hold its output open a little longer."""
        listening = asyncio.create_task(self._listen())
        status = await self._process.wait()
        with suppress(TimeoutError):
            await asyncio.wait_for(listening, _LAST_WORDS)
        _pipe(self._process.stdin).close()
        self._on_end(status)

    async def _listen(self) -> None:
        with suppress(ValueError):  # a line that is too long
            while line := await _pipe(self._process.stdout).readline():
                with suppress(msgspec.DecodeError):
                    self._hear(_REPORT.decode(line))


P = TypeVar("P")


def _pipe(end: P | None) -> P:
    """One that was asked for is there."""
    if end is None:
        raise RuntimeError("the process was started without pipes")
    return end


# The process of a crawl that outlives the server which started it.
#
# It is the same as that of other crawls, but its input and its output are files in the folder of the crawl: to
# whoever adds a line to the one it listens, and in the other everybody can read what it said. It inherits a lock on
# its input, so that any server, also one that was started later, knows whether it lives.

COMMANDS, REPORTS = "commands.jsonl", "reports.jsonl"
_OWN = 0o600
_MOMENT = 2.0
"""Seconds in which whoever only looks lets go of a lock."""
_LARGEST = 16 << 20


def start(begin: Begin, commands: Sequence[Command] = ()) -> None:
    """A process for a crawl, which hears these commands first; UserError if it has one already."""
    folder = Path(begin.folder)
    with _input(folder) as orders, open_in(folder, REPORTS, "ab", _OWN) as reports:
        orders.truncate(0)
        reports.truncate(0)
        orders.write(begin.line() + b"".join(map(_line, commands)))
        orders.seek(0)
        process = subprocess.Popen(
            [sys.executable, "-m", "salticid.service.crawl_process"],
            stdin=orders,
            stdout=reports,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
    threading.Thread(target=process.wait, daemon=True).start()  # or it would never be gone while we live


def lives(folder: Path) -> bool:
    """Whether a crawl has such a process."""
    try:
        with open_in(folder, COMMANDS) as orders:
            fcntl.flock(orders, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    except (OSError, UnsafeFile):
        return False
    return False


def send(folder: Path, command: Command) -> None:
    """Tell the process something; one that has just ended hears nothing."""
    with open_in(folder, COMMANDS, "ab", _OWN) as orders:
        orders.write(_line(command))


def reports(folder: Path) -> list[ProcessReport]:
    """What the last such process of a crawl has said so far; nothing if it never had one."""
    said: list[ProcessReport] = []
    with suppress(OSError):
        for line in read_plain(folder / REPORTS, _LARGEST).splitlines():
            with suppress(msgspec.DecodeError, UnicodeDecodeError):  # its last words may be of another kind
                said.append(_REPORT.decode(line))
    return said


def ends(folder: Path, within: float) -> bool:
    """Wait until the process is gone, but no longer than so many seconds; whether it is."""
    deadline = time.monotonic() + within
    while lives(folder):
        if time.monotonic() > deadline:
            return False
        time.sleep(0.05)
    return True


def _line(command: Command) -> bytes:
    return msgspec.json.encode(command) + b"\n"


def _input(folder: Path) -> BinaryIO:
    """The input of a new process, locked; the lock is held by whoever has it open, and so by the process."""
    orders = open_in(folder, COMMANDS, "a+b", _OWN)
    deadline = time.monotonic() + _MOMENT
    while True:
        try:
            fcntl.flock(orders, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            if time.monotonic() > deadline:
                orders.close()
                raise UserError("it runs already; look how far it is") from None
            time.sleep(0.02)
        else:
            return orders
