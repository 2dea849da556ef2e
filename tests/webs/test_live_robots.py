"""Robots over real sockets: asked for once, obeyed always, and manners kept meanwhile."""

import gzip
import time
from collections.abc import Awaitable
from typing import Any

import pytest
from tests.support.hostile import (
    A,
    Answer,
    Asked,
    Behaviour,
    Server,
    all_at_once,
    fetched,
    hurry,
    in_parts,
    moved,
    on_the_web,
    page,
    robots,
    silence,
    slowly,
    turns,
)

from salticid.model import Outcome, Response
from salticid.webs.live import politeness
from salticid.webs.live.politeness import Parked
from salticid.webs.live.rules import RULES_LIFETIME
from salticid.webs.live.web import LiveWeb

NONE = page(b"", status=404)
BARRED = robots("Disallow: /private")
PRIVATE = A + "private"


@pytest.fixture(autouse=True)
def _quick(monkeypatch: pytest.MonkeyPatch) -> None:
    hurry(monkeypatch)


def asked_at_once(site: Behaviour, *urls: str, **more: Any) -> tuple[list[Response], Server]:
    async def use(there: LiveWeb, server: Server) -> tuple[list[Response], Server]:
        return await all_at_once(there, *urls), server

    return on_the_web(site, use, **more)


def obeys(answer: Answer, **more: Any) -> bool:
    """Whether a host with this robots.txt is asked for nothing private; all else it must be asked for."""
    responses, _, server = fetched({"/robots.txt": answer, "/": NONE}, PRIVATE, A, **more)
    assert responses[1].outcome is Outcome.DEAD
    forbidden = responses[0].outcome is Outcome.ROBOTS
    assert server.pages == ([] if forbidden else ["a.example/private"]) + ["a.example/"]
    return forbidden


def test_one_robots_file_serves_all_urls_of_its_origin() -> None:
    hosts = ("a.example", "b.example", "a.example:8080")
    urls = [f"http://{host}/{n}" for n in range(10) for host in hosts]
    responses, server = asked_at_once({"/robots.txt": slowly(BARRED, 0.02)}, *urls)
    assert {each.outcome for each in responses} == {Outcome.DEAD}
    assert server.robots == dict.fromkeys(hosts, 1)
    assert len(server.pages) == 30
    first = {each.host: each.path for each in reversed(server.requests)}
    assert first == dict.fromkeys(hosts, "/robots.txt")


@pytest.mark.parametrize(
    ("answer", "forbidden"),
    [
        (BARRED, True),
        (page(b"User-agent: Weaver\nDisallow: /private\nUser-agent: *\nAllow: /"), True),
        (page(b"User-agent: Salticid\nDisallow: /private\nUser-agent: *\nAllow: /"), False),
        (page(b"<!doctype html><pre>User-agent: *\nDisallow: /private</pre>"), False),
        (page(b"User-agent: *\nDisallow: /private", status=404), False),
        (page(b"", status=401), False),
        (page(b"", status=403), False),
        (page(b"", status=204), False),
        (page(bytes(range(256))), False),
    ],
)
def test_a_robots_file_is_obeyed_where_there_is_one(answer: Answer, forbidden: bool) -> None:
    assert obeys(answer, user_agent="Weaver/7 (+http://a.example/)") == forbidden


@pytest.mark.parametrize("coding", ["gzip", "x-gzip"])
def test_a_robots_file_is_read_in_its_coding(coding: str) -> None:
    packed = gzip.compress(b"User-agent: *\nDisallow: /private")
    assert obeys(page(packed, f"Content-Encoding: {coding}", kind="text/plain"))


def test_of_a_huge_robots_file_the_start_is_read() -> None:
    filling = b"\n".join(b"Disallow: /filling/%d" % n for n in range(80_000))
    assert len(filling) > 2_000_000 - 200_000
    assert obeys(page(b"User-agent: *\nDisallow: /private\n" + filling))
    assert not obeys(page(b"User-agent: *\n" + filling + b"\nDisallow: /private"))


def test_a_robots_file_is_not_cut_because_pages_are() -> None:
    assert obeys(page(b"User-agent: *\n" + b"# padding\n" * 1000 + b"Disallow: /private"), max_bytes=1000)


@pytest.mark.parametrize("failure", [page(b"", status=500), page(b"", status=503), in_parts(close=True)])
def test_a_host_in_trouble_is_left_alone_until_it_recovers(failure: Answer) -> None:
    responses, _, server = fetched({"/robots.txt": turns(failure, failure, BARRED), "/": NONE}, PRIVATE, A)
    assert [each.outcome for each in responses] == [Outcome.ROBOTS, Outcome.DEAD]
    assert server.robots == {"a.example": 3}
    short, long = server.gaps("/robots.txt")
    assert short >= 0.03
    assert long >= 0.15


