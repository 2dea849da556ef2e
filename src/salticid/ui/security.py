"""Who may ask this server for what: the person at this machine, with the token, from the page itself.

A page of the open web can make a browser send requests here, and a name of its own can be made to point here.
So the host must be ours, the origin ours if one is named, the token known for everything but the page's own
files, and known to the page's script, not only to its cookie, for everything that changes something.
"""

from __future__ import annotations

import hmac
from collections.abc import Mapping
from http.cookies import CookieError, SimpleCookie
from urllib.parse import parse_qs

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import JSONResponse, RedirectResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

TOKEN_HEADER = "x-salticid-token"  # noqa: S105 - the name of a field
OPEN = ("/page/",)
"""What anybody at this machine may read: files that are the same for everybody."""
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
_ASK_FOR_TOKEN = "this needs the token: open the address that salticid serve printed, with ?token=..."  # noqa: S105


class Guarded:
    """An application behind its doors; `port` is where it is reached, on this machine alone."""

    def __init__(self, app: ASGIApp, token: str, port: int) -> None:
        self._app, self._token = app, token.encode()
        self._hosts = frozenset({f"127.0.0.1:{port}", f"localhost:{port}"})
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
            await send(message)

        await (self._app if answer is None else answer)(scope, receive, with_headers)

    def _answer(self, scope: Scope) -> Response | None:
        """What to say instead of what was asked for; None when it may be answered."""
        headers, path = Headers(scope=scope), scope["path"]
        host, origin = headers.get("host", ""), headers.get("origin")
        if host not in self._hosts or len(headers.getlist("host")) != 1:
            return refusal(421, f"this server answers as {min(self._hosts)} only; open that address")
        if origin is not None and origin not in {f"http://{name}" for name in self._hosts}:
            return refusal(403, "this request comes from another site; use the page of salticid itself")
        if path.startswith(OPEN):
            return None if scope["method"] in _READING else refusal(405, "this can only be read")
        given = parse_qs(scope["query_string"].decode("latin-1")).get("token", [""])[0]
        if path == "/" and self._knows(given):
            return self._let_in()
        if not (self._knows(self._cookie_of(headers)) or self._knows(_bearer(headers))):
            return refusal(401, _ASK_FOR_TOKEN)
        if scope["method"] not in _READING and not self._knows(headers.get(TOKEN_HEADER, "")):
            return refusal(403, f"a change needs the field {TOKEN_HEADER}; see GET /api/session")
        return None

    def _knows(self, given: str) -> bool:
        return hmac.compare_digest(given.encode("utf-8", "surrogateescape"), self._token)

    def _cookie_of(self, headers: Mapping[str, str]) -> str:
        try:
            found = SimpleCookie(headers.get("cookie", "")).get(self._cookie)
        except CookieError:
            return ""
        return found.value if found else ""

    def _let_in(self) -> Response:
        """To the page, without the token in its address."""
        answer = RedirectResponse("/", 303)
        answer.set_cookie(self._cookie, self._token.decode(), httponly=True, samesite="strict", path="/")
        return answer


def refusal(status: int, sentence: str) -> Response:
    """An error for a person: what is wrong, and the next step."""
    return JSONResponse({"error": sentence}, status)


def _bearer(headers: Mapping[str, str]) -> str:
    kind, _, token = headers.get("authorization", "").partition(" ")
    return token.strip() if kind.lower() == "bearer" else ""
