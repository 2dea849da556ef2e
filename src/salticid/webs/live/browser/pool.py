"""A few browsers, each in processes of its own, which are ended when a page takes too much of anything."""

from __future__ import annotations

import asyncio
import os
import shutil
import socket
import subprocess
import sys
from collections.abc import Awaitable, Callable
from contextlib import suppress
from dataclasses import dataclass
from importlib.util import find_spec
from typing import Self

import msgspec

from salticid.errors import SalticidError
from salticid.webs.live.browser import guardian
from salticid.webs.live.browser.guardian import make_folder, remove_folder
from salticid.webs.live.browser.messages import FromBrowser, Part, Ready, Rendered, Shell, Wish, frame, next_frame

PROGRAMS = ("chromium", "chromium-browser", "google-chrome")
_START = 120.0  # seconds until it must be ready for its first page, on a machine however busy
_GRACE = 10.0  # seconds beyond its own that a page may take to be handed over
_END = 60.0  # seconds that the processes may take to be gone, on a machine however busy
_LOOK_EVERY = 0.2

Ask = Callable[[Wish], Awaitable[Part]]
"""What a page asks for, and what it gets."""


class NoBrowser(SalticidError):
    """No browser would start."""


@dataclass(frozen=True, slots=True)
class BrowserLimits:
    """What one page may cost: seconds by the clock, pauses for manners included, seconds of processor time, and bytes
    of memory of all processes of its browser.

    There are at most so many `browsers` at once; one that has rendered so many `pages` makes place for a fresh one.
    """

    seconds: float = 60.0
    processor_seconds: float = 15.0
    memory: int = 1 << 30
    browsers: int = 2
    pages: int = 200


def what_is_missing() -> str | None:
    """What would have to be installed before pages can be rendered; None if nothing."""
    parts = [] if find_spec("playwright") else ["playwright (pip install 'salticid[browser]')"]
    if find_program() is None:
        parts.append("Chromium (apt-get install chromium)")
    return " and ".join(parts) or None


def find_program() -> str | None:
    """The browser of this machine."""
    return next((found for name in PROGRAMS if (found := shutil.which(name))), None)


class BrowserPool:
    """Renders pages in browsers, one page at a time in each; the first is started when it is needed.

    `agent` is who pages are told we are. `without_network`: the system sees to it, where it can, that a browser has no
    network, beside all that the browser itself is told.
    """

    def __init__(
        self,
        program: str,
        agent: str,
        limits: BrowserLimits = BrowserLimits(),  # noqa: B008 - it is frozen
        without_network: bool = True,
    ) -> None:
        self.limits, self.peak = limits, 0
        """The most memory that a browser has had."""
        self._program, self._agent, self._without_network = program, agent, without_network
        self._places = asyncio.Semaphore(limits.browsers)
        self.idle: list[_Browser] = []
        """Browsers that wait for a page."""

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        while self.idle:
            await self.idle.pop().end()

    async def render(self, url: str, html: bytes, fields: dict[str, str], ask: Ask) -> bytes | None:
        """The document that a page becomes in a browser. None: it took too much, or its browser died of it.

        What it asks for is asked of `ask`. Raises `NoBrowser` if none would start.
        """
        async with self._places:
            browser = self.idle.pop() if self.idle else None
            rendered = None
            try:
                if browser is None:
                    browser = _Browser(self.limits)
                    await browser.start(self._program, self._agent, self._without_network)
                rendered = await browser.render(Shell(url, html, fields, self.limits.seconds), ask)
                return None if rendered is None else rendered.html
            finally:
                if browser is not None:
                    self.peak = max(self.peak, browser.peak)
                    if rendered is not None and rendered.clean and browser.pages < self.limits.pages:
                        self.idle.append(browser)
                    else:
                        await browser.end()


