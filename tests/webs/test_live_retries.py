"""What the live web does after a failure, and what it heeds on a page: the table, robots tags, hard cases."""

import asyncio
import os
import socket
import subprocess
import time
from collections.abc import Iterator
from contextlib import AsyncExitStack, contextmanager
from dataclasses import replace
from email.utils import formatdate
from pathlib import Path
from shutil import which
from ssl import PROTOCOL_TLS_SERVER, SSLContext, create_default_context
from typing import Any

import aiohttp
import pytest
from aiohttp.streams import StreamReader
from benchmarks._processes import family, processor_seconds
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.support import hostile
from tests.support.hostile import (
    A,
    Answer,
    Asked,
    Server,
    all_at_once,
    fetched,
    hurry,
    in_parts,
    on_the_web,
    outcome,
    page,
    robots,
    turns,
)

from salticid.judges.cosine import Cosine
from salticid.model import Outcome, StopReason
from salticid.runs.brief import KnownPages
from salticid.runs.live import live_driver, live_web
from salticid.runs.live_settings import LiveSettings
from salticid.runs.order import Recipe
from salticid.runs.recorded import MemoryLog
from salticid.strategies.breadth_first import BreadthFirst
from salticid.topic import Limits, Topic
from salticid.webs.live.client import Exchange
from salticid.webs.live.failures import Failure
from salticid.webs.live.guard import AddrInfo, GuardedSockets
from salticid.webs.live.politeness import Parked
from salticid.webs.live.reach import OutageCalls
from salticid.webs.live.web import LiveWeb

GOOD = page(b"<title>Good</title>")
LATER = page(b"", status=503)


@pytest.fixture(autouse=True)
def _quick(monkeypatch: pytest.MonkeyPatch) -> None:
    hurry(monkeypatch)


@pytest.mark.parametrize("status", [429, 503])
def test_who_is_asked_to_come_back_does_so_four_times_later_each_time(status: int) -> None:
    (response,), _, server = fetched({"/": page(b"", status=status)}, A)
    assert (response.outcome, response.status) == (Outcome.DEAD, status)
    gaps = server.gaps()
    assert len(gaps) == 4
    for gap, least in zip(gaps, (0.03, 0.06, 0.12, 0.24), strict=True):
        assert least <= gap < least + 0.5
    assert response.seconds < sum(gaps)


@pytest.mark.parametrize("failure", [LATER, in_parts(close=True), page(b"", "Retry-After: 0", status=429)])
def test_a_host_that_recovers_is_forgiven(failure: Answer) -> None:
    assert outcome(turns(failure, GOOD)) == ("ok", 200, 2)


@pytest.mark.parametrize("by_date", [False, True])
def test_a_host_says_when_to_come_back(by_date: bool) -> None:
    said = formatdate(time.time() + 2, usegmt=True) if by_date else "1"  # a date has no fractions of a second
    later = page(b"", f"Retry-After: {said}", status=429)
    _, _, server = fetched({"/": turns(later, page(b"", status=404))}, A)
    (gap,) = server.gaps()
    assert 0.8 <= gap < 2.5


def test_a_host_that_says_to_stay_away_for_long_is_not_waited_for() -> None:
    async def use(there: LiveWeb, server: Server) -> tuple[float, list[str]]:
        with pytest.raises(Parked) as parked:
            await there.fetch(there.urls.intern(A))
        with pytest.raises(Parked):
            await there.fetch(there.urls.intern(A + "b"))
        assert there.doing == {}
        return parked.value.until - there.clock(), server.pages

    wait, asked = on_the_web({"/": page(b"", "Retry-After: 3600", status=503)}, use)
    assert 3590 < wait <= 3600
    assert asked == ["a.example/"]


def test_a_request_on_a_kept_connection_is_never_repeated_behind_our_back() -> None:
    site: dict[str, Answer] = {"/": page(b"", status=404), "/b": in_parts(close=True)}
    (_, response), _, server = fetched(site, A, A + "b")
    assert server.requests[1].connection == server.requests[2].connection == 1
    assert response.outcome is Outcome.BROKEN
    assert server.pages == ["a.example/", "a.example/b", "a.example/b"]
    assert server.accepted == 2


