"""The process of one crawl, as the server sees it."""

from __future__ import annotations

import asyncio
import sys
from asyncio.subprocess import PIPE, Process
from collections.abc import Callable
from contextlib import suppress
from typing import TypeVar

import msgspec

from salticid.ui.process_messages import Begin, Command, Do, ProcessReport

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
            "salticid.ui.crawl_process",
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
