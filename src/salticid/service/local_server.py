"""A server on this machine: token, host names, and bounds on idle connections."""

from __future__ import annotations

import asyncio
import hmac
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from http.cookies import CookieError, SimpleCookie
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs

import h11
import uvicorn
from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import FileResponse, JSONResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from uvicorn.protocols.http.h11_impl import H11Protocol, RequestResponseCycle

from salticid.runs import Binding, bearer, same_token

# Connections that hold a place and make no use of it.

MOST_CONNECTIONS = 200
"""With more, a request is refused with the advice to try again."""
MOST_QUIET = 100
"""Connections that may be open and neither ask for anything nor take what they asked for."""
FIRST_REQUEST = 10.0
"""Seconds in which a connection has to say what it wants."""


class ImpatientProtocol(H11Protocol):
    """Closes connections on which a request does not come, or comes too slowly, the first time or later.

    When too many are quiet at once, the one that has been so for longest is closed, so that there is always room
    for a request.
    """

    def __init__(self, *arguments: Any, **keywords: Any) -> None:
        super().__init__(*arguments, **keywords)
        self._hanging_up: asyncio.TimerHandle | None = None
        self._quiet_since = 0.0

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self._quiet_since = self.loop.time()
        self._watch()
        self._make_room()

    def data_received(self, data: bytes) -> None:
        super().data_received(data)
        self._watch()

    def pause_writing(self) -> None:
        self._quiet_since = self.loop.time()
        super().pause_writing()

    def on_response_complete(self) -> None:
        self._quiet_since = self.loop.time()
        super().on_response_complete()
        if self.conn.trailing_data[0]:
            self._watch()

    def connection_lost(self, exc: Exception | None) -> None:
        super().connection_lost(exc)
        self._unwatch()

    @property
    def _waits(self) -> bool:
        """Whether nothing is being answered: the head of a request has yet to come."""
        cycle: RequestResponseCycle | None = self.cycle
        return self.conn.their_state is h11.IDLE and (cycle is None or cycle.response_complete)

    @property
    def _is_quiet(self) -> bool:
        return not self.transport.is_closing() and (self._waits or self.flow.write_paused)

    def _make_room(self) -> None:
        quiet = [each for each in self.connections if isinstance(each, ImpatientProtocol) and each._is_quiet]
        if len(quiet) > MOST_QUIET:
            min(quiet, key=lambda each: each._quiet_since).transport.abort()

    def _watch(self) -> None:
        """Count the seconds from the first byte of a request until its head is there."""
        if not self._waits:
            self._unwatch()
        elif self._hanging_up is None:
            self._hanging_up = self.loop.call_later(FIRST_REQUEST, self.transport.close)

    def _unwatch(self) -> None:
        if self._hanging_up is not None:
            self._hanging_up.cancel()
            self._hanging_up = None


_LONGEST_HEAD = 64 << 10


class LocalServer(uvicorn.Server):
    """Serves an application until it is told that it `should_exit`; it leaves signals to us."""

    def __init__(self, app: ASGIApp) -> None:
        super().__init__(
            uvicorn.Config(
                app,
                http=ImpatientProtocol,
                ws="none",
                lifespan="off",
                log_config=None,
                access_log=False,
                proxy_headers=False,
                server_header=False,
                limit_concurrency=MOST_CONNECTIONS,
                timeout_keep_alive=30,
                timeout_graceful_shutdown=2,
                h11_max_incomplete_event_size=_LONGEST_HEAD,
                loop="none",
            )
        )

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        yield


# Who may ask this server for what: a person with the token, from the page itself.
#
# A page of the open web can make a browser send requests here, and a name of its own can be made to point here.
# So the host must be ours, the origin ours if one is named, and the token known for everything but the page's own
# files. A browser that comes without it gets a page that says how to get it.
#
# A browser sends its cookies to every port of a machine, whoever listens there. So no cookie holds the token: the
# page keeps it where scripts of its own origin alone can read it, and names it in a field of every request. What a
# browser opens without a script's help, such as a report or a file to take away, is opened by a ticket, which is good
# for reading one path. The cookie is the ticket of the page itself, so that a window can be loaded again.