@contextmanager
def _counted(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[socket.socket]]:
    """Every socket that is opened."""
    opened: list[socket.socket] = []
    open_socket = GuardedSockets.__call__

    def count(self: GuardedSockets, info: AddrInfo) -> socket.socket:
        opened.append(made := open_socket(self, info))
        return made

    with monkeypatch.context() as patch:
        patch.setattr(GuardedSockets, "__call__", count)
        yield opened


def test_a_host_nobody_answers_for_is_tried_as_the_table_says_and_dropped(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async def use(port: int) -> list[Outcome]:
        local = LiveSettings(delay=0, allow_net=("127.0.0.0/8",), resolve=(f"*=127.0.0.1:{port}",))
        async with live_web(local, time.monotonic) as there:
            return [(await there.fetch(there.urls.intern(A + path))).outcome for path in ("", "b", "c")]

    with socket.socket() as closed, _counted(monkeypatch) as opened:
        closed.bind(("127.0.0.1", 0))
        outcomes = asyncio.run(use(closed.getsockname()[1]))
    assert outcomes == [Outcome.UNREACHABLE] * 3
    assert len(opened) == 3


@pytest.mark.parametrize("alone", [False, True])
def test_a_host_that_goes_away_is_dropped_if_others_are_there_else_waited_for(alone: bool) -> None:
    async def run() -> tuple[list[Outcome], int]:
        last = in_parts(page(b"", "Connection: close", status=404), close=True)
        async with AsyncExitStack() as stack:
            other = await stack.enter_async_context(hostile.serving({}))
            async with hostile.serving({"/": last}) as server:
                lost = asyncio.Event()
                calls = OutageCalls(on_loss=lambda failure, names: lost.set())
                placed = (f"a.example=127.0.0.1:{server.port}", f"b.example=127.0.0.1:{other.port}")
                local = replace(hostile.settings(server), resolve=placed)
                there = await stack.enter_async_context(live_web(local, time.monotonic, outage_calls=calls))
                urls = [A] if alone else ["http://b.example/", A]
                first = [await there.fetch(there.urls.intern(url)) for url in urls]
            later = asyncio.gather(*(there.fetch(there.urls.intern(A + path)) for path in ("b", "c")))
            if alone:
                await lost.wait()
            else:
                await later
            again = hostile.Server({})
            async with await asyncio.start_server(again.talk, "127.0.0.1", server.port):
                found = [*first[-1:], *(await later), await there.fetch(there.urls.intern(A + "d"))]
            return [each.outcome for each in found], len(again.pages)

    outcomes, asked = asyncio.run(run())
    assert outcomes == [Outcome.DEAD] * 4 if alone else [Outcome.DEAD, *[Outcome.UNREACHABLE] * 3]
    assert asked == (3 if alone else 0)


def _openssl(folder: Path, *commands: str) -> tuple[str, str]:
    """The files `cert` and `key` that openssl makes in a folder."""
    if which("openssl") is None:
        pytest.skip("program absent: openssl")
    for command in commands:
        subprocess.run(["openssl", *command.split()], cwd=folder, check=True, capture_output=True)
    return str(folder / "cert"), str(folder / "key")


@pytest.fixture(scope="session")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> tuple[str, str]:
    """A certificate of a.example and its key, as files."""
    names = "-subj /CN=a.example -addext subjectAltName=DNS:a.example"
    made = f"req -x509 -newkey rsa:2048 -nodes {names} -keyout key -out cert"
    return _openssl(tmp_path_factory.mktemp("tls"), made)


@pytest.fixture(scope="session")
def expired(tmp_path_factory: pytest.TempPathFactory) -> tuple[str, str]:
    """A certificate of a.example that was good for a day in 2020, and its key."""
    folder: Path = tmp_path_factory.mktemp("expired")
    (folder / "index").touch()
    (folder / "ca.conf").write_text(
        "[ca]\ndefault_ca = own\n[own]\ndatabase = index\nnew_certs_dir = .\nrand_serial = yes\n"
        "default_md = sha256\npolicy = any\nx509_extensions = names\n[any]\ncommonName = supplied\n"
        "[names]\nsubjectAltName = DNS:a.example\n"
    )
    return _openssl(
        folder,
        "req -new -newkey rsa:2048 -nodes -subj /CN=a.example -keyout key -out asked",
        "ca -batch -selfsign -notext -config ca.conf -keyfile key -in asked -out cert "
        "-startdate 20200101000000Z -enddate 20200102000000Z",
    )


def _serving(certificate: tuple[str, str]) -> SSLContext:
    context = SSLContext(PROTOCOL_TLS_SERVER)
    context.load_cert_chain(*certificate)
    return context


def _trust(certificate: tuple[str, str], monkeypatch: pytest.MonkeyPatch) -> None:
    trusting = create_default_context(cafile=certificate[0])
    monkeypatch.setattr(aiohttp.connector, "_SSL_CONTEXT_VERIFIED", trusting)


def test_a_certificate_nobody_vouches_for_is_not_trusted(certificate: tuple[str, str]) -> None:
    https = "https://a.example/"
    responses, _, server = fetched({"/": GOOD}, https, https + "b", tls=_serving(certificate))
    assert [each.outcome for each in responses] == [Outcome.UNREACHABLE] * 2
    assert server.requests == []
    assert server.accepted <= 1


@pytest.mark.parametrize(
    ("kind", "host", "trusted"),
    [
        ("certificate", "a.example", True),
        ("certificate", "b.example", False),
        ("expired", "a.example", False),
    ],
)
def test_a_certificate_must_be_of_that_host_and_of_today(
    kind: str, host: str, trusted: bool, request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch
) -> None:
    certificate = request.getfixturevalue(kind)
    _trust(certificate, monkeypatch)
    (response,), _, server = fetched({"/": GOOD}, f"https://{host}/", tls=_serving(certificate))
    assert response.outcome is (Outcome.OK if trusted else Outcome.UNREACHABLE)
    assert bool(server.pages) == trusted


@pytest.mark.parametrize("tls", [False, True])
@pytest.mark.parametrize("cut", [False, True])
def test_when_an_answer_is_given_up_its_server_knows(
    monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest, cut: bool, tls: bool
) -> None:
    context = None
    if tls:
        certificate = request.getfixturevalue("certificate")
        _trust(certificate, monkeypatch)
        context = _serving(certificate)
    endless = in_parts(b"HTTP/1.1 200 OK\r\nContent-Length: 90000\r\n\r\n" + 50_000 * cut * b"x")
    with _counted(monkeypatch) as opened:

        async def use(there: LiveWeb, server: Server) -> tuple[object, list[int]]:
            answer, _ = await there.network.line.get("https://a.example/" if tls else A)
            return answer, [sock.fileno() for sock in opened]

        given = 30 if cut else 0.5
        answer, open_files = on_the_web({"/": endless}, use, tls=context, timeout=given, max_bytes=10_000)
    assert isinstance(answer, Exchange) if cut else answer is Failure.TIMEOUT
    assert open_files == [-1]


def test_an_answer_that_was_read_is_kept_though_time_runs_out(monkeypatch: pytest.MonkeyPatch) -> None:
    """The event loop is busy just when the last byte that is read has come."""
    read = StreamReader.feed_data

    def feed(*told: Any) -> Any:
        done = read(*told)
        time.sleep(1.1)
        return done

    async def use(there: LiveWeb, server: Server) -> object:
        return (await there.network.line.get(A))[0]

    monkeypatch.setattr(StreamReader, "feed_data", feed)
    endless = in_parts(b"HTTP/1.1 200 OK\r\nContent-Length: 90000\r\n\r\n" + 50_000 * b"x")
    answer = on_the_web({"/": endless}, use, timeout=1, max_bytes=10_000)
    assert isinstance(answer, Exchange)
    assert len(answer.body) == 10_000


TAGS = {
    "": (False, False),
    "noindex": (True, False),
    "NoFollow": (False, True),
    "none": (True, True),
    "noarchive, noindex , nofollow": (True, True),
    "max-image-preview:none": (False, False),
    "max-image-preview: none": (False, False),
    "unavailable_after: Fri, 1 Jan 2100 10:00:00 GMT": (False, False),
    "max-snippet:-1, max-image-preview:large": (False, False),
}


def test_robots_tags_reach_the_page_from_head_and_body() -> None:
    by_field = [page(b"<p>a", f"X-Robots-Tag: {tag}") for tag in TAGS]
    by_tag = [page(f'<meta name="robots" content="{tag}"><p>a'.encode()) for tag in TAGS]
    both = page(b"<meta name=robots content=noindex>", "X-Robots-Tag: nofollow")
    twice = page(b"<p>a", "X-Robots-Tag: noarchive", "X-Robots-Tag: noindex, nofollow")
    site = {f"/{n}": each for n, each in enumerate([*by_field, *by_tag, both, twice])}
    responses, _, _ = fetched(site, *(A + path[1:] for path in site))
    told = [each.page and (each.page.noindex, each.page.nofollow) for each in responses]
    assert dict(zip(TAGS, told, strict=False)) == TAGS
    assert dict(zip(TAGS, told[len(TAGS) :], strict=False)) == TAGS
    assert told[-2:] == [(True, True), (True, True)]


FOR_WHOM: dict[tuple[str, ...], tuple[bool, bool]] = {
    ("otherbot: noindex",): (False, False),
    ("otherbot:none",): (False, False),
    ("salticid: noindex",): (True, False),
    ("SALTICID : noindex, nofollow",): (True, True),
    ("Salticid/1.0: none",): (True, True),
    ("*: nofollow",): (False, True),
    ("otherbot: noindex, nofollow", "nofollow"): (False, True),
    ("noindex", "otherbot: nofollow"): (True, False),
    ("otherbot: noindex, salticid: nofollow",): (False, True),
    ("salticid: noindex, otherbot: nofollow",): (True, False),
    ("unavailable_after: 25 Jun 2100 15:00:00 PST", "otherbot: noindex"): (False, False),
    ("unavailable_after: Fri, 1 Jan 2100 10:00:00 GMT, nofollow",): (False, True),
}


def test_robots_fields_are_for_those_they_name() -> None:
    site = {
        f"/{n}": page(b"<p>a", *(f"X-Robots-Tag: {field}" for field in fields)) for n, fields in enumerate(FOR_WHOM)
    }
    responses, _, _ = fetched(site, *(A + path[1:] for path in site))
    told = [each.page and (each.page.noindex, each.page.nofollow) for each in responses]
    assert dict(zip(FOR_WHOM, told, strict=True)) == FOR_WHOM


@pytest.mark.parametrize(
    ("user_agent", "told"),
    [
        ("Salticid/1.0", [(True, False), (False, False), (True, True)]),
        ("My-Bot/2", [(False, False), (False, True), (False, True)]),
    ],
)
def test_robots_tags_may_call_us_by_the_name_we_go_by(user_agent: str, told: list[tuple[bool, bool]]) -> None:
    site = {
        "/1": page(b"<meta name=SALTICID content=NoIndex><meta name=otherbot content=none><p>a"),
        "/2": page(b"<p>a", "X-Robots-Tag: my-bot: nofollow"),
        "/3": page(b"<meta name=salticid content=noindex><meta name=robots content=nofollow><p>a"),
    }
    responses, _, _ = fetched(site, *(A + path[1:] for path in site), user_agent=user_agent)
    assert [each.page and (each.page.noindex, each.page.nofollow) for each in responses] == told


def test_a_crawl_follows_no_link_it_was_asked_not_to() -> None:
    seed = b"<p>spiders <a href=1 rel=nofollow>1</a> <a href=2>2</a> <a href=3>3</a> <a href=4>4</a>"
    site = {
        "/robots.txt": robots("Disallow: /4"),
        "/": page(seed),
        "/2": page(b"<p>spiders <a href=5>5</a>", "X-Robots-Tag: nofollow"),
        "/3": page(b"<meta name=robots content=nofollow><p>spiders <a href=6>6</a>"),
    }

    async def use(there: LiveWeb, server: Server) -> tuple[StopReason, list[str], list[str]]:
        log = MemoryLog()
        recipe = Recipe(BreadthFirst(), Cosine(), Limits(max_pages=20), "one", 0)
        topic = Topic("spiders", "spiders", (A,))
        driver = live_driver(topic, KnownPages(), there, recipe, hostile.settings(server), log)
        stopped = await driver.run()
        return stopped, server.pages, [visit.outcome.value for visit in log.visits]

    stopped, asked, outcomes = on_the_web(site, use)
    assert stopped is StopReason.FRONTIER_EMPTY
    assert asked == ["a.example/", "a.example/2", "a.example/3"]
    assert sorted(outcomes) == ["ok", "ok", "ok", "robots"]


def test_a_page_made_to_keep_a_parser_busy_holds_nobody_up() -> None:
    attributes = b"<p " + b" ".join(b"a%d" % n for n in range(50_000)) + b">"
    site = {"/": page(b"<div>" * 50_000), "/attributes": page(attributes), "b.example/": GOOD}

    async def use(there: LiveWeb, server: Server) -> list[Outcome]:
        await there.fetch(there.urls.intern("http://b.example/"))
        before = sum(map(processor_seconds, family(os.getpid())))
        responses = await all_at_once(there, A, A + "attributes", "http://b.example/?again")
        assert sum(map(processor_seconds, family(os.getpid()))) - before < 2
        return [each.outcome for each in responses]

    site["b.example/?again"] = GOOD
    assert on_the_web(site, use) == [Outcome.UNPARSABLE, Outcome.UNPARSABLE, Outcome.OK]


_VALUES = st.text(st.characters(max_codepoint=255, exclude_characters="\r\n0123456789"), max_size=20)
_NAMES = [
    "Content-Type",
    "Content-Encoding",
    "Location",
    "Last-Modified",
    "X-Robots-Tag",
    "ETag",
    "Connection",
    "Set-Cookie",
]
_DATES = st.sampled_from(["0", "99 Nov 9999999999 99:99:99 GMT", "9" * 5000, "Sun, 06 Nov 1994 08:49 -9999"])
_FIELD = st.tuples(st.sampled_from(_NAMES), _VALUES) | st.tuples(st.just("Last-Modified"), _DATES)
_HEADS = st.builds(
    lambda status, fields, body: page(body, *(f"{name}: {value}" for name, value in fields), status=status),
    st.sampled_from([200, 200, 206, 301, 404, 500]),
    st.lists(_FIELD, max_size=4),
    st.binary(max_size=40),
)


def test_whatever_a_server_says_no_fetch_raises() -> None:
    said = [b""]

    def answer(asked: Asked) -> Answer:
        return page(b"", status=404) if asked.path == "/robots.txt" else in_parts(said[0], close=True)

    with asyncio.Runner() as runner:
        stack = AsyncExitStack()
        server = runner.run(stack.enter_async_context(hostile.serving(answer)))
        local = hostile.settings(server, timeout=1)
        there = runner.run(stack.enter_async_context(live_web(local, time.monotonic)))

        @given(st.binary(max_size=100) | _HEADS)
        @settings(deadline=None, max_examples=150)
        def check(data: bytes) -> None:
            said[0] = data
            response = runner.run(there.fetch(there.urls.intern(A)))
            assert (response.page is None) == (response.outcome is not Outcome.OK)
            assert response.outcome not in (Outcome.UNREACHABLE, Outcome.ROBOTS)

        try:
            check()
            assert len(server.pages) > 100
        finally:
            runner.run(stack.aclose())
