"""A recorded web over real HTTP, on this machine only: one server, every host by its Host header.

A URL of the world is asked for by its path and query, with its host and port as `Host` (or as a whole, the
way one asks a proxy). The answer is what was recorded:

    a page              200 text/html, rendered; Last-Modified where it is known; 304 to a client that has it
    a redirect          its status, and where it leads as Location
    an error            its status
    what is no HTML     200 application/octet-stream, empty
    not recorded        404; /robots.txt is a URL like any other

Only plain http is spoken: a URL recorded under https answers where the same URL under http is not recorded.
"""

from __future__ import annotations

import asyncio
import errno
import hashlib
import logging
import zlib
from collections import OrderedDict
from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from email.utils import format_datetime
from functools import cached_property

import numpy as np
from aiohttp import web as http
from aiohttp.http_exceptions import HttpProcessingError

from salticid.errors import UserError
from salticid.model import Outcome
from salticid.urls import canonical
from salticid.webs.arrays import ROW, URL
from salticid.webs.recorded import OUTCOMES, REDIRECT, RecordedWeb
from salticid.webs.render import render

ADDRESS = "127.0.0.1"
ROOM = 256 << 20
"""Bytes of rendered pages that are kept."""

_PAGE, _NOT_HTML, _FORBIDDEN = map(OUTCOMES.index, (Outcome.OK, Outcome.NOT_HTML, Outcome.ROBOTS))
_WALL_FIELDS = {"Cf-Mitigated": "challenge"}
"""What says of a recorded wall that it is one, whatever its kind."""
_STATUSES = range(200, 1000)
"""What may stand in an answer's first line; a recording may hold anything."""
_LATEST = datetime(9999, 12, 31, tzinfo=UTC).timestamp()
_STOPPING = 1.0
"""Seconds that answers under way are given to end."""


class Server:
    """A world that is being served at `port`; `close` it before its loop ends."""

    def __init__(self, answers: ServerAnswers, connections: http.Server, listening: asyncio.Server) -> None:
        self._answers = answers
        self._connections = connections
        self._listening = listening
        self.port: int = listening.sockets[0].getsockname()[1]

    async def warm(self) -> None:
        """Render pages ahead, in the order of recording, as long as there is room for them."""
        for _ in self._answers.render_ahead():
            await asyncio.sleep(0)

    async def close(self) -> None:
        """Take no more requests and end all connections."""
        self._listening.close()
        self._connections.pre_shutdown()
        await self._connections.shutdown(_STOPPING)


async def serve(web: RecordedWeb, port: int = 0, gzip: bool = False, room: int = ROOM) -> Server:
    """Serve on the loopback address at `port`, or at any free one for 0."""
    answers = ServerAnswers(web, gzip, room)
    connections = http.Server(answers.answer, access_log=None, logger=_logger())
    try:
        listening = await asyncio.get_running_loop().create_server(connections, ADDRESS, port, backlog=1024)
    except OSError as error:
        cause = "in use" if error.errno == errno.EADDRINUSE else f"not to be had ({error.strerror})"
        raise UserError(f"port {port} is {cause}; give another as --port, or 0 for any free one") from None
    return Server(answers, connections, listening)


