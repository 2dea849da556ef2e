"""Many who connect and say little: they are hung up on, and whoever has something to say is heard."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import pytest
from tests.support.ui_serving import Client, serving
from tests.support.wishes import wish as made_wish

from salticid.runs.live_settings import LiveSettings
from salticid.service import local_server
from salticid.service import local_server as impatience
from salticid.ui import requests, server

CROWD = 300
"""More than the server has places for."""
PATIENCE = 60


@pytest.fixture(scope="module")
def client(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Client]:
    """A client of a server that knows of a crawl which has not begun."""
    data = tmp_path_factory.mktemp("data")
    wish = made_wish("spider", (), (), "best_first", "rocchio", 10, "2026-01-01T00:00:00+00:00", "stop")
    wish.save(data / "crawls" / "spider")
    with serving(data) as (_, client):
        yield client


def asking(path: str, port: int, fields: str = "") -> bytes:
    return f"GET {path} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\n{fields}\r\n".encode()


def connected(port: int) -> socket.socket:
    return socket.create_connection(("127.0.0.1", port), timeout=PATIENCE)


@contextmanager
def crowd(port: int, said: bytes, answered: bool) -> Iterator[None]:
    """So many at once who say this, and then nothing; whether they wait for the beginning of an answer."""
    with ExitStack() as all_of_them:
        for _ in range(CROWD):
            one = all_of_them.enter_context(connected(port))
            one.sendall(said)
            if answered:
                assert one.recv(12) == b"HTTP/1.1 200"
        yield


@pytest.mark.parametrize("kind", ["silent", "half a head", "idle"])
def test_a_crowd_that_wants_nothing_keeps_nobody_out(client: Client, kind: str) -> None:
    said = {
        "silent": b"",
        "half a head": b"GET / HTTP/1.1\r\nHost:",
        "idle": asking("/page/icon.svg", client.port),
    }
    with crowd(client.port, said[kind], answered=kind == "idle"):
        assert client.ask("GET", "/api/session").status == 200


def test_who_follows_a_crawl_stays_connected(client: Client) -> None:
    with connected(client.port) as follower:
        key = f"X-Salticid-Token: {client.token}\r\n"
        follower.sendall(asking("/api/crawls/spider/stream", client.port, key))
        assert follower.recv(12) == b"HTTP/1.1 200"
        with crowd(client.port, b"", answered=False):
            assert client.ask("GET", "/api/session").status == 200
        follower.setblocking(False)
        with pytest.raises(BlockingIOError):  # nothing more to read, and no end
            list(iter(lambda: follower.recv(1 << 16), b""))


def heard(serving: server.Serving, said: bytes) -> bytes:
    """All that the server says before it hangs up."""
    with connected(serving.port) as connection:
        connection.sendall(said)
        return b"".join(iter(lambda: connection.recv(1 << 16), b""))


def during(serving: server.Serving, clients: Callable[[], None]) -> None:
    """Let clients talk to a server of this process."""

    async def run() -> None:
        ready = asyncio.Event()
        running = asyncio.create_task(serving.run(lambda going_on: ready.set()))
        await ready.wait()
        try:
            await asyncio.to_thread(clients)
        finally:
            serving.stop()
            await running

    asyncio.run(run())


def test_whoever_says_nothing_or_drips_is_cut_off(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(impatience, "FIRST_REQUEST", 0.3)
    monkeypatch.setattr(requests, "SECONDS", 0.5)
    serving = server.Serving(tmp_path, 0, LiveSettings())
    head = asking("/page/main.js", serving.port)
    drip = (
        f"POST /api/crawls HTTP/1.1\r\nHost: 127.0.0.1:{serving.port}\r\nX-Salticid-Token: {serving.token}\r\n"
        "Content-Type: application/json\r\nContent-Length: 1000\r\nConnection: close\r\n\r\n{"
    )

    def clients() -> None:
        assert heard(serving, b"") == b""
        assert heard(serving, head[:-2]) == b""
        assert heard(serving, drip.encode()).startswith(b"HTTP/1.1 408")
        twice = heard(serving, head + head[:-2])
        assert twice.count(b"HTTP/1.1 200") == 1, "the connection is not kept for a head that never ends"

    during(serving, clients)


def test_those_who_do_not_take_what_they_asked_for_keep_nobody_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(local_server, "MOST_CONNECTIONS", 8)
    monkeypatch.setattr(impatience, "MOST_QUIET", 4)
    serving = server.Serving(tmp_path, 0, LiveSettings())

    def clients() -> None:
        with ExitStack() as deaf:
            for _ in range(12):
                one = deaf.enter_context(connected(serving.port))
                one.sendall(asking("/page/style.css", serving.port) * 600)
            assert Client(serving.port, serving.token).ask("GET", "/api/session").status == 200

    during(serving, clients)
