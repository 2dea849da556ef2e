"""A world over real sockets: what was recorded is what is answered."""

from __future__ import annotations

import asyncio
import gzip
import http.client
import signal
import socket
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from tests.support.generated_site import GeneratedSource
from tests.support.killing import Program
from tests.support.running import salticid
from tests.support.serving import Got, ask, ask_on, served_world
from tests.webs.test_render import spelled

from salticid.parse.html import Parser
from salticid.tables.texts import Texts, Urls
from salticid.webs.recorded import RecordedWeb
from salticid.webs.render import render
from salticid.webs.served import serve
from salticid.worlds.answers import Answer
from salticid.worlds.building import build

A, B = "http://a.example/", "http://b.example:8080/"
HTML = "text/html; charset=utf-8"
DAY = 86_400.0


class Recorded:
    """Answers of every kind, as a source of a world."""

    name, size, done = "answers of every kind", 0, 0

    def __iter__(self) -> Iterator[Answer]:
        yield Answer(A, html=b"<title>Home</title><a href=/old>moved</a>", modified=DAY)
        yield Answer(A + "undated?b=2&a=1", html="<h1>Größe</h1>".encode(), charset="utf-8")
        yield Answer(B, html=b"another host")
        yield Answer("https://a.example/", html=b"never seen, since http is recorded")
        yield Answer("https://safe.example/x", html=b"safe")
        yield Answer(A + "old", 301, location="/undated?a=1&b=2")
        yield Answer(A + "away", 307, location="https://safe.example/x")
        yield Answer(A + "gone", 410)
        yield Answer(A + "nowhere", 302)
        yield Answer(A + "strange", 4040)
        yield Answer(A + "image")
        yield Answer(B + "robots.txt", html=b"User-agent: *")


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("served") / "world"
    build(folder, Recorded())
    return folder


@pytest.fixture(scope="module")
def port(world: Path) -> Iterator[int]:
    with served_world(world) as port:
        yield port


def rendered(world: Path, url: str) -> bytes:
    web = RecordedWeb(world)
    page = web.page_at(web.urls.find(url))
    assert page is not None
    return render(page, web.urls, web.words)


def test_each_host_answers_with_its_own_pages(world: Path, port: int) -> None:
    for url in (A, A + "undated?a=1&b=2", B):
        got = ask(port, url)
        assert (got.status, got.headers["content-type"], got.body) == (200, HTML, rendered(world, url))
    assert ask(port, A).headers["last-modified"] == "Fri, 02 Jan 1970 00:00:00 GMT"
    assert "last-modified" not in ask(port, B).headers
    assert ask(port, "http://A.Example/?utm_source=x").body == ask(port, A).body


@pytest.mark.parametrize(
    "url", ["http://c.example/", A + "never", "http://b.example/", A + "robots.txt", "http://127.0.0.1/"]
)
def test_what_is_not_recorded_is_not_found(port: int, url: str) -> None:
    assert ask(port, url).status == 404


def test_robots_are_served_where_they_were_recorded(port: int) -> None:
    assert ask(port, B + "robots.txt").status == 200


def test_https_pages_answer_where_http_has_none(world: Path, port: int) -> None:
    assert ask(port, "http://safe.example/x").body == rendered(world, "https://safe.example/x")
    assert ask(port, A).body == rendered(world, A)


@pytest.mark.parametrize(
    ("path", "status", "location"),
    [
        ("old", 301, A + "undated?a=1&b=2"),
        ("away", 307, "https://safe.example/x"),
        ("gone", 410, None),
        ("nowhere", 302, None),
        ("strange", 502, None),
    ],
)
def test_redirects_and_errors_keep_their_status(port: int, path: str, status: int, location: str | None) -> None:
    got = ask(port, A + path)
    assert (got.status, got.headers.get("location")) == (status, location)


def test_what_is_no_html_says_so(port: int) -> None:
    got = ask(port, A + "image")
    assert (got.status, got.headers["content-type"], got.body) == (200, "application/octet-stream", b"")


@pytest.mark.parametrize("path", ["", "gone", "old", "image", "never"])
def test_head_is_get_without_the_body(port: int, path: str) -> None:
    whole, head = ask(port, A + path), ask(port, A + path, "HEAD")
    assert (head.status, head.body) == (whole.status, b"")
    for name in ("content-type", "etag", "location"):
        assert head.headers.get(name) == whole.headers.get(name)
    assert head.headers.get("content-length", "0") == whole.headers["content-length"]


def test_who_has_the_page_is_told_so(port: int) -> None:
    tag = ask(port, A).headers["etag"]
    day, before = "Fri, 02 Jan 1970 00:00:00 GMT", "Thu, 01 Jan 1970 23:59:59 GMT"

    def status(**headers: str) -> int:
        got = ask(port, A, **headers)
        assert (got.body == b"") == (got.status == 304)
        assert got.headers["etag"] == tag
        return got.status

    assert [status(If_None_Match=it) for it in (tag, f'"x", W/{tag}', "*", '"x"')] == [304, 304, 304, 200]
    assert [status(If_Modified_Since=it) for it in (day, before, "nonsense")] == [304, 200, 200]
    assert status(If_None_Match='"x"', If_Modified_Since=day) == 200
    assert ask(port, B, If_Modified_Since=day).status == 200


def test_other_methods_are_not_allowed(port: int) -> None:
    got = ask(port, A, "POST", Content_Length="0")
    assert (got.status, got.headers["allow"]) == (405, "GET, HEAD")