class ServerAnswers:
    """What the server says to each request; with `gzip`, pages are compressed for clients that take that."""

    def __init__(self, web: RecordedWeb, gzip: bool, room: int) -> None:
        self._pages = _Pages(web, room)
        self._urls = web.urls
        self._gzip = gzip
        self._row_of = web.arrays[URL.row]
        self._kind, self._status = web.arrays[ROW.kind], web.arrays[ROW.status]
        self._target = web.arrays[ROW.target]

    async def answer(self, request: http.BaseRequest) -> http.StreamResponse:
        """The answer to one request; never raises for what it holds."""
        if request.method not in ("GET", "HEAD"):
            return _text(405, f"{request.method} is nothing a recording can answer", {"Allow": "GET, HEAD"})
        path, host = request.raw_path, request.headers.get("Host")
        if path.startswith("/"):
            if not host:
                return _text(400, "a request must name its host")
            path = f"http://{host}{path}"
        url = canonical(path)
        if url is None:
            return _text(400, "no http URL")
        row = self._row(url)
        if row < 0 and url.endswith("/robots.txt") and (rules := self._rules.get(url)):
            return _text(200, rules)
        if row < 0:
            return _text(404, f"{url} is not recorded")
        kind = int(self._kind[row])
        if kind == _PAGE:
            return self._page(row, request)
        if kind == _NOT_HTML:
            return http.Response(headers={"Content-Type": "application/octet-stream"})
        status = int(self._status[row])
        if kind == REDIRECT:
            return _text(status, "moved", {"Location": self._urls[int(self._target[row])]})
        fields = _WALL_FIELDS if OUTCOMES[kind] is Outcome.KEPT_OUT else None
        return _text(status if status in _STATUSES else 502, f"recorded as {status}", fields)

    @cached_property
    def _rules(self) -> dict[str, str]:
        """The robots.txt of each host that was found to forbid something, by its URL: exactly that is forbidden."""
        row_of = self._row_of
        forbidden = np.flatnonzero((row_of >= 0) & (self._kind[row_of] == _FORBIDDEN))
        paths: dict[str, list[str]] = {}
        for url in sorted(self._urls.spell(forbidden.tolist())):
            _, _, host, path = url.split("/", 3)
            exact = path.replace("*", "%2A").replace("$", "%24")
            paths.setdefault(f"http://{host}/robots.txt", []).append(f"Disallow: /{exact}$")
        return {host: "\n".join(["User-agent: *", *lines]) for host, lines in paths.items()}

    def render_ahead(self) -> Iterator[None]:
        """Render pages before they are asked for, one at each step."""
        return self._pages.ahead(self._gzip)

    def _row(self, url: str) -> int:
        """The recorded answer of a URL, or -1."""
        for form in (url, f"https{url.removeprefix('http')}"):
            at = self._urls.find(form)
            if 0 <= at < len(self._row_of) and (row := int(self._row_of[at])) >= 0:
                return row
        return -1

    def _page(self, row: int, request: http.BaseRequest) -> http.Response:
        fields = request.headers
        page = self._pages.get(row, self._gzip and "gzip" in fields.get("Accept-Encoding", ""))
        tags = fields.get("If-None-Match")
        if tags is not None:
            unchanged = page.tag in tags or tags.strip() == "*"
        elif page.modified is not None and (since := request.if_modified_since) is not None:
            unchanged = page.modified <= since
        else:
            unchanged = False
        return http.Response(
            status=304 if unchanged else 200, body=None if unchanged else page.body, headers=page.headers
        )


@dataclass(frozen=True, slots=True)
class _HtmlPage:
    """A page as it is sent."""

    body: bytes
    headers: dict[str, str]
    tag: str
    modified: datetime | None


class _Pages:
    """The pages of a world as HTML; those asked for last are kept, up to `room` bytes of them."""

    def __init__(self, web: RecordedWeb, room: int) -> None:
        self._web = web
        self._page_of, self._dates = web.arrays[ROW.page], web.arrays[ROW.modified]
        self._cache: OrderedDict[tuple[int, bool], _HtmlPage] = OrderedDict()
        self._room = room

    def get(self, row: int, gzip: bool = False) -> _HtmlPage:
        """The page of a recorded answer."""
        page = self._cache.get((row, gzip))
        if page is None:
            page = self._cache[row, gzip] = _compress(self._html(row)) if gzip else self._html(row)
            self._room -= len(page.body)
            while self._room < 0 and len(self._cache) > 1:
                self._room += len(self._cache.popitem(last=False)[1].body)
        else:
            self._cache.move_to_end((row, gzip))
        return page

    def ahead(self, gzip: bool) -> Iterator[None]:
        """Render one page after the other, in the order of recording, as long as there is room."""
        for row in np.flatnonzero(self._page_of >= 0).tolist():
            if len(self.get(row, gzip).body) > self._room:
                return
            yield

    def _html(self, row: int) -> _HtmlPage:
        body = render(self._web.page(int(self._page_of[row])), self._web.urls, self._web.words)
        # Of the content alone: a page that did not change has the same tag in each snapshot of its web.
        tag = f'"{hashlib.blake2b(body, digest_size=12).hexdigest()}"'
        headers = {"Content-Type": "text/html; charset=utf-8", "ETag": tag}
        seconds = float(self._dates[row])
        if not 0 <= seconds < _LATEST:  # unknown, or a date no header can hold
            return _HtmlPage(body, headers, tag, None)
        date = datetime.fromtimestamp(int(seconds), UTC)
        headers["Last-Modified"] = format_datetime(date, usegmt=True)
        return _HtmlPage(body, headers, tag, date)


def _compress(page: _HtmlPage) -> _HtmlPage:
    gzip = zlib.compressobj(level=1, wbits=31)
    headers = page.headers | {"ETag": f"W/{page.tag}", "Content-Encoding": "gzip", "Vary": "Accept-Encoding"}
    return replace(page, body=gzip.compress(page.body) + gzip.flush(), headers=headers)


def _text(status: int, text: str, headers: dict[str, str] | None = None) -> http.Response:
    return http.Response(status=status, text=f"{text}\n", headers=headers)


def _logger() -> logging.Logger:
    """A logger of the server's own errors; those of a client are answered and not logged."""
    logger = logging.getLogger(__name__)
    logger.addFilter(_is_our_fault)
    return logger


def _is_our_fault(record: logging.LogRecord) -> bool:
    return not (record.exc_info and isinstance(record.exc_info[1], HttpProcessingError))
