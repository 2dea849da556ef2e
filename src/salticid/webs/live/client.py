"""One request over the network: capped, timed, guarded; nothing is repeated, nothing is raised."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterable, Mapping
from contextvars import ContextVar
from dataclasses import dataclass, field, replace
from functools import partial
from types import TracebackType
from typing import Protocol, cast

import aiohttp
from aiohttp.client_proto import ResponseHandler
from yarl import URL

from salticid.parse.content import MAX_PDF, codings, is_pdf
from salticid.webs.live.access import Access
from salticid.webs.live.connection import Connection, TooMuch
from salticid.webs.live.failures import failure_of
from salticid.webs.live.guard import GuardedSockets
from salticid.webs.live.long_bodies import LongBodies
from salticid.webs.live.messages import answer_of, request_of
from salticid.webs.live.names import Names
from salticid.webs.live.retries import Failure

PDF_PATIENCE = 6
"""A PDF that is longer than a page may take so many times as long."""
_BLOCK = 1 << 16
_HEADERS = {
    "Accept": "text/html,application/xhtml+xml;q=0.9,*/*;q=0.1",
    "Accept-Encoding": "gzip, deflate, br, zstd",
    "Accept-Language": "*",
}
_COOKIES = (b"set-cookie", b"set-cookie2")
_LISTS = {"content-encoding": ", ", "x-robots-tag": "\n"}
"""Fields of which all count, and what is put between them."""
_ON_SENT: ContextVar[Callable[[], None] | None] = ContextVar("sent", default=None)
"""Called when the request of this task was sent: aiohttp makes the response, and leaves us no other way to it."""


@dataclass(frozen=True, slots=True)
class Exchange:
    """What came back: the status, the head's fields in lower case, the body as sent, up to the cap.

    `record` is the place the recorder gave it, where there is one; `whole` says that there was no more of the body.
    """

    status: int
    fields: Mapping[str, str]
    body: bytes
    record: int | None = None
    whole: bool = True


class Recorder(Protocol):
    """Keeps exchanges as they were."""

    def add(self, url: str, request: bytes, response: bytes, address: str | None, truncated: bool) -> int:
        """Take the two messages of an exchange with a server at `address`; where they can be found again.

        Of the response, transfer codings are undone, and content codings that archives cannot replay; `truncated`:
        the body goes on.
        """
        ...

    def add_conversion(self, url: str, place: int, html: bytes, fields: Mapping[str, str]) -> int:
        """Take the document that a browser made of the response at a place, whose head had these `fields`."""
        ...


@dataclass(frozen=True, slots=True)
class ClientSettings:
    """How requests are made."""

    user_agent: str
    timeout: float = 10.0
    max_bytes: int = 1 << 20
    connections: int = 64
    proxy: str | None = field(default=None, repr=False)
    access: Access | None = field(default=None, repr=False)


class Client:
    """Asks servers. Use it as an async context.

    `timeout` bounds a request from first to last byte, and connecting may take half of it. A PDF may be longer than a
    page if there is a place for it among the `long_bodies`, and take longer. No cookies and no
    credentials but what `access` has for a host, no redirects, no second try. Through a proxy, the address of the
    target is checked as we resolve it; what the proxy makes of the name is up to the proxy. Every exchange whose answer
    was read goes to the recorder, if there is one.
    """

    def __init__(
        self,
        settings: ClientSettings,
        names: Names,
        sockets: GuardedSockets,
        archive: Recorder | None = None,
        long_bodies: LongBodies | None = None,
    ) -> None:
        self._settings, self._names, self._sockets, self._archive = settings, names, sockets, archive
        self._long_bodies = long_bodies

    async def __aenter__(self) -> Client:
        timeout = self._settings.timeout
        connector = aiohttp.TCPConnector(
            resolver=self._names,
            socket_factory=self._sockets,
            use_dns_cache=False,
            limit=self._settings.connections,
            enable_cleanup_closed=False,
        )
        self._session = aiohttp.ClientSession(
            connector=connector,
            headers={**_HEADERS, "User-Agent": self._settings.user_agent},
            cookie_jar=aiohttp.DummyCookieJar(),
            response_class=_ResponseWithAddress,
            # The whole request is timed by `get`, which bounds each wait for data too.
            timeout=aiohttp.ClientTimeout(total=None, sock_connect=timeout / 2),
            auto_decompress=False,
            trust_env=False,
        )
        ours = partial(Connection, asyncio.get_running_loop(), self._settings.max_bytes)
        connector._factory = cast("partial[ResponseHandler]", ours)
        # aiohttp asks again by itself when a kept connection turns out closed; we want to know of it.
        self._session._retry_connection = False
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None
    ) -> None:
        await self._session.close()
        await self._names.close()

    @property
    def timeout(self) -> float:
        """Seconds a request may take."""
        return self._settings.timeout

    async def get(
        self,
        url: str,
        at_least: int = 0,
        fields: Mapping[str, str] | None = None,
        on_sent: Callable[[], None] | None = None,
    ) -> Exchange | Failure:
        """Ask for a URL, once; its body is read up to `max_bytes`, or `at_least` so many if that is more.

        `fields` are added to the request, those that can be: a value that is no line of text is left out. When it
        is over the server knows: a connection that is not kept is closed. `on_sent` is called when the request is
        on its way, if it ever is.
        """
        _ON_SENT.set(on_sent)
        answer, reusable = await self._try(url, at_least, fields)
        if not reusable:
            await asyncio.sleep(0)  # in the next round of the event loop, which may be long in coming
        return answer

    async def _try(
        self, url: str, at_least: int, fields: Mapping[str, str] | None
    ) -> tuple[Exchange | Failure, bool]:
        """What came of asking, and whether the connection may be used again."""
        valid_fields = {name: value for name, value in (fields or {}).items() if value.isprintable()}
        try:
            async with asyncio.timeout(self._settings.timeout) as deadline:
                return await self._get(url, max(at_least, self._settings.max_bytes), valid_fields, deadline)
        except (TimeoutError, aiohttp.ClientError, OSError, ValueError) as error:
            return failure_of(error), False

    async def _get(
        self, url: str, most: int, fields: Mapping[str, str], deadline: asyncio.Timeout
    ) -> tuple[Exchange, bool]:
        where, proxy = URL(url, encoded=True), self._settings.proxy
        if proxy is not None:  # our sockets see only the proxy: whither it leads is checked here
            await self._names.admissible(where.raw_host or "", where.port or 0)
        access = self._settings.access
        secrets = {} if access is None else access.fields(url)
        request = self._session.get(where, headers={**fields, **secrets}, allow_redirects=False, proxy=proxy)
        async with request as response:
            body, truncated = await _body(response, most, partial(self._longer, response, deadline))
            if truncated:
                response.close()
            answer = Exchange(response.status, _fields(response), body, whole=not truncated)
            record = self._keep(url, response, answer, truncated, secrets)
            return replace(answer, record=record), not truncated

    async def _longer(
        self, response: aiohttp.ClientResponse, deadline: asyncio.Timeout, body: bytearray
    ) -> int:
        """How long a body may be that begins so: longer than a page if it is a PDF, once there is a place for it."""
        kind = response.headers.get("content-type", "")
        if self._long_bodies is None or not response.ok or (response.content_length or 0) > MAX_PDF:
            return 0
        if not is_pdf(kind, bytes(body[:_BLOCK])):
            return 0
        deadline.reschedule(None)  # those who have a place have deadlines
        place = await self._long_bodies.take()
        deadline.reschedule(asyncio.get_running_loop().time() + PDF_PATIENCE * self._settings.timeout)
        if not place:
            return 0
        if response.connection is not None and isinstance(response.connection.protocol, Connection):
            response.connection.protocol.allow(MAX_PDF)
        return MAX_PDF

    def _keep(
        self,
        url: str,
        response: aiohttp.ClientResponse,
        answer: Exchange,
        more: bool,
        secrets: Iterable[str],
    ) -> int | None:
        """Hand the exchange, whose body may have `more`, to the recorder. A proxy's address is not the server's.

        Fields that are `secrets` are left out; where there are any, so are the cookies that came back.
        """
        if self._archive is None:
            return None
        names = frozenset(name.lower().encode() for name in secrets)
        direct = self._settings.proxy is None
        address = response.address if direct and isinstance(response, _ResponseWithAddress) else None
        longest = max(self._settings.max_bytes, len(answer.body))
        message, left_out = answer_of(
            response, codings(answer.fields), answer.body, longest, _COOKIES if names else ()
        )
        return self._archive.add(url, request_of(response, names), message, address, more or left_out)


class _ResponseWithAddress(aiohttp.ClientResponse):
    """A response that remembers who sent it: a short one has let go of its connection before we see it."""

    address: str | None = None

    async def start(self, connection: aiohttp.connector.Connection) -> aiohttp.ClientResponse:
        if (on_sent := _ON_SENT.get()) is not None:
            on_sent()
        peer = connection.transport and connection.transport.get_extra_info("peername")
        self.address = peer[0].partition("%")[0] if peer else None
        return await super().start(connection)


async def _body(
    response: aiohttp.ClientResponse, most: int, longer: Callable[[bytearray], Awaitable[int]]
) -> tuple[bytes, bool]:
    """A body, and whether there is more of it; of one that brings too much around it, what was read until then.

    Where it is as long as it may be, and there is more, `longer` says how long it may be then; if there is more even
    so, nothing of that is kept.
    """
    body, first = bytearray(), most
    try:
        while block := await response.content.read(_BLOCK):
            body += block
            if len(body) >= most and not response.content.at_eof():
                most = max(most, await longer(body))
                if len(body) >= most:
                    break
        truncated = len(body) > most or not response.content.at_eof()
    except TooMuch:
        if not body:
            raise
        truncated = True
    del body[first if truncated else most :]
    return bytes(body), truncated


def _fields(response: aiohttp.ClientResponse) -> dict[str, str]:
    """The head's fields; of one that stands there twice the first counts, where lists are meant all of it."""
    fields: dict[str, str] = {}
    for name, raw in response.headers.items():
        key, value = name.lower(), raw.encode("utf-8", "replace").decode()
        if key in fields and key in _LISTS:
            fields[key] += _LISTS[key] + value
        fields.setdefault(key, value)
    fields.pop("transfer-encoding", None)  # aiohttp has undone it
    return fields
