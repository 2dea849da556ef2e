"""The address guard under the live web: whatever leads to a refused address, no connection is made."""

import asyncio
import socket
import time
from collections.abc import Callable
from typing import Any

import pytest
from aiohttp.abc import AbstractResolver, ResolveResult
from tests.support.hostile import (
    A,
    Answer,
    Asked,
    Server,
    fetched,
    hurry,
    in_parts,
    moved,
    on_the_web,
    page,
    serving,
    settings,
)

from salticid.model import Outcome
from salticid.runs.live import live_web
from salticid.urls import canonical
from salticid.webs.live import names
from salticid.webs.live.names import ANSWER_LIFETIME, Names
from salticid.webs.live.web import LiveWeb

GONE = page(b"", status=404)
LOCAL = """
    127.0.0.1 127.1 127.0.1 2130706433 0x7f000001 0x7F.1 0177.0.0.1 017700000001 127.0.0.1. １２７。0。0。1
    %31%32%37.0.0.1 [::ffff:127.0.0.1] [::ffff:7f00:1] [0:0:0:0:0:ffff:127.0.0.1] localhost LocalHost.
"""
PRIVATE = """
    10.0.0.1 10.1 0xa.1 172.16.0.1 192.168.1.1 169.254.169.254 2852039166 0xa9fea9fe 100.64.0.1 0.0.0.0 0 [::] [::1]
    [fe80::1] [fd00::1] [::ffff:169.254.169.254] [64:ff9b::a9fe:a9fe] [64:ff9b::10.0.0.1] [::10.0.0.1] [2002:a00:1::]
    255.255.255.255 224.0.0.1 192.0.2.1 198.18.0.1 [ff02::1] [2001:db8::1] 240.0.0.1
"""


class Connections(list[tuple[Any, ...]]):
    """Where sockets were connected to, or would have been."""


@pytest.fixture(autouse=True)
def connected(monkeypatch: pytest.MonkeyPatch) -> Connections:
    hurry(monkeypatch)
    made = Connections()
    loop = asyncio.SelectorEventLoop
    connect = loop.sock_connect

    async def note(self: asyncio.SelectorEventLoop, sock: socket.socket, address: Any) -> None:
        made.append(address)
        await connect(self, sock, address)

    monkeypatch.setattr(loop, "sock_connect", note)
    return made


@pytest.mark.parametrize("allowed", [(), ("127.0.0.0/8",)])
def test_a_local_address_is_refused_in_every_spelling_unless_allowed(
    allowed: tuple[str, ...], connected: Connections
) -> None:
    # Those of IPv6 can be reached only where the machine has it.
    spellings = [name for name in LOCAL.split() if not (allowed and "[" in name)]

    async def use(there: LiveWeb, server: Server) -> tuple[dict[str, Outcome], int]:
        outcomes = {}
        for name in spellings:
            url = canonical(f"http://{name}:{server.port}/")
            assert url is not None
            outcomes[name] = (await there.fetch(there.urls.intern(url))).outcome
        return outcomes, server.accepted

    outcomes, accepted = on_the_web({}, use, allow_net=allowed, resolve=())
    assert outcomes == dict.fromkeys(spellings, Outcome.DEAD if allowed else Outcome.REFUSED_ADDRESS)
    assert accepted == len(connected)
    assert bool(connected) == bool(allowed)


def test_no_redirect_leads_to_a_private_address(connected: Connections) -> None:
    spellings = PRIVATE.split()
    site = {f"/{n}": moved(f"http://{name}:8/secret") for n, name in enumerate(spellings)}
    responses, there, server = fetched(site, *(f"{A}{n}" for n in range(len(spellings))))
    outcomes = dict(zip(spellings, (each.outcome for each in responses), strict=True))
    assert outcomes == dict.fromkeys(spellings, Outcome.REFUSED_ADDRESS)
    assert there.urls[responses[0].final] == "http://10.0.0.1:8/secret"
    assert set(connected) == {("127.0.0.1", server.port)}


@pytest.mark.parametrize("name", ["127.0.0.1", "2130706433", "0x7f.1", "[::ffff:7f00:1]", "localhost"])
def test_one_allowed_address_opens_no_other(name: str) -> None:
    async def run() -> tuple[Outcome, list[str], int]:
        async with (
            serving({}) as inner,
            serving({"/": moved(f"http://{name}:{inner.port}/")}, address="127.0.0.2") as outer,
        ):
            rules = (f"a.example=127.0.0.2:{outer.port}",)
            local = settings(outer, allow_net=("127.0.0.2/32",), resolve=rules)
            async with live_web(local, time.monotonic) as there:
                response = await there.fetch(there.urls.intern(A))
            return response.outcome, outer.pages, inner.accepted

    assert asyncio.run(run()) == (Outcome.REFUSED_ADDRESS, ["a.example/"], 0)


def test_a_rule_of_the_person_is_no_way_around_the_guard(connected: Connections) -> None:
    async def use(there: LiveWeb, server: Server) -> tuple[list[Outcome], int]:
        urls = (A, "http://b.example/", "http://c.example/")
        responses = [await there.fetch(there.urls.intern(url)) for url in urls]
        return [each.outcome for each in responses], server.accepted

    rules = ("a.example=10.0.0.1:80", "b.example=[::1]:80", "c.example=169.254.169.254")
    assert on_the_web({}, use, resolve=rules) == ([Outcome.REFUSED_ADDRESS] * 3, 0)
    (refused,), _, server = fetched({}, A, allow_net=())
    assert (refused.outcome, server.accepted, connected) == (Outcome.REFUSED_ADDRESS, 0, [])
    (allowed,), _, server = fetched({}, A, allow_net=("127.0.0.1",))
    assert (allowed.outcome, server.accepted) == (Outcome.DEAD, 1)