class _Browser:
    """A browser and its processes, seen from here."""

    def __init__(self, limits: BrowserLimits) -> None:
        self.pages = self.peak = 0
        self._limits = limits
        self._folder: str | None = None
        self._lock: int | None = None
        self._process: subprocess.Popen[bytes] | None = None
        self._writer: asyncio.StreamWriter | None = None

    @property
    def pid(self) -> int:
        """Its first process, below which all others are."""
        return 0 if self._process is None else self._process.pid

    async def start(self, program: str, agent: str, without_network: bool) -> None:
        """Start it, with a folder of its own and nothing of our environment; `NoBrowser` if that fails."""
        self._folder, self._lock = make_folder()
        code = f"from {__package__}.process import work; work({program!r}, {agent!r}, {without_network})"
        ours, theirs = socket.socketpair()
        with theirs:
            self._reader, self._writer = await asyncio.open_unix_connection(sock=ours)
            self._process = subprocess.Popen(  # noqa: S603 - our own interpreter
                [sys.executable, "-P", "-c", code],
                stdin=theirs.fileno(),
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                env=_environment(self._folder),
                cwd=self._folder,
                pass_fds=[self._lock],
                start_new_session=True,  # out of reach of Ctrl-C
            )
        try:
            async with asyncio.timeout(_START):
                ready = await self._next()
        except TimeoutError:
            ready = None
        if not isinstance(ready, Ready) or ready.why_not:
            why = ready.why_not if isinstance(ready, Ready) else "it says nothing"
            raise NoBrowser(f"{program} would not start: {why.strip().partition(chr(10))[0]}")

    async def render(self, shell: Shell, ask: Ask) -> Rendered | None:
        """The page, rendered; None if it was ended before that."""
        self.pages += 1
        wishes: set[asyncio.Task[None]] = set()
        watch = asyncio.create_task(self._watch())
        self._send(shell)
        try:
            while True:
                match await self._next():
                    case Wish() as wish:
                        wishes.add(asyncio.create_task(self._grant(wish, ask)))
                    case Rendered() as rendered:
                        return rendered
                    case _:
                        return None
        finally:
            for task in (watch, *wishes):
                task.cancel()
            await asyncio.gather(watch, *wishes, return_exceptions=True)

    async def end(self) -> None:
        """Hang up, and wait until the guardian has ended all processes and removed their folder."""
        await self._hang_up()
        if self._process is not None:
            with suppress(TimeoutError):
                async with asyncio.timeout(_END):
                    while self._process.poll() is None:
                        await asyncio.sleep(0.005)
        if self._folder is not None and self._lock is not None:
            if self._process is None or self._process.poll() is not None:
                remove_folder(self._folder)  # nothing to do, unless the guardian was killed
            os.close(self._lock)
            self._lock = None

    async def _hang_up(self) -> None:
        if self._writer is not None:
            self._writer.transport.abort()
            await asyncio.sleep(0)  # the event loop closes the socket in its next round

    async def _grant(self, wish: Wish, ask: Ask) -> None:
        self._send(await ask(wish))

    def _send(self, message: Shell | Part) -> None:
        if self._writer is not None:
            self._writer.write(frame(message))

    async def _next(self) -> FromBrowser | None:
        message = await next_frame(self._reader)
        try:
            return None if message is None else msgspec.msgpack.decode(message, type=FromBrowser)
        except msgspec.DecodeError:
            return None

    async def _watch(self) -> None:
        """End the browser when its page has taken too long, or too much."""
        if self._process is None:
            return
        clock = asyncio.get_running_loop().time
        deadline = clock() + self._limits.seconds + _GRACE
        start = guardian.usage(self._process.pid).seconds
        while True:
            usage = guardian.usage(self._process.pid)
            self.peak = max(self.peak, usage.memory)
            is_late = clock() > deadline or usage.seconds - start > self._limits.processor_seconds
            if is_late or usage.memory > self._limits.memory:
                await self._hang_up()
                return
            await asyncio.sleep(_LOOK_EVERY)


def _environment(folder: str) -> dict[str, str]:
    """What a browser is told of us: where programs and our modules are, and where it may write."""
    paths = {"HOME": folder, "TMPDIR": folder, "PYTHONPATH": os.pathsep.join(sys.path)}
    return {"PATH": os.environ.get("PATH", os.defpath), "LANG": "C.UTF-8", **paths}
