"""Connections to servers: requests over aiohttp's connector, bounded, and recorded as messages."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Collection, Iterable, Mapping
from typing import Any

import aiohttp
from aiohttp.client_proto import ResponseHandler
from aiohttp.http import RawResponseMessage
from aiohttp.http_exceptions import HttpProcessingError
from aiohttp.streams import EMPTY_PAYLOAD, StreamReader
from multidict import CIMultiDict
from yarl import URL

from salticid.parse import undo
from salticid.urls import origin
from salticid.urls import origin as origin_of

# A connection to a server: it ends when we end it, and when it has brought more than an answer may.

BEFORE_A_BODY = 1 << 17
"""Bytes that may come before a body: interim answers and the head."""
BEYOND_A_BODY = 1 << 20
"""Bytes that may come with the longest body, those before it included: what frames chunks, trailers."""


class TooMuch(aiohttp.ClientPayloadError):
    """A server sends on and on."""


class Connection(ResponseHandler):
    """What the socket delivers is counted from request to request, whatever it is and whoever reads it.

    Over TLS, the end of a connection would wait for the other side to say farewell; here it does not.
    """

    def __init__(self, loop: asyncio.AbstractEventLoop, max_bytes: int) -> None:
        super().__init__(loop)
        self._max_bytes, self._count = max_bytes, 0
        self.allow(max_bytes)

    def close(self) -> None:
        self.abort()

    def allow(self, max_bytes: int) -> None:
        """This body may be as long as that."""
        self._most = max_bytes + BEYOND_A_BODY

    def set_response_params(self, **params: Any) -> None:
        """A request is about to be sent: what comes now belongs to its answer."""
        self._count, self._payload = 0, None
        self.allow(self._max_bytes)
        super().set_response_params(**params)

    def data_received(self, data: bytes) -> None:
        self._count += len(data)
        body = self._body()
        if data and body is not None and body.is_eof():
            self.abort()  # no more was asked for
        elif self._count > self._most:
            self._refuse()
        else:
            super().data_received(data)
            if self._count > BEFORE_A_BODY and self._body() is None:
                self._refuse()

    def _body(self) -> StreamReader | None:
        """The body of the answer, once its head has come; None also for an answer without one."""
        return None if self._payload is EMPTY_PAYLOAD else self._payload

    def _refuse(self) -> None:
        """End it, with an error for those who wait for an answer or for the rest of one."""
        if self.transport is not None:
            body, error = self._body(), TooMuch(f"{self._count:,} bytes, and no end")
            self.abort()
            self.set_exception(error)
            if body is not None:
                body.set_exception(error)


# The two messages of an exchange, as an archive keeps them.

_REPLAYABLE: tuple[list[str], ...] = ([], ["gzip"], ["deflate"], ["br"])
"""Content codings that those who replay archives can undo: none, or one of these alone."""
_PREFIX = b"X-Salticid-"
_ONE_LINE = bytes.maketrans(b"\r\n", b"  ")

Fields = list[tuple[bytes, bytes]]


def lines_of(fields: Iterable[tuple[str, str]]) -> bytes:
    """The lines of fields, all that comes after the first line of a request."""
    return _lines((name.encode(), value.encode("utf-8", "replace")) for name, value in fields)


def request(target: str, lines: bytes) -> bytes:
    """The request for a target, a path or for a proxy a URL, with the lines of its fields."""
    return b"GET %b HTTP/1.1\r\n%b" % (target.encode().translate(_ONE_LINE), lines)


def request_of(url: str, fields: Iterable[tuple[str, str]], secrets: Collection[str] = ()) -> bytes:
    """The request for a URL, as the server got it: fields for a proxy are not for the record, nor are secrets."""
    own = [
        (name, value) for name, value in fields if not name.lower().startswith("proxy-") and name.lower() not in secrets
    ]
    return request(url.removeprefix(origin(url)), lines_of(own))


def answer_of(
    head: RawResponseMessage,
    codings: list[str],
    body: bytes,
    longest: int,
    secrets: Collection[bytes] = (),
) -> tuple[bytes, bool]:
    """The answer as it came, but for codings that are undone and fields that are secrets; and whether some of its body
    was left out by undoing.

    aiohttp has undone the transfer coding. Content codings that nobody could replay are undone here, up to the longest
    body. The fields that were true of what was sent are kept under other names.
    """
    fields = _rename(_without(list(head.raw_headers), secrets), b"transfer-encoding")
    plain = None if codings in _REPLAYABLE else undo(body, codings, longest + 1)
    if plain is not None:
        body = plain[:longest]
        fields = _rename(fields, b"content-encoding", b"content-length")
        fields.append((b"Content-Length", b"%d" % len(body)))
    reason = head.reason.encode("utf-8", "surrogateescape").translate(_ONE_LINE)
    first = b"HTTP/%d.%d %d %b\r\n" % (*head.version, head.code, reason)
    return first + _lines(fields) + body, plain is not None and len(plain) > longest


def _without(fields: Fields, names: Collection[bytes]) -> Fields:
    return [(name, value) for name, value in fields if name.lower() not in names]


def _rename(fields: Fields, *names: bytes) -> Fields:
    return [(_PREFIX + name if name.lower() in names else name, value) for name, value in fields]


def _lines(fields: Iterable[tuple[bytes, bytes]]) -> bytes:
    """Fields of a head, and the empty line that ends it: there, whatever a server wrote into them."""
    lines = ((b"%b: %b" % field).translate(_ONE_LINE) for field in fields)
    return b"\r\n".join([*lines, b"", b""])


MOST_ROUTES = 4_096
"""Origins, the last ones met."""


class Answer:
    """An answer whose `head` has come from an `address`; the `body` comes over its connection.

    Used as a context, it gives the connection back at the end, to be used again if its body was read.
    """

    def __init__(
        self,
        head: RawResponseMessage,
        body: StreamReader,
        address: str | None,
        connection: aiohttp.connector.Connection,
    ) -> None:
        self.head, self.body, self.address, self._connection = head, body, address, connection

    def __enter__(self) -> Answer:
        return self

    def __exit__(self, *_: object) -> None:
        self._connection.release()

    @property
    def reusable(self) -> bool:
        """Whether its connection may be used for another request."""
        protocol = self._connection.protocol
        return protocol is not None and not protocol.should_close

    def allow(self, max_bytes: int) -> None:
        """This body may be as long as that."""
        if isinstance(self._connection.protocol, Connection):
            self._connection.protocol.allow(max_bytes)

    def close(self) -> None:
        """No more of it is wanted: end the connection."""
        self._connection.close()


class Routes:
    """Asks servers, all of them with these `fields`, by way of the `proxy` if there is one."""

    def __init__(
        self,
        connector: aiohttp.TCPConnector,
        fields: Mapping[str, str],
        connect_timeout: float,
        proxy: str | None,
    ) -> None:
        self._connector, self._fields = connector, fields
        self._timeout = aiohttp.ClientTimeout(total=None, sock_connect=connect_timeout)
        self._proxy = None if proxy is None else URL(proxy)
        self._routes: dict[str, _Route] = {}

    async def ask(self, url: str, more: Mapping[str, str], on_sent: Callable[[], None] | None) -> Answer:
        """Ask for a URL, once, with `more` fields than others; `on_sent` is called when the request is on its way."""
        route = self._to(origin_of(url))
        connection = await self._connector.connect(route.target, [], self._timeout)
        try:
            protocol = connection.protocol
            if protocol is None or protocol.transport is None or protocol.transport.is_closing():
                raise aiohttp.ClientConnectionResetError("the connection has ended")
            protocol.set_response_params(read_until_eof=True, auto_decompress=False)
            peer = protocol.transport.get_extra_info("peername")
            protocol.transport.write(self._request(route, url, more))
            if on_sent is not None:
                on_sent()
            head, body = await protocol.read()
            while 100 <= head.code < 200 and head.code != 101:  # not yet the answer
                head, body = await protocol.read()
        except HttpProcessingError as error:
            connection.close()
            raise aiohttp.ClientPayloadError(error.message) from error
        except BaseException:
            connection.close()
            raise
        return Answer(head, body, peer[0].partition("%")[0] if peer else None, connection)

    def fields(self, url: str, more: Mapping[str, str]) -> CIMultiDict[str]:
        """The fields of a request for a URL that has some more than others; of one name the last counts."""
        fields = self._to(origin_of(url)).target.headers.copy()
        fields.update(more)
        return fields

    def _request(self, route: _Route, url: str, more: Mapping[str, str]) -> bytes:
        target = url if route.absolute else url.removeprefix(route.origin)
        if more or self._proxy is not None:
            return request(target, lines_of(self.fields(url, more).items()))
        return request(target, route.lines)

    def _to(self, origin: str) -> _Route:
        """The route to an origin, which is now the last one met; the one met longest ago may be forgotten for it."""
        route = self._routes.pop(origin, None) or _Route(origin, self._fields, self._proxy)
        if len(self._routes) >= MOST_ROUTES:
            del self._routes[next(iter(self._routes))]
        self._routes[origin] = route
        return route


class _Route:
    """What all requests to an origin have in common; aiohttp finds its connections by the `target`."""

    def __init__(self, origin: str, fields: Mapping[str, str], proxy: URL | None) -> None:
        self.origin = origin
        self.target = aiohttp.ClientRequest("GET", URL(f"{origin}/", encoded=True), headers=fields, proxy=proxy)
        self.lines = lines_of(self.target.headers.items())
        self.absolute = proxy is not None and not self.target.is_ssl()
        """Whether the whole URL is asked for, of a proxy."""