@pytest.mark.parametrize("failure", [page(b"", status=500), page(b"", status=429), silence])
def test_a_host_that_stays_in_trouble_is_parked(failure: Answer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(politeness, "PARK_AFTER", 0.1)

    async def use(there: LiveWeb, server: Server) -> list[str]:
        for path in ("", "b"):
            with pytest.raises(Parked):
                await there.fetch(there.urls.intern(A + path))
        assert server.robots == {"a.example": 2}
        assert there.doing == {}
        return server.pages

    assert on_the_web({"/robots.txt": failure}, use, timeout=0.2) == []


def test_a_robots_file_may_live_elsewhere() -> None:
    def site(to: str, status: int) -> dict[str, Answer]:
        return {"a.example/robots.txt": moved(to, status), "b.example/r": BARRED, "/": NONE, "/private": NONE}

    for status in (301, 302, 303, 307, 308):
        responses, _, server = fetched(site("http://b.example/r", status), PRIVATE, A)
        assert [each.outcome for each in responses] == [Outcome.ROBOTS, Outcome.DEAD]
        assert server.pages == ["b.example/r", "a.example/"]
    for lost in ("/robots.txt", "file:///etc/passwd", "http://c.example/nothing"):
        responses, _, server = fetched(site(lost, 301), PRIVATE)
        assert responses[0].outcome is Outcome.DEAD
        assert server.robots["a.example"] == (6 if lost == "/robots.txt" else 1)


def test_a_robots_file_at_a_refused_address_lets_nobody_in() -> None:
    site = {"/robots.txt": moved("http://10.0.0.1/robots.txt"), "/": NONE}
    (response,), _, server = fetched(site, A)
    assert (response.outcome, server.pages) == (Outcome.REFUSED_ADDRESS, [])


def test_a_delay_that_a_host_asks_for_is_kept() -> None:
    site = {"/robots.txt": robots("Crawl-delay: 0.3")}
    _, server = asked_at_once(site, A, A + "b", A + "c", *(f"http://b.example/{n}" for n in range(2)))
    times = [asked.at for asked in server.requests if asked.path != "/robots.txt" and asked.host == "a.example"]
    assert len(times) == 3
    assert min(times[1] - times[0], times[2] - times[1]) >= 0.3
    hosts = [asked.host for asked in server.requests if asked.path != "/robots.txt"]
    assert "b.example" in hosts[:2], "nobody else waits for it"


def test_our_own_delay_counts_where_it_is_longer() -> None:
    _, server = asked_at_once({"/robots.txt": robots("Crawl-delay: 0.01")}, A, A + "b", delay=0.2)
    times = [asked.at for asked in server.requests]
    assert min(times[1] - times[0], times[2] - times[1]) >= 0.2


def test_a_host_is_asked_one_thing_at_a_time() -> None:
    _, server = asked_at_once(lambda asked: slowly(NONE, 0.03), *(A + str(n) for n in range(5)))
    assert (len(server.pages), server.most_at_once) == (5, 1)


def test_an_address_is_asked_few_things_at_a_time_robots_files_included() -> None:
    urls = [f"http://h{n}.example/" for n in range(8)]
    responses, server = asked_at_once(lambda asked: slowly(NONE, 0.05), *urls, per_address=2)
    assert {each.outcome for each in responses} == {Outcome.DEAD}
    assert server.most_at_once == 2


def test_no_request_runs_out_of_time_while_it_waits_for_its_place() -> None:
    site = {"/robots.txt": slowly(NONE, 0.15), "/": slowly(NONE, 0.15)}
    urls = [f"http://h{n}.example/" for n in range(8)]
    responses, server = asked_at_once(site, *urls, concurrency=1, timeout=2)
    assert {each.outcome for each in responses} == {Outcome.DEAD}
    assert set(server.robots.values()) == {1}
    assert len(server.pages) == 8


def test_after_a_day_the_rules_are_asked_for_again() -> None:
    later = [0.0]
    site: dict[str, Answer] = {"/robots.txt": turns(robots("Allow: /"), BARRED), "/private": NONE}

    def fetch_at(there: LiveWeb, seconds: float) -> Awaitable[Response]:
        later[0] = seconds
        return there.fetch(there.urls.intern(PRIVATE))

    async def use(there: LiveWeb, server: Server) -> list[tuple[Outcome, int]]:
        return [
            ((await fetch_at(there, at)).outcome, server.robots["a.example"])
            for at in (0, RULES_LIFETIME - 60, RULES_LIFETIME + 60, 2 * RULES_LIFETIME)
        ]

    told = on_the_web(site, use, clock=lambda: time.monotonic() + later[0])
    assert told == [(Outcome.DEAD, 1), (Outcome.DEAD, 1), (Outcome.ROBOTS, 2), (Outcome.ROBOTS, 2)]


def test_the_rules_bind_by_the_name_in_the_user_agent() -> None:
    def answer(asked: Asked) -> Answer:
        name = asked.fields["user-agent"].partition("/")[0]
        return page(f"User-agent: {name}\nDisallow: /private".encode()) if "robots" in asked.path else NONE

    (response,), _, server = fetched(answer, PRIVATE)
    assert (response.outcome, server.pages) == (Outcome.ROBOTS, [])
