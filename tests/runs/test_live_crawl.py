"""The real program on a site of twenty hosts over real sockets: what it asks for, when, and how it ends."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import subprocess
import sys
import threading
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from tests.support.running import Said, salticid

HOSTS, DELAY, PER_ADDRESS = 20, 0.2, 8
ROBOTS = "User-agent: *\nDisallow: /private"

Answer = tuple[int, str, str]
"""A status, a line of the head, a body."""


@dataclass(frozen=True)
class Seen:
    """One request as the server saw it, until just before it answered."""

    host: str
    path: str
    begin: float
    end: float


class Site:
    """A server of many hosts on one address, each answer 50 ms late. None is never answered."""

    def __init__(self, answer: Callable[[str, str], Answer | None]) -> None:
        self.seen: list[Seen] = []
        self.open = self.most_open = 0
        self._answer = answer
        self._ready, self._done = threading.Event(), asyncio.Event()

    @contextmanager
    def served(self) -> Iterator[Site]:
        thread = threading.Thread(target=lambda: asyncio.run(self._main()))
        thread.start()
        self._ready.wait(10)
        try:
            yield self
        finally:
            self._loop.call_soon_threadsafe(self._done.set)
            thread.join(10)

    async def _main(self) -> None:
        self._loop = asyncio.get_running_loop()
        server = await asyncio.start_server(self._serve, "127.0.0.1", 0)
        self.port = server.sockets[0].getsockname()[1]
        self._ready.set()
        await self._done.wait()
        server.close()

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with suppress(asyncio.IncompleteReadError, ConnectionError, asyncio.CancelledError):
            while True:
                head = (await reader.readuntil(b"\r\n\r\n")).decode().split("\r\n")
                host = next(line[6:] for line in head if line.lower().startswith("host: "))
                await self._reply(host, head[0].split()[1], writer)
        writer.close()

    async def _reply(self, host: str, path: str, writer: asyncio.StreamWriter) -> None:
        begin = time.monotonic()
        answer = self._answer(host, path)
        if answer is None:
            await asyncio.sleep(3600)
            return
        self.open += 1
        self.most_open = max(self.open, self.most_open)
        await asyncio.sleep(0.05)
        self.open -= 1
        status, line, body = answer
        self.seen.append(Seen(host, path, begin, time.monotonic()))
        writer.write(f"HTTP/1.1 {status} So\r\n{line}\r\nContent-Length: {len(body)}\r\n\r\n{body}".encode())
        await writer.drain()


def page(*links: str) -> Answer:
    return (
        200,
        "Content-Type: text/html",
        "<p>spiders</p>" + "".join(f"<a href='{link}'></a>" for link in links),
    )


def finite(host: str, path: str) -> Answer | None:
    """Five pages a host, linked across hosts and under many spellings; some links lead elsewhere or nowhere."""
    n = int(host[1:-8])
    other, third = f"http://h{(n + 1) % HOSTS}.example", f"http://h{(n + 7) % HOSTS}.example"
    pages: dict[str, Answer] = {
        "/robots.txt": (200, "Content-Type: text/plain", ROBOTS),
        "/": page("/a?utm_source=x#top", "/a#end", f"{other}/", "/old", "/gone", "/private/x", "#here"),
        "/a": page("/b", f"{third}/b?fbclid=2", f"{other}/c?y=2&x=1", f"{other}/a?gclid=3", "mailto:a@b.example"),
        "/b": page("/", "/c?x=1&y=2#c", f"{third}/gone#again", "/a?utm_medium=m"),
        "/c?x=1&y=2": page(f"{third}/", "./a?_ga=1", f"{other}/private/y"),
        "/old": (301, f"Location: {third}/new?utm_campaign=z#f", ""),
        "/new": page("/", f"{third}/b"),
    }
    return pages.get(path, (404, "Content-Type: text/html", "<p>gone"))


PAGES = {f"http://h{n}.example{path}" for n in range(HOSTS) for path in ("/", "/a", "/b", "/c?x=1&y=2", "/new")}


def endless(host: str, path: str) -> Answer | None:
    if path == "/robots.txt":
        return 404, "Content-Type: text/plain", ""
    n = int(path.strip("/p") or 0)
    return page(*(f"http://h{h}.example/p{n + 1}" for h in range(HOSTS)))


def with_a_hole(host: str, path: str) -> Answer | None:
    """The same, and a link to a host that gives its rules and nothing else."""
    if host == "hole.example":
        return (200, "Content-Type: text/plain", ROBOTS) if path == "/robots.txt" else None
    return page("http://hole.example/", "/a", "/old") if path == "/" else finite(host, path)


class Running:
    """A crawl in a process of its own, from ten of the hosts on."""

    def __init__(self, folder: Path, port: int, *options: str, allow: bool = True) -> None:
        folder.mkdir()
        self.out, topic = folder / "crawl", folder / "topic.toml"
        seeds = [f"http://h{n}.example/" for n in range(HOSTS // 2)]
        topic.write_text(f'name = "t"\nkeywords = "spiders"\nlanguage = "en"\nseeds = {json.dumps(seeds)}\n')
        allowed = ("--allow-net", "127.0.0.0/8") if allow else ()
        where = ("--resolve", f"*=127.0.0.1:{port}", "--delay", str(DELAY), "--concurrency", "20", "--json")
        command = [sys.executable, "-m", "salticid", "crawl", str(topic), "--out", str(self.out)]
        self.process = subprocess.Popen(
            [*command, *where, *allowed, *options],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
        )

    def end(self) -> Said:
        with self.process:
            try:
                out, err = self.process.communicate(timeout=120)
            finally:
                self.process.kill()
        return Said(self.process.returncode, out, err)

    def visits(self) -> list[dict[str, Any]]:
        said = salticid("visits", self.out, "--json")
        assert said.status == 0, said.err
        return [json.loads(line) for line in said.out.splitlines()]


Order = tuple[Callable[[str, str], Answer | None], list[str]]
"""What a site answers, and the options of the crawl of it."""
ENOUGH = 3 * HOSTS
"""Requests, some to each host, by which its pauses can be told."""


@dataclass(frozen=True)
class Ended:
    """A crawl that is over, and the site it was of."""

    site: Site
    running: Running
    said: Said

    @property
    def result(self) -> dict[str, Any]:
        assert self.said.status == 0, self.said.err
        found: dict[str, Any] = json.loads(self.said.out)
        return found


SHORT = 4
"""Seconds, enough for a crawl that is timed; a machine so busy that they are not has four times as many, and again."""


@pytest.fixture(scope="module")
def crawls(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Ended]:
    """Four crawls, side by side."""
    orders: dict[str, Order] = {
        "whole": (finite, ["--max-pages", "1001"]),
        "hole": (with_a_hole, ["--timeout", "2"]),
        "timed": (endless, ["--max-time", f"{SHORT}s"]),
        "private": (finite, []),
    }
    ended = side_by_side(tmp_path_factory.mktemp("live"), orders)
    for seconds in (4 * SHORT, 16 * SHORT):
        if len(ended["timed"].site.seen) > ENOUGH:
            break
        longer: dict[str, Order] = {"timed": (endless, ["--max-time", f"{seconds}s"])}
        ended |= side_by_side(tmp_path_factory.mktemp("live"), longer)
    return ended


def side_by_side(folder: Path, orders: dict[str, Order]) -> dict[str, Ended]:
    with ExitStack() as stack:
        started = {}
        for name, (answer, options) in orders.items():
            site = stack.enter_context(Site(answer).served())
            running = Running(folder / name, site.port, *options, allow=name != "private")
            stack.callback(running.process.kill)
            started[name] = site, running
        return {name: Ended(site, running, running.end()) for name, (site, running) in started.items()}


def test_every_page_is_found(crawls: dict[str, Ended]) -> None:
    whole = crawls["whole"]
    found = [visit["final_url"] for visit in whole.running.visits() if visit["outcome"] == "ok"]
    assert sorted(found) == sorted(PAGES)
    assert (whole.result["pages"], whole.result["stopped"]) == (len(PAGES), "frontier empty")
    assert whole.result["outcomes"] == {"ok": len(PAGES), "dead": HOSTS, "robots": 2 * HOSTS}


def test_nothing_is_asked_for_twice_or_against_the_rules(crawls: dict[str, Ended]) -> None:
    asked = Counter((seen.host, seen.path) for seen in crawls["whole"].site.seen)
    paths = ("/robots.txt", "/", "/a", "/b", "/c?x=1&y=2", "/old", "/new", "/gone")
    expected = [(f"h{n}.example", path) for n in range(HOSTS) for path in paths]
    assert {"/new?utm_campaign=z", "/private/x"}.isdisjoint(path for _, path in asked)
    assert asked == Counter(expected)


@pytest.mark.parametrize("name", ["whole", "timed"])
def test_hosts_are_given_their_pause(crawls: dict[str, Ended], name: str) -> None:
    hosts: dict[str, list[Seen]] = defaultdict(list)
    for seen in sorted(crawls[name].site.seen, key=lambda seen: seen.begin):
        hosts[seen.host].append(seen)
    gaps = [b.begin - a.end for seen in hosts.values() for a, b in pairwise(seen)]
    assert len(gaps) > 20
    assert min(gaps) >= DELAY - 0.005


def test_no_more_are_asked_at_one_address_than_allowed(crawls: dict[str, Ended]) -> None:
    assert 1 < crawls["whole"].site.most_open <= PER_ADDRESS


def test_a_host_that_never_answers_holds_nobody_up(crawls: dict[str, Ended]) -> None:
    result, visits = crawls["hole"].result, crawls["hole"].running.visits()
    assert result["stopped"] == "frontier empty"
    never = [visit for visit in visits if visit["url"] == "http://hole.example/"]
    assert [visit["outcome"] for visit in never] == ["timeout"]
    others = [visit for visit in visits if visit["url"] != "http://hole.example/"]
    assert {visit["final_url"] for visit in others if visit["outcome"] == "ok"} == PAGES
    assert max(visit["at"] for visit in others) < never[0]["at"]


def test_the_time_is_up(crawls: dict[str, Ended]) -> None:
    result = crawls["timed"].result
    assert result["stopped"] == "time"
    assert result["seconds"] >= SHORT
    assert 0 < result["pages"] == sum(visit["outcome"] == "ok" for visit in crawls["timed"].running.visits())


def test_private_addresses_are_refused_unless_allowed(crawls: dict[str, Ended]) -> None:
    private = crawls["private"]
    result = json.loads(private.said.out)
    assert (private.said.status, result["outcomes"]) == (1, {"refused address": HOSTS // 2})
    assert result["stopped"] == "frontier empty"
    assert private.site.seen == []


def test_more_than_a_thousand_pages_need_a_contact(crawls: dict[str, Ended]) -> None:
    assert "say --user-agent" in crawls["whole"].said.err
    assert "contact" not in crawls["hole"].said.err


def test_an_interrupted_crawl_ends_and_keeps_its_log(tmp_path: Path) -> None:
    with Site(endless).served() as site:
        running = Running(
            tmp_path / "c", site.port, "--max-pages", "5000", "--user-agent", "Me/1 (+mailto:me@example.org)"
        )
        until = time.monotonic() + 60
        while len(site.seen) < 80:
            assert time.monotonic() < until
            time.sleep(0.05)
        os.killpg(running.process.pid, signal.SIGINT)
        said = running.end()
    assert said.status == 130, said.err
    result = json.loads(said.out)
    assert result["stopped"] == "interrupted"
    visits = running.visits()
    assert len(visits) == result["fetches"] > 20
    assert sum(visit["outcome"] == "ok" for visit in visits) == result["pages"] > 20
    assert "contact" not in said.err
