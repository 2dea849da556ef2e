"""Whatever a server sends counts, not the body alone: no answer brings much more than a body may have."""

from __future__ import annotations

import asyncio
import socket

import pytest
from tests.support.hostile import A, Answer, Play, Server, fetched, hurry, in_parts, on_the_web, page

from salticid.model import Outcome
from salticid.webs.live.connections import BEFORE_A_BODY, BEYOND_A_BODY
from salticid.webs.live.web import LiveWeb

OK = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n"
CHUNKED = OK + b"Transfer-Encoding: chunked\r\n\r\n"
MAX_BYTES = 50_000
IN_FLIGHT = 1 << 20
"""Bytes that may lie in the buffers of two sockets and of the event loop."""
ENDLESS = 64 << 20
"""So much is sent to whoever takes it."""


@pytest.fixture(autouse=True)
def _quick(monkeypatch: pytest.MonkeyPatch) -> None:
    hurry(monkeypatch)


class Flood:
    """An answer that begins so and goes on so; how many bytes of it the other side took, at the most."""

    def __init__(self, start: bytes, more: bytes) -> None:
        self._start, self._more = start, more * (10_000 // len(more) + 1)
        self.taken: list[int] = []

    async def __call__(self, writer: asyncio.StreamWriter) -> None:
        writer.get_extra_info("socket").setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 1 << 16)
        writer.transport.set_write_buffer_limits(0)
        writer.write(self._start)
        self.taken.append(0)
        while self.taken[-1] < ENDLESS:
            writer.write(self._more)
            await writer.drain()
            self.taken[-1] += len(self._more)
        writer.close()


FLOODS: dict[str, tuple[bytes, bytes, Outcome]] = {
    "early hints": (b"", b"HTTP/1.1 103 Early\r\nLink: </a>\r\n\r\n", Outcome.BROKEN),
    "continue": (b"", b"HTTP/1.1 100 Continue\r\n\r\n", Outcome.BROKEN),
    "a chunk's extension": (CHUNKED + b"4;", b"a", Outcome.BROKEN),
    "extensions": (CHUNKED, b"1;" + b"a" * 4000 + b"\r\n<\r\n", Outcome.OK),
    "zeros before a chunk's size": (CHUNKED, b"0" * 5000, Outcome.BROKEN),
    "an extension after a page": (CHUNKED + b"4\r\n<p>a\r\n4;", b"a", Outcome.OK),
    "trailers": (CHUNKED + b"4\r\n<p>a\r\n0\r\n", b"X: y\r\n", Outcome.BROKEN),
    "a head": (OK, b"X: y\r\n", Outcome.BROKEN),
    "blank lines": (b"", b"\r\n", Outcome.BROKEN),
}


@pytest.mark.parametrize("name", FLOODS)
def test_no_flood_is_read_beyond_what_an_answer_may_bring(name: str) -> None:
    start, more, outcome = FLOODS[name]
    flood = Flood(start, more)
    (response,), _, _ = fetched({"/": flood}, A, max_bytes=MAX_BYTES, timeout=20)
    assert response.outcome is outcome
    assert flood.taken
    assert max(flood.taken) <= MAX_BYTES + BEYOND_A_BODY + IN_FLIGHT


@pytest.mark.parametrize("name", ["early hints", "continue", "a head", "blank lines"])
def test_before_a_body_little_is_read(name: str) -> None:
    flood = Flood(*FLOODS[name][:2])
    fetched({"/": flood}, A, max_bytes=16 << 20, timeout=20)
    assert flood.taken
    assert max(flood.taken) <= BEFORE_A_BODY + IN_FLIGHT


def test_a_flood_over_a_connection_that_is_kept_is_not_read_either() -> None:
    flood = Flood(page(b"<p>spiders"), page(b"<p>nobody asked"))

    async def use(there: LiveWeb, server: Server) -> Outcome:
        response = await there.fetch(there.urls.intern(A))
        async with asyncio.timeout(60):
            while server.at_once:  # until the connection is closed on it
                await asyncio.sleep(0.01)
        return response.outcome

    assert on_the_web({"/": flood}, use, max_bytes=MAX_BYTES, timeout=20) in (Outcome.OK, Outcome.BROKEN)
    assert max(flood.taken) <= IN_FLIGHT


def _in_chunks(body: bytes, size: int) -> Play:
    chunks = [body[at : at + size] for at in range(0, len(body), size)]
    framed = b"".join(b"%x\r\n%b\r\n" % (len(chunk), chunk) for chunk in chunks)
    return in_parts(CHUNKED + framed + b"0\r\n\r\n")


def test_an_honest_page_in_the_smallest_chunks_is_read_to_its_end_or_cut() -> None:
    """A byte a chunk takes six on the wire."""
    short, long = b"<p>" + b"a " * 10_000, b"<p>" + b"a " * 200_000
    site: dict[str, Answer] = {"/short": _in_chunks(short, 1), "/long": _in_chunks(long, 1)}
    responses, _, _ = fetched(site, A + "short", A + "long", max_bytes=len(long), timeout=20)
    assert [each.outcome for each in responses] == [Outcome.OK] * 2
    assert responses[0].size == len(short)
    assert 200_000 < responses[1].size < len(long)


def test_every_request_over_a_connection_counts_anew() -> None:
    body = b"<p>" + b"a " * (BEYOND_A_BODY // 5)
    site = {f"/{n}": page(body) for n in range(8)}
    responses, _, server = fetched(site, *(A + path[1:] for path in site), max_bytes=len(body), timeout=20)
    assert [(each.outcome, each.size) for each in responses] == [(Outcome.OK, len(body))] * len(site)
    assert server.accepted == 1