class FakeSystem(AbstractResolver):
    """The system's resolver, answering with whatever addresses `told` says at the moment."""

    def __init__(self, told: Callable[[], list[tuple[str, int]]]) -> None:
        self.told, self.closed = told, False

    async def resolve(
        self, host: str, port: int = 0, family: socket.AddressFamily = socket.AF_INET
    ) -> list[ResolveResult]:
        return [
            ResolveResult(
                hostname=host,
                host=address,
                port=its_port,
                family=socket.AF_INET6 if ":" in address else socket.AF_INET,
                proto=0,
                flags=socket.AI_NUMERICHOST,
            )
            for address, its_port in self.told()
        ]

    async def close(self) -> None:
        self.closed = True


Told = dict[str, list[tuple[str, int]]]


def _robots_then(flip: Callable[[], None]) -> Callable[[Asked], Answer]:
    """A host that changes its address as soon as it has told its rules."""

    def answer(asked: Asked) -> Answer:
        if asked.path == "/robots.txt":
            flip()
        return in_parts(page(b"", "Connection: close", status=404), close=True)

    return answer


@pytest.mark.parametrize("refused", ["10.0.0.1", "127.0.0.1", "169.254.169.254", "::1", "::ffff:127.0.0.1"])
def test_a_name_that_changes_its_mind_is_caught_at_the_socket(
    refused: str, monkeypatch: pytest.MonkeyPatch, connected: Connections
) -> None:
    """Names is made to believe anything here, so that only the sockets stand between us and the address."""

    async def run() -> tuple[Outcome, list[str]]:
        told: Told = {}

        def flip() -> None:
            told["now"] = [(refused, outer.port)]

        system = FakeSystem(lambda: told["now"])
        monkeypatch.setattr(Names, "resolve", lambda self, *args, **more: system.resolve(*args, **more))
        async with serving(_robots_then(flip), address="127.0.0.2") as outer:
            told["now"] = [("127.0.0.2", outer.port)]
            local = settings(outer, allow_net=("127.0.0.2/32",), resolve=())
            async with live_web(local, time.monotonic) as there:
                response = await there.fetch(there.urls.intern(A))
            return response.outcome, outer.pages

    assert asyncio.run(run()) == (Outcome.REFUSED_ADDRESS, [])
    assert [target[0] for target in connected] == ["127.0.0.2"]


def _fake_names(monkeypatch: pytest.MonkeyPatch, told: Told) -> list[FakeSystem]:
    made: list[FakeSystem] = []

    def make() -> FakeSystem:
        made.append(FakeSystem(lambda: told["now"]))
        return made[-1]

    monkeypatch.setattr(names, "AsyncResolver", make)
    return made


def test_a_name_is_judged_again_whenever_it_is_looked_up(
    monkeypatch: pytest.MonkeyPatch, connected: Connections
) -> None:
    told: Told = {}
    later = [0.0]
    _fake_names(monkeypatch, told)

    async def use(there: LiveWeb, server: Server) -> list[Outcome]:
        told["now"] = [("10.0.0.1", 80), ("127.0.0.1", server.port)]
        first = await there.fetch(there.urls.intern(A))
        told["now"] = [("10.0.0.1", 80), ("fe80::1", 80)]
        kept = await there.fetch(there.urls.intern(A + "b"))
        later[0] = ANSWER_LIFETIME + 1
        refused = await there.fetch(there.urls.intern(A + "c"))
        return [each.outcome for each in (first, kept, refused)]

    close = in_parts(page(b"", "Connection: close", status=404), close=True)
    outcomes = on_the_web(lambda asked: close, use, clock=lambda: time.monotonic() + later[0], resolve=())
    assert outcomes == [Outcome.DEAD, Outcome.DEAD, Outcome.REFUSED_ADDRESS]
    assert {target[0] for target in connected} == {"127.0.0.1"}


def test_the_systems_resolver_is_let_go_at_the_end(monkeypatch: pytest.MonkeyPatch) -> None:
    systems = _fake_names(monkeypatch, {"now": [("10.0.0.1", 80)]})
    (response,), _, _ = fetched({}, A, resolve=())
    assert response.outcome is Outcome.REFUSED_ADDRESS
    assert [each.closed for each in systems] == [True]


def test_a_proxy_may_be_anywhere_but_leads_nowhere_refused(connected: Connections) -> None:
    """The proxy is asked for public hosts only, however close to us it is itself."""
    urls = (
        "http://pub.example/",
        "http://in.example/",
        "http://127.0.0.1:9/",
        "http://10.0.0.1/",
        "http://2130706433/",
    )

    async def run() -> tuple[list[Outcome], list[str]]:
        async with serving(lambda asked: GONE) as proxy:
            there_is = ("pub.example=93.184.215.14", "in.example=10.0.0.1")
            local = settings(proxy, allow_net=(), resolve=there_is, proxy=f"http://127.0.0.1:{proxy.port}", timeout=2)
            async with live_web(local, time.monotonic) as there:
                targets = [canonical(url) or "" for url in urls]
                responses = [await there.fetch(there.urls.intern(url)) for url in targets]
            return [each.outcome for each in responses], [asked.path for asked in proxy.requests]

    outcomes, asked = asyncio.run(run())
    assert asked == ["http://pub.example/robots.txt", "http://pub.example/"]
    assert outcomes == [Outcome.DEAD, *[Outcome.REFUSED_ADDRESS] * 4]
    assert {target[0] for target in connected} == {"127.0.0.1"}
