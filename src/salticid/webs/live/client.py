"""One request over the network: capped, timed, guarded; nothing is repeated, nothing is raised."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field, replace
from functools import partial
from types import TracebackType
from typing import Protocol, cast

import aiohttp
from aiohttp.client_proto import ResponseHandler
from aiohttp.streams import StreamReader
from yarl import URL

from salticid.parse import MAX_PDF, codings, is_pdf
from salticid.webs.live.access import Access
from salticid.webs.live.connections import Answer, Connection, Routes, TooMuch, answer_of, request_of
from salticid.webs.live.failures import Failure, failure_of
from salticid.webs.live.guard import GuardedSockets
from salticid.webs.live.names import Names

# Bodies that are longer than those of pages: few of them may be in memory at a time.

PLACES = 2
"""So many at a time: each is there up to three times, as it is read, kept and handed on."""


class LongBodies:
    """Whoever reads a long body takes a place, and has it until what he wanted the body for is done.

    >>> async def one_after_the_other() -> list[str]:
    ...     bodies, order = LongBodies(1), []
    ...     async def fetch(name: str) -> None:
    ...         with bodies.fetching():
    ...             await bodies.take()
    ...             order.append(f"{name} begins")
    ...             await asyncio.sleep(0)
    ...             order.append(f"{name} ends")
    ...     await asyncio.gather(fetch("a"), fetch("b"))
    ...     return order
    >>> asyncio.run(one_after_the_other())
    ['a begins', 'a ends', 'b begins', 'b ends']
    """

    def __init__(self, places: int = PLACES) -> None:
        self._places = asyncio.Semaphore(places)
        self._taken: ContextVar[list[bool] | None] = ContextVar("taken", default=None)

    @contextmanager
    def fetching(self) -> Iterator[None]:
        """A place that is taken within is given back at the end."""
        taken: list[bool] = []
        before = self._taken.set(taken)
        try:
            yield
        finally:
            self._taken.reset(before)
            if taken:
                self._places.release()

    async def take(self) -> bool:
        """Wait for a place, unless it is had already; False for those who fetch no page and get none."""
        taken = self._taken.get()
        if taken is None:
            return False
        if not taken:
            await self._places.acquire()
            taken.append(True)
        return True


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
    timeout: float
    max_bytes: int
    connections: int
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
        connector = aiohttp.TCPConnector(
            resolver=self._names,
            socket_factory=self._sockets,
            use_dns_cache=False,
            limit=self._settings.connections,
            enable_cleanup_closed=False,
        )
        # A protocol of our own, for which aiohttp has no door.
        ours = partial(Connection, asyncio.get_running_loop(), self._settings.max_bytes)
        connector._factory = cast("partial[ResponseHandler]", ours)
        fields = {**_HEADERS, "User-Agent": self._settings.user_agent}
        # The whole request is timed by `get`, which bounds each wait for data too.
        self._routes = Routes(connector, fields, self._settings.timeout / 2, self._settings.proxy)
        self._connector = connector
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None
    ) -> None:
        await self._connector.close()
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
        answer, reusable = await self._try(url, at_least, fields, on_sent)
        if not reusable:
            await asyncio.sleep(0)  # in the next round of the event loop, which may be long in coming
        return answer

    async def _try(
        self, url: str, at_least: int, fields: Mapping[str, str] | None, on_sent: Callable[[], None] | None
    ) -> tuple[Exchange | Failure, bool]:
        """What came of asking, and whether the connection may be used again."""
        valid_fields = {name: value for name, value in (fields or {}).items() if value.isprintable()}
        most = max(at_least, self._settings.max_bytes)
        try:
            async with asyncio.timeout(self._settings.timeout) as deadline:
                return await self._get(url, most, valid_fields, on_sent, deadline)
        except (TimeoutError, aiohttp.ClientError, OSError, ValueError) as error:
            return failure_of(error), False

    async def _get(
        self,
        url: str,
        most: int,
        fields: dict[str, str],
        on_sent: Callable[[], None] | None,
        deadline: asyncio.Timeout,
    ) -> tuple[Exchange, bool]:
        if self._settings.proxy is not None:
            where = URL(url, encoded=True)  # our sockets see only the proxy: whither it leads is checked here
            await self._names.admissible(where.raw_host or "", where.port or 0)
        secrets = {} if self._settings.access is None else self._settings.access.fields(url)
        fields |= secrets
        with await self._routes.ask(url, fields, on_sent) as answer:
            body, truncated = await _body(answer.body, most, partial(self._longer, answer, deadline))
            if truncated:
                answer.close()
            exchange = Exchange(answer.head.code, _fields(answer.head.headers), body, whole=not truncated)
            if self._archive is not None:
                record = self._keep(self._archive, url, answer, exchange, fields, secrets)
                exchange = replace(exchange, record=record)
            return exchange, answer.reusable

    async def _longer(self, answer: Answer, deadline: asyncio.Timeout, body: bytearray) -> int:
        """How long a body may be that begins so: longer than a page if it is a PDF, once there is a place for it."""
        head = answer.head
        if self._long_bodies is None or head.code >= 400:
            return 0
        kind, length = head.headers.get("content-type", ""), head.headers.get("content-length", "0")
        if int(length) > MAX_PDF:
            return 0
        if not is_pdf(kind, bytes(body[:_BLOCK])):
            return 0
        deadline.reschedule(None)  # those who have a place have deadlines
        place = await self._long_bodies.take()
        deadline.reschedule(asyncio.get_running_loop().time() + PDF_PATIENCE * self._settings.timeout)
        if not place:
            return 0
        answer.allow(MAX_PDF)
        return MAX_PDF

    def _keep(
        self,
        archive: Recorder,
        url: str,
        answer: Answer,
        exchange: Exchange,
        fields: Mapping[str, str],
        secrets: Iterable[str],
    ) -> int:
        """Hand the exchange to the recorder. A proxy's address is not the server's.

        Of the request's `fields` those that are `secrets` are left out; where there are any, so are the cookies that
        came back.
        """
        names = frozenset(name.lower() for name in secrets)
        address = answer.address if self._settings.proxy is None else None
        longest = max(self._settings.max_bytes, len(exchange.body))
        message, left_out = answer_of(
            answer.head, codings(exchange.fields), exchange.body, longest, _COOKIES if names else ()
        )
        request = request_of(url, self._routes.fields(url, fields).items(), names)
        return archive.add(url, request, message, address, left_out or not exchange.whole)


async def _body(stream: StreamReader, most: int, longer: Callable[[bytearray], Awaitable[int]]) -> tuple[bytes, bool]:
    """A body, and whether there is more of it; of one that brings too much around it, what was read until then.

    Where it is as long as it may be, and there is more, `longer` says how long it may be then; if there is more even
    so, nothing of that is kept.
    """
    body, first = bytearray(), most
    try:
        while block := await stream.read(_BLOCK):
            if not body and len(block) <= most and stream.at_eof():
                return block, False
            body += block
            if len(body) >= most and not stream.at_eof():
                most = max(most, await longer(body))
                if len(body) >= most:
                    break
        truncated = len(body) > most or not stream.at_eof()
    except TooMuch:
        if not body:
            raise
        truncated = True
    del body[first if truncated else most :]
    return bytes(body), truncated


def _fields(head: Mapping[str, str]) -> dict[str, str]:
    """The head's fields; of one that stands there twice the first counts, where lists are meant all of it."""
    fields: dict[str, str] = {}
    for name, raw in head.items():
        key, value = name.lower(), raw if raw.isascii() else raw.encode("utf-8", "replace").decode()
        if key in fields and key in _LISTS:
            fields[key] += _LISTS[key] + value
        fields.setdefault(key, value)
    fields.pop("transfer-encoding", None)  # aiohttp has undone it
    return fields
