"""A real browser without a window, as far as tests need one: what a page asks for, complains of and looks like."""

from __future__ import annotations

import asyncio
import base64
import shutil
import subprocess
import tempfile
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import aiohttp
import pytest

ABSENT = "program absent: "
PATIENCE = 120.0
"""Seconds that any one answer of the browser may take, on a machine however busy."""
_OPTIONS = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--disable-dev-shm-usage",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--remote-debugging-port=0",
)


@dataclass(frozen=True)
class Window:
    """How the page is looked at."""

    width: int = 1200
    height: int = 900
    dark: bool = False
    script: bool = True
    media: str = ""


@dataclass
class Seen:
    """What a look at a page showed: URLs it asked for, errors, the values of the expressions asked for."""

    requests: list[str] = field(default_factory=list)
    complaints: list[str] = field(default_factory=list)
    values: list[Any] = field(default_factory=list)
    picture: bytes = b""


def chromium() -> str:
    """The browser's path; without one the test is skipped, and the end of the run says so."""
    found = shutil.which("chromium")
    if found is None:
        pytest.skip(f"{ABSENT}chromium; apt-get install chromium")
    return found


def looks(page: Path, windows: Sequence[Window], expressions: Sequence[str] = (), *, whole: bool = False) -> list[Seen]:
    """Open a file in windows of a new browser, evaluate expressions in each, take a picture (of the whole page)."""
    return asyncio.run(_looks(chromium(), page, windows, expressions, whole))


async def _looks(
    program: str, page: Path, windows: Sequence[Window], expressions: Sequence[str], whole: bool
) -> list[Seen]:
    async with _browser(program) as port:
        return [await _look(port, page, window, expressions, whole) for window in windows]


async def _look(port: int, page: Path, window: Window, expressions: Sequence[str], whole: bool) -> Seen:
    seen = Seen()
    async with _tab(port, seen) as tab:
        for domain in ("Network", "Log", "Runtime", "Page"):
            await tab.ask(f"{domain}.enable")
        size = {"width": window.width, "height": window.height, "deviceScaleFactor": 1, "mobile": False}
        await tab.ask("Emulation.setDeviceMetricsOverride", **size)
        scheme = {"name": "prefers-color-scheme", "value": "dark" if window.dark else "light"}
        await tab.ask("Emulation.setEmulatedMedia", media=window.media, features=[scheme])
        await tab.ask("Emulation.setScriptExecutionDisabled", value=not window.script)
        await tab.ask("Page.navigate", url=page.resolve().as_uri())
        await asyncio.wait_for(tab.loaded.wait(), PATIENCE)
        for expression in expressions:
            answer = await tab.ask("Runtime.evaluate", expression=expression, returnByValue=True)
            seen.values.append(answer["result"].get("value"))
        shot = await tab.ask("Page.captureScreenshot", format="png", captureBeyondViewport=whole)
        seen.picture = base64.b64decode(shot["data"])
    return seen


class _Tab:
    """One tab, spoken to over the browser's debugging socket."""

    def __init__(self, socket: aiohttp.ClientWebSocketResponse, seen: Seen) -> None:
        self._socket, self._seen = socket, seen
        self._asked: dict[int, asyncio.Future[Any]] = {}
        self.loaded = asyncio.Event()

    async def ask(self, method: str, **params: Any) -> Any:
        number = len(self._asked)
        self._asked[number] = asyncio.get_running_loop().create_future()
        await self._socket.send_json({"id": number, "method": method, "params": params})
        return await asyncio.wait_for(self._asked[number], PATIENCE)

    async def listen(self) -> None:
        async for message in self._socket:
            told = message.json()
            if "id" in told:
                answer = self._asked[told["id"]]
                if "error" in told:
                    answer.set_exception(AssertionError(told["error"]))
                else:
                    answer.set_result(told["result"])
            else:
                self._hear(told["method"], told["params"])

    def _hear(self, event: str, params: Any) -> None:
        if event == "Network.requestWillBeSent":
            self._seen.requests.append(params["request"]["url"])
        elif event == "Log.entryAdded" and params["entry"]["level"] in ("warning", "error"):
            self._seen.complaints.append(params["entry"]["text"])
        elif event == "Runtime.exceptionThrown":
            self._seen.complaints.append(str(params["exceptionDetails"]))
        elif event == "Runtime.consoleAPICalled":
            self._seen.complaints.append(str(params["args"]))
        elif event == "Page.loadEventFired":
            self.loaded.set()


@asynccontextmanager
async def _tab(port: int, seen: Seen) -> AsyncIterator[_Tab]:
    """A new tab."""
    async with aiohttp.ClientSession() as session:
        async with session.put(f"http://127.0.0.1:{port}/json/new?about:blank") as answer:
            address = (await answer.json())["webSocketDebuggerUrl"]
        async with session.ws_connect(address, max_msg_size=0) as socket:
            tab = _Tab(socket, seen)
            listening = asyncio.create_task(tab.listen())
            yield tab
            listening.cancel()


@asynccontextmanager
async def _browser(program: str) -> AsyncIterator[int]:
    """The port of a new browser with an empty profile; both are gone afterwards."""
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as profile:
        quiet = subprocess.DEVNULL
        process = subprocess.Popen([program, *_OPTIONS, f"--user-data-dir={profile}"], stdout=quiet, stderr=quiet)
        try:
            yield await asyncio.wait_for(_port(Path(profile)), PATIENCE)
        finally:
            process.terminate()
            try:
                process.wait(10)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()


async def _port(profile: Path) -> int:
    """The browser writes it down as soon as it listens."""
    file = profile / "DevToolsActivePort"
    while not file.exists() or not file.read_text().strip():
        await asyncio.sleep(0.05)
    return int(file.read_text().split()[0])
