"""Where a crawl may start from: URLs, bookmarks, search engines that are real local servers, earlier crawls."""

from __future__ import annotations

import asyncio
import gzip
import json
import threading
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.support.running import salticid

from salticid.errors import UserError
from salticid.runs.start_pages import LARGEST, MOST_BOOKMARKS, Sources, bookmarks, find_start
from salticid.store.crawl_folder import CrawlFolder
from salticid.webs.live import search_engines
from salticid.webs.live.search_engines import Engine, SearchFailed, ask, check

NETSCAPE = b"""<!DOCTYPE NETSCAPE-Bookmark-file-1>
<META HTTP-EQUIV="Content-Type" CONTENT="text/html; charset=UTF-8">
<TITLE>Bookmarks</TITLE><H1>Bookmarks</H1>
<DL><p>
    <DT><H3 ADD_DATE="1">Spiders folder</H3>
    <DL><p>
        <DT><A HREF="https://news.example/?a=1&amp;b=2" ADD_DATE="1" ICON="data:image/png;base64,iVBOR=">News</A>
        <DT><A HREF='http://Spiders.example/jump#legs'>Jumping <b>spiders</b> &amp; more</A>
        <DT><A HREF="javascript:alert(1)">evil</A> <DT><A HREF="place:sort=8">recent</A>
        <DT><A HREF="file:///etc/passwd">local</A> <DT><A NAME="x">none</A>
        <DT><A HREF="http://spiders.example/jump">again</A>
    </DL><p>
</DL>"""


class Engines:
    """Plays SearXNG and Brave: `answer` is what it says, `asked` what it was asked."""

    def __init__(self) -> None:
        self.answer: tuple[int, bytes, dict[str, str]] = (200, b"{}", {})
        self.asked: list[tuple[str, dict[str, str]]] = []

    @contextmanager
    def served(self) -> Iterator[str]:
        engines = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                fields = {name.lower(): value for name, value in self.headers.items()}
                engines.asked.append((self.path, fields))
                status, body, more = engines.answer
                self.send_response(status)
                for name, value in {"Content-Length": str(len(body)), **more}.items():
                    self.send_header(name, value)
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *_: object) -> None: ...

        with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
            threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True).start()
            yield f"http://127.0.0.1:{server.server_address[1]}"
            server.shutdown()


@pytest.fixture
def engines() -> Engines:
    return Engines()


def results(*urls: object) -> bytes:
    return json.dumps({"results": [{"url": url, "title": "t"} for url in urls]}).encode()


def test_bookmarks_give_web_pages_once_each_in_order() -> None:
    assert [tuple(mark) for mark in bookmarks(NETSCAPE)] == [
        ("https://news.example/?a=1&b=2", "News"),
        ("http://spiders.example/jump", "Jumping"),
    ]


def test_bookmarks_that_are_too_large_or_none_say_what_to_do() -> None:
    with pytest.raises(UserError, match="paste URLs"):
        bookmarks(b"<" * (LARGEST + 1))
    with pytest.raises(UserError, match="export your bookmarks"):
        bookmarks(b"\x89PNG\r\n")


@given(st.binary(max_size=300) | st.text(alphabet="<a href=\"'=>/x:http", max_size=300).map(str.encode))
def test_no_file_of_bookmarks_does_harm(data: bytes) -> None:
    try:
        found = bookmarks(data)
    except UserError:
        return
    assert all(mark.url.startswith(("http://", "https://")) for mark in found)