PAGE = Path(__file__).parents[1] / "ui" / "page"
TOKEN_HEADER = "x-salticid-token"  # noqa: S105 - the name of a field
OPEN = ("/page/",)
"""What every program at this machine may read: files that hold no secrets."""
_READING = ("GET", "HEAD")
_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
    "form-action 'none'; base-uri 'none'; frame-ancestors 'none'"
)
_HEADERS = {
    "Content-Security-Policy": _POLICY,
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cache-Control": "no-store",
}
_FRONT = "/"
_ASK_FOR_TOKEN = "this needs the token: open the address that salticid serve printed, with ?token=..."  # noqa: S105


class AccessControl:
    """An application behind its doors, reached at a port of `binding`.

    `advice` is for those who come without the token.
    """

    def __init__(self, app: ASGIApp, token: str, binding: Binding, port: int, advice: str = _ASK_FOR_TOKEN) -> None:
        self._app, self._token, self._advice = app, token, advice
        self._binding, self._port = binding, port
        self._cookie = f"salticid-{port}"

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        answer = self._answer(scope)

        async def with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in _HEADERS.items():
                    headers.setdefault(name, value)
                if answer is None and scope["path"] == _FRONT:
                    headers.append("Set-Cookie", self._cookie_line())
            await send(message)

        await (self._app if answer is None else answer)(scope, receive, with_headers)

    def _answer(self, scope: Scope) -> Response | None:
        """What to say instead of what was asked for; None when it may be answered."""
        headers, reads = Headers(scope=scope), scope["method"] in _READING
        host, origin = headers.get("host", ""), headers.get("origin")
        if len(headers.getlist("host")) != 1 or not self._binding.answers(host, self._port):
            place = self._binding.place(self._port)
            more = ", or start it with --host-name" if self._binding.is_named else ""
            return refusal(421, f"this server answers as {place} only; open that address{more}")
        if origin is not None and origin not in (f"http://{host}", f"https://{host}"):
            return refusal(403, "this request comes from another site; use the page of salticid itself")
        if scope["path"].startswith(OPEN):
            return None if reads else refusal(405, "this can only be read")
        brought = (headers.get(TOKEN_HEADER, ""), bearer(headers.get("authorization", "")))
        knows = any(self._is_token(text) for text in brought)
        if knows or (reads and self._has_ticket(scope, headers)):
            return None
        if reads and "text/html" in headers.get("accept", ""):
            return FileResponse(PAGE / "no-key.html", 401)
        return refusal(401, self._advice)

    def _has_ticket(self, scope: Scope, headers: Headers) -> bool:
        """Whether a request that reads brings the ticket of its path; to the page the token itself opens too."""
        query, path = parse_qs(scope["query_string"].decode("latin-1")), scope["path"]
        if path == _FRONT and self._is_token(query.get("token", [""])[0]):
            return True
        secret = self._cookie_of(headers) if path == _FRONT else query.get("ticket", [""])[0]
        return same_token(secret, ticket(self._token, path))

    def _is_token(self, text: str) -> bool:
        return same_token(text, self._token)

    def _cookie_of(self, headers: Mapping[str, str]) -> str:
        try:
            cookie = SimpleCookie(headers.get("cookie", "")).get(self._cookie)
        except CookieError:
            return ""
        return cookie.value if cookie else ""

    def _cookie_line(self) -> str:
        return f"{self._cookie}={ticket(self._token, _FRONT)}; HttpOnly; Path={_FRONT}; SameSite=Strict"


def ticket(token: str, path: str) -> str:
    """What opens one path, and does not give the token away; a script of the page makes the same.

    >>> ticket("the token", "/reports/trial")[:16]
    'da70c3a92f5664b7'
    """
    return hmac.new(token.encode(), path.encode(), "sha256").hexdigest()


def refusal(status: int, sentence: str) -> Response:
    """An error for a person: what is wrong, and the next step."""
    return JSONResponse({"error": sentence}, status)
