"""A short soak; `python -m benchmarks soak` is the long one."""

from __future__ import annotations

import asyncio
import socket
import time
from zlib import crc32

import pytest
from benchmarks._faulty_hosts import FaultyHosts
from benchmarks.soak import soak


def test_a_crawl_of_faulty_hosts_stays_small_polite_and_lively() -> None:
    soaked = soak(15, hosts=100, delay=0.5)
    assert soaked.status == 0
    others = [line for line in soaked.err.splitlines() if not line.startswith(("  http://h", "  and "))]
    assert all(line.endswith("start points could not be read:") for line in others), soaked.err
    assert soaked.hosts.served > 300
    assert soaked.hosts.offences == []
    assert soaked.hosts.longest_silence < 10
    assert soaked.peak < 400 << 20
    assert soaked.growth() < 20_000, "bytes a request: so short a run has not yet seen all words and filled all buffers"
    assert soaked.more_descriptors < 50


def ask(port: int, name: str, times: list[float]) -> None:
    """Ask a host for a page after each of these pauses, over one connection, whatever the server does meanwhile."""
    with socket.create_connection((FaultyHosts(8, 0).address(name), port)) as connection:
        for pause in times:
            time.sleep(pause)
            connection.sendall(f"GET /p1 HTTP/1.1\r\nHost: {name}\r\n\r\n".encode())
            while not connection.recv(1 << 16).endswith(b"spiders and more</a>"):
                pass


@pytest.mark.parametrize(
    ("pauses", "busy", "offences"),
    [([0.0, 1.2, 1.2], 0.0, 0), ([0.0, 1.2, 1.2], 0.6, 0), ([0.0, 0.2, 0.2], 0.0, 2), ([0.0, 0.2], 0.6, 1)],
)
def test_a_busy_server_neither_makes_an_offence_nor_hides_one(pauses: list[float], busy: float, offences: int) -> None:
    async def main() -> FaultyHosts:
        hosts = FaultyHosts(8, 1.0)
        async with hosts.serving():
            asking = asyncio.create_task(asyncio.to_thread(ask, hosts.port, "h1.example", pauses))
            while not asking.done():
                time.sleep(busy)  # the server has no time: what arrives meanwhile is read later
                await asyncio.sleep(0.01)
            await asking
        return hosts

    hosts = asyncio.run(main())
    assert hosts.served == len(pauses)
    assert len([name for name, _ in hosts.offences if name.startswith("h")]) == offences


@pytest.mark.parametrize(("pause", "offences"), [(0.3, 0), (0.0, 1)])
def test_requests_that_a_busy_server_reads_in_another_order_are_compared_by_when_they_came(
    pause: float, offences: int
) -> None:
    async def main() -> FaultyHosts:
        hosts = FaultyHosts(8, 1.0)
        async with hosts.serving():
            first, second = (hosts.address("h1.example"), hosts.port), (hosts.address("h2.example"), hosts.port)
            with socket.create_connection(first) as known:
                await asyncio.sleep(0.1)  # the server has accepted this one
                with socket.create_connection(second) as new:
                    new.sendall(b"GET /p1 HTTP/1.1\r\nHost: h2.example\r\n\r\n")
                    time.sleep(pause)  # the server accepts the new connection and reads the known one first
                    known.sendall(b"GET /p1 HTTP/1.1\r\nHost: h1.example\r\n\r\n")
                    while hosts.served < 2:
                        await asyncio.sleep(0.01)
        return hosts

    assert len(asyncio.run(main()).offences) == offences


def test_two_requests_at_once_are_an_offence() -> None:
    async def main() -> FaultyHosts:
        hosts = FaultyHosts(8, 1.0)
        async with hosts.serving():
            stalled = next(n for n in range(10**6) if crc32(f"h1.example/p{n}".encode()) % 400 == 7)
            for path in (f"/p{stalled}", "/p1"):
                connection = await asyncio.open_connection(hosts.address("h1.example"), hosts.port)
                connection[1].write(f"GET {path} HTTP/1.1\r\nHost: h1.example\r\n\r\n".encode())
                await connection[0].read(10)
                if path != "/p1":
                    first = connection
            for _, writer in (first, connection):
                writer.close()
        return hosts

    assert "h1.example" in dict(asyncio.run(main()).offences)