@pytest.mark.parametrize(
    "piece", [b"<a ", b"<a href=", b'<a href="', b"<a href='", b"<div><a>", b"<a\n\n \t", b"href  "]
)
def test_bookmarks_made_to_keep_a_reader_busy_take_a_moment(piece: bytes) -> None:
    data = piece * (LARGEST // len(piece))
    began = time.process_time()
    with pytest.raises(UserError):
        bookmarks(data)
    assert time.process_time() - began < 2


def test_searxng_is_asked_for_json_and_its_results_are_links_like_any(engines: Engines) -> None:
    engines.answer = 200, results("http://a.example/#x", "ftp://b.example/", 7, None, "http://a.example/"), {}
    with engines.served() as address:
        found = asyncio.run(ask(Engine("home", "searxng", address + "/searx/"), "jumping spiders", "Me/1"))
    assert found == ["http://a.example/"]
    path, fields = engines.asked[0]
    assert urlsplit(path).path == "/searx/search"
    assert parse_qs(urlsplit(path).query) == {"q": ["jumping spiders"], "format": ["json"]}
    assert fields["user-agent"] == "Me/1"


def test_brave_gets_its_key_and_gives_the_results_of_the_web(engines: Engines) -> None:
    body = json.dumps({"web": {"results": [{"url": "https://b.example/"}]}}).encode()
    engines.answer = 200, body, {}
    with engines.served() as address:
        found = asyncio.run(ask(Engine("b", "brave", f"{address}/res", "secret"), "spiders", "Me/1"))
    assert found == ["https://b.example/"]
    path, fields = engines.asked[0]
    assert fields["x-subscription-token"] == "secret"
    assert parse_qs(urlsplit(path).query) == {"q": ["spiders"], "count": ["20"]}


@pytest.mark.parametrize(
    ("kind", "answer", "said"),
    [
        ("searxng", (403, b"", {}), r"formats: \[html, json\]"),
        ("searxng", (429, b"", {}), "too often"),
        ("searxng", (302, b"", {"Location": "http://169.254.169.254/"}), "its own address"),
        ("searxng", (200, b"<html>", {}), "no list of results"),
        ("searxng", (200, b"[" * 100_000, {}), "no list of results"),
        (
            "searxng",
            (200, gzip.compress(b" " * (64 << 20)), {"Content-Encoding": "gzip"}),
            "no list of results",
        ),
        ("searxng", (200, b'{"results": 3}', {}), "no list of results"),
        ("searxng", (500, b"", {}), "status 500"),
        ("brave", (401, b"", {}), "does not accept the key"),
        ("brave", (200, b'{"web": []}', {}), "no list of results"),
        ("brave", (200, b"null", {}), "no list of results"),
    ],
)
def test_an_engine_that_gives_no_answer_says_why_and_what_to_do(
    engines: Engines, kind: str, answer: tuple[int, bytes, dict[str, str]], said: str
) -> None:
    engines.answer = answer
    with engines.served() as address, pytest.raises(SearchFailed, match=said):
        asyncio.run(ask(check(Engine("e", kind, address, "key")), "spiders", "Me/1"))  # type: ignore[arg-type]
    assert len(engines.asked) == 1


def test_an_endless_answer_is_cut_off(engines: Engines, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(search_engines, "LARGEST", 1 << 16)
    engines.answer = 200, results(*["http://a.example/"] * 10_000), {}
    with engines.served() as address, pytest.raises(SearchFailed, match="no list"):
        asyncio.run(ask(Engine("e", "searxng", address), "spiders", "Me/1"))


def test_a_source_that_fails_is_a_warning_as_long_as_another_gives_something(engines: Engines) -> None:
    engines.answer = 403, b"", {}
    with engines.served() as address:
        engine = Engine("home", "searxng", address)
        sources = Sources(urls=("http://a.example", "no address"), engine=engine)
        start = asyncio.run(find_start("jumping spiders", sources))
        assert [(seed.url, seed.origin) for seed in start.seeds] == [("http://a.example/", "you")]
        assert len(start.warnings) == 2
        with pytest.raises(UserError, match=r"nowhere to start.*formats"):
            asyncio.run(find_start("jumping spiders", Sources(engine=engine)))


def test_of_many_bookmarks_those_nearest_to_the_query_are_taken() -> None:
    many = b"".join(b'<A HREF="http://h%d.example/">Cooking %d</A>' % (n, n) for n in range(500))
    start = asyncio.run(find_start("spider", Sources(bookmarks=many + NETSCAPE.replace(b"Jumping", b"Spider"))))
    assert len(start.seeds) == MOST_BOOKMARKS
    assert start.seeds[0].url == "http://spiders.example/jump"
    assert start.seeds[1].url == "http://h0.example/"


@pytest.mark.parametrize("query", ["", "  ", "!!!", "what is it", "The, of AND", "x" * 1001])
def test_a_query_without_a_word_or_of_a_novel_is_refused(query: str) -> None:
    with pytest.raises(UserError):
        asyncio.run(find_start(query, Sources(urls=("http://a.example/",))))


def test_the_program_starts_from_an_engine_bookmarks_urls_and_an_earlier_crawl(
    tmp_path: Path, engines: Engines
) -> None:
    world = tmp_path / "world"
    assert salticid("world", "build", world, "--synthetic", 300, "--seed", 5).status == 0
    assert salticid("world", "topics", world, "--out", tmp_path / "t", "--min-pages", 15).status == 0
    topic = next(iter(sorted((tmp_path / "t").glob("*.toml")))).read_text()
    first, second = [line.strip(' ",') for line in topic.splitlines() if line.startswith('    "http')][:2]
    marks = tmp_path / "marks.html"
    marks.write_text(f'<DT><A HREF="{second}">a page</A>')
    engines.answer = 200, results(first), {}
    common = ("--web", world, "--max-pages", 20, "--json")
    with engines.served() as address:
        searched = ("--query", "spiders", "--search", f"searxng:{address}", "--out", tmp_path / "c")
        said = salticid("crawl", *searched, "--bookmarks", marks, *common)
        assert said.status == 0, said.err
        assert "Starting from 2 pages" in said.err
        engines.answer = 500, b"", {}
        again = salticid("crawl", *searched, *common[:2], "--max-pages", 30, "--json")
        assert (again.status, json.loads(again.out)["pages"]) == (0, 30), again.err
        assert len(engines.asked) == 1, "a crawl that goes on starts from where it started"
    with closing(CrawlFolder(tmp_path / "c")) as crawled:
        word = max((crawled.visit(0).title or "").split(), key=len)
    from_crawl = ("--query", word, "--from-crawl", tmp_path / "c", "--out", tmp_path / "d")
    said = salticid("crawl", *from_crawl, "--seed-url", first, *common)
    assert (said.status, json.loads(said.out)["topic"]) == (0, word), said.err


def test_a_query_without_a_place_to_start_says_how_to_name_one() -> None:
    said = salticid("crawl", "--query", "jumping spiders")
    assert (said.status, said.err.count("\n")) == (2, 1)
    for option in ("--seed-url", "--bookmarks", "--search", "--from-crawl"):
        assert option in said.err
    said = salticid("crawl", "t.toml", "--query", "jumping spiders")
    assert (said.status, said.err.count("\n")) == (2, 1)
    said = salticid("crawl", "--query", "spiders", "--search", "brave")
    assert (said.status, "SALTICID_BRAVE_KEY" in said.err) == (2, True)
