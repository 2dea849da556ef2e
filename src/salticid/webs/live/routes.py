"""Routes to servers: one request after the other over connections that aiohttp keeps.

All our requests are alike: GET, no body, no cookies, no redirects, and one head for all pages of an origin, which is
made once. aiohttp's session would make everything anew for each page. What is hard is left to aiohttp: connections,
TLS, proxies, reading answers.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

import aiohttp
from aiohttp.http import RawResponseMessage
from aiohttp.http_exceptions import HttpProcessingError
from aiohttp.streams import StreamReader
from multidict import CIMultiDict
from yarl import URL

from salticid.urls import origin as origin_of
from salticid.webs.live.connection import Connection
from salticid.webs.live.messages import lines_of, request

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
        self.target = aiohttp.ClientRequest(
            "GET", URL(f"{origin}/", encoded=True), headers=fields, proxy=proxy
        )
        self.lines = lines_of(self.target.headers.items())
        self.absolute = proxy is not None and not self.target.is_ssl()
        """Whether the whole URL is asked for, of a proxy."""
