"""The server: the page, what it asks for, and the crawls, behind one door."""

from __future__ import annotations

import asyncio
import errno
import signal
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import BinaryIO

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import FileResponse, Response
from starlette.routing import Mount, Route
from starlette.staticfiles import StaticFiles
from starlette.types import ASGIApp

from salticid.errors import SalticidError, UserError
from salticid.runs import LOOPBACK, Binding, LiveSettings, own_token
from salticid.service import PAGE, AccessControl, Crawls, Engines, LocalServer, refusal
from salticid.store import Damaged, lock
from salticid.ui.api import Api
from salticid.ui.views import Reports

_NO_ROOM = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)


class Serving:
    """A server that is not yet running: its crawls, its token, its port."""

    def __init__(self, data: Path, port: int, live: LiveSettings, binding: Binding = LOOPBACK) -> None:
        live.check()
        _make(data)
        self._data = data
        self.token = own_token()
        self.crawls = Crawls(data, live)
        self._stopping = False
        api = Api(self.crawls, Engines(data), Reports(data), live, self.token, lambda: self._stopping)
        self._binding = binding
        self._socket = binding.listener(port, "--port")
        self.port: int = self._socket.getsockname()[1]
        self._app = application(api, binding, self.port)

    @property
    def address(self) -> str:
        """Where the page is, with the token that opens it."""
        return f"http://{self._binding.place(self.port)}/?token={self.token}"

    async def run(self, ready: Callable[[int], None]) -> int:
        """Serve until SIGINT or SIGTERM; `ready` gets the number of crawls that go on; how many go on next time.

        UserError if another server works in the folder of data.
        """
        with closing(self._socket), closing(_for_us_alone(self._data)):
            return await self._run(ready)

    async def _run(self, ready: Callable[[int], None]) -> int:
        self._server = LocalServer(self._app)
        loop = asyncio.get_running_loop()
        for number in (signal.SIGINT, signal.SIGTERM):
            loop.add_signal_handler(number, self.stop)
        ready(len(await self.crawls.open()))
        watching = asyncio.create_task(self.crawls.watch_those_due())
        try:
            await self._server.serve(sockets=[self._socket])
        finally:
            watching.cancel()
            crawls = await self.crawls.close()
        return sum(crawl.wish.mood in ("run", "watch") for crawl in crawls)

    def stop(self) -> None:
        """End streams and crawls, and then the server."""
        self._stopping = self._server.should_exit = True


def application(api: Api, binding: Binding, port: int) -> ASGIApp:
    """The routes behind their doors; every error is JSON with a sentence for a person."""
    app = Starlette(
        routes=[
            Route("/", _page),
            Mount("/page", StaticFiles(directory=PAGE)),
            *api.routes(),
        ],
        exception_handlers={
            HTTPException: _refusal,
            SalticidError: _mistaken,
            sqlite3.Error: _unreadable,
            Damaged: _unreadable,
            OSError: _unusable,
            Exception: _broken,
        },
    )
    return AccessControl(app, api.token, binding, port)


async def _page(request: Request) -> Response:
    return FileResponse(PAGE / "index.html")


async def _refusal(request: Request, error: Exception) -> Response:
    refusal_error = error if isinstance(error, HTTPException) else HTTPException(500)
    return refusal(refusal_error.status_code, refusal_error.detail)


async def _mistaken(request: Request, error: Exception) -> Response:
    return refusal(422 if isinstance(error, UserError) else 502, str(error))


async def _unreadable(request: Request, error: Exception) -> Response:
    return refusal(500, f"what this crawl wrote down cannot be read: {error}; remove it, or mend its folder")


async def _unusable(request: Request, error: Exception) -> Response:
    trouble = error if isinstance(error, OSError) else OSError()
    cause = trouble.strerror or trouble
    if trouble.errno in _NO_ROOM:
        return refusal(507, f"nothing can be written: {cause}; make room on the disk, then try again")
    at = f"{trouble.filename}: " if trouble.filename else ""
    return refusal(500, f"{at}{cause}; mend what lies there, or take it away")


async def _broken(request: Request, error: Exception) -> Response:
    return refusal(500, "this went wrong in the server itself; its terminal says why")


def _make(data: Path) -> None:
    """The folder of data; UserError if it cannot be made."""
    try:
        data.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise UserError(f"cannot make {data}: {error.strerror}; name another folder as --data") from None


def _for_us_alone(data: Path) -> BinaryIO:
    """A lock on the folder of data, for this server and no other; UserError if that cannot be."""
    try:
        return lock(data)
    except UserError:
        raise UserError(
            f"{data} cannot be had: another salticid serve works in it, or nothing can be written there; "
            "stop that one, or name another folder as --data"
        ) from None