@pytest.mark.parametrize(
    ("said", "status"),
    [
        (b"nonsense\r\n\r\n", b"400"),
        (b"GET / HTTP/1.1\r\n\r\n", b"400"),
        (b"GET / HTTP/1.0\r\n\r\n", b"400"),
        (b"GET / HTTP/1.1\r\nHost: a b<>\r\n\r\n", b"400"),
        (b"GET / HTTP/1.1\r\nHost: \xff\xfe\r\n\r\n", b"400"),
        (b"GET ftp://a.example/ HTTP/1.1\r\nHost: a.example\r\n\r\n", b"400"),
        (b"GET /" + b"x" * 20_000 + b" HTTP/1.1\r\nHost: a.example\r\n\r\n", b"400"),
        (b"GET /\xc3\xa4 HTTP/1.1\r\nHost: a.example\r\n\r\n", b"400"),
        (b"GET /%c3%a4 HTTP/1.1\r\nHost: a.example\r\nConnection: close\r\n\r\n", b"404"),
        (b"GET http://b.example:8080/ HTTP/1.1\r\nHost: a.example\r\nConnection: close\r\n\r\n", b"200"),
    ],
)
def test_bad_and_odd_requests_are_answered(port: int, said: bytes, status: bytes) -> None:
    with socket.create_connection(("127.0.0.1", port), timeout=30) as connection:
        connection.sendall(said)
        assert connection.recv(1000).split()[1] == status
    assert ask(port, A).status == 200


def test_many_clients_at_once_each_get_their_own_page(tmp_path: Path) -> None:
    build(tmp_path / "world", GeneratedSource(60, seed=2))
    web = RecordedWeb(tmp_path / "world")
    pages = [web.page(number) for number in range(web.pages)]
    wanted = {web.urls[page.url]: page for page in pages}

    with served_world(tmp_path / "world", "--warm") as port:

        def ask_for_all(turn: int) -> list[tuple[str, Got]]:
            order = sorted(wanted)
            order = order[turn:] + order[:turn]
            connection = http.client.HTTPConnection("127.0.0.1", port, timeout=30)
            try:
                return [(url, ask_on(connection, url)) for url in order]
            finally:
                connection.close()

        with ThreadPoolExecutor(16) as clients:
            answers = [pair for pairs in clients.map(ask_for_all, range(16)) for pair in pairs]
    assert len(answers) == 16 * 60
    urls, words = Urls(), Texts()
    parser = Parser(urls, words)
    for url, got in answers:
        again = parser.parse(got.body, url, "utf-8")
        assert spelled(again, urls, words) == spelled(wanted[url], web.urls, web.words)


def test_pages_are_compressed_when_both_sides_want_it(world: Path, port: int) -> None:
    plain = ask(port, A, Accept_Encoding="gzip")
    assert "content-encoding" not in plain.headers
    with served_world(world, "--gzip") as zipping:
        packed = ask(zipping, A, Accept_Encoding="deflate, gzip")
        assert packed.headers["content-encoding"] == "gzip"
        assert gzip.decompress(packed.body) == plain.body
        assert ask(zipping, A).body == plain.body
        assert ask(zipping, A, Accept_Encoding="gzip", If_None_Match=plain.headers["etag"]).status == 304


def test_a_page_has_the_same_tag_in_every_world(port: int, tmp_path: Path) -> None:
    class Later(Recorded):
        def __iter__(self) -> Iterator[Answer]:
            yield Answer("http://new.example/", html=b"new")
            yield from super().__iter__()

    build(tmp_path / "later", Later())
    with served_world(tmp_path / "later") as later:
        assert ask(later, A).headers["etag"] == ask(port, A).headers["etag"]


def test_no_room_to_keep_pages_changes_no_answer(world: Path, port: int) -> None:
    urls = [A, B, A, A + "undated?a=1&b=2", B]

    async def bodies() -> list[bytes]:
        server = await serve(RecordedWeb(world), room=1)
        await server.warm()
        try:
            return [(await asyncio.to_thread(ask, server.port, url)).body for url in urls]
        finally:
            await server.close()

    assert asyncio.run(bodies()) == [ask(port, url).body for url in urls]


def test_a_port_in_use_is_told(world: Path, port: int) -> None:
    said = salticid("world", "serve", world, "--port", port)
    assert (said.status, said.out) == (2, "")
    assert said.err == f"salticid: port {port} is in use; give another as --port, or 0 for any free one\n"


def test_no_world_no_server(tmp_path: Path) -> None:
    said = salticid("world", "serve", tmp_path, "--port", 0)
    assert said.status == 2
    assert "is no world" in said.err
    assert salticid("world", "serve", tmp_path, "--port", 70_000).status == 2


@pytest.mark.parametrize(("number", "status"), [(signal.SIGINT, 130), (signal.SIGTERM, 0)])
def test_it_says_one_line_and_stops_when_told(world: Path, number: signal.Signals, status: int) -> None:
    with Program("world", "serve", world, "--port", 0) as program:
        assert program.until(lambda: "\n" in program.out, "a line that tells its port"), program.err
        address = program.out.partition(" on ")[2].split()[0]
        at = int(address.rstrip("/").rpartition(":")[2])
        kept = http.client.HTTPConnection("127.0.0.1", at, timeout=30)
        assert ask_on(kept, A).status == 200
        program.send(number)
        assert (program.ends(), program.err) == (status, "")
        kept.close()
        line = f"Serving {world} on http://127.0.0.1:{at}/ (every host by its Host header; Ctrl-C stops)\n"
        assert program.out == line
