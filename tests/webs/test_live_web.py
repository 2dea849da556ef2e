"""The live web over real sockets: pages as they should be, and all that servers do instead."""

import gzip
import time
import zlib
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import brotli  # type: ignore[import-untyped]
import pytest
import zstandard
from tests.support.hostile import (
    A,
    Answer,
    Server,
    fetched,
    hurry,
    in_parts,
    moved,
    on_the_web,
    outcome,
    page,
    peak_of,
    robots,
    silence,
    then_reset,
)

from salticid.model import Outcome
from salticid.webs.live.web import LiveWeb

HTML = b"<title>Caf\xc3\xa9</title><p>jumping spiders <a href=/next>more</a> <a href='http://b.example/'>b</a>"
B = "http://b.example/"
HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n"


@pytest.fixture(autouse=True)
def _quick(monkeypatch: pytest.MonkeyPatch) -> None:
    hurry(monkeypatch)


def test_a_page_is_read_with_all_that_its_head_says() -> None:
    date = "Last-Modified: Sun, 06 Nov 1994 08:49:37 GMT"
    site = {
        "/": page(HTML, date, 'ETag: "v1"'),
        "/l1": page(b"<title>Caf\xe9", kind="text/html; charset=iso-8859-1"),
    }
    (response, latin), there, server = fetched(site, A, A + "l1")
    assert (response.outcome, response.status, response.size) == (Outcome.OK, 200, len(HTML))
    assert response.page is not None
    assert response.page.title == "Café"
    assert there.urls.spell(response.page.links.url.tolist()) == [A + "next", B]
    assert (response.modified, response.etag) == (784_111_777, '"v1"')
    assert 0 < response.seconds < 5
    assert latin.page is not None
    assert latin.page.title == "Café"
    assert (latin.modified, latin.etag) == (None, None)
    assert server.pages == ["a.example/", "a.example/l1"]
    assert there.doing == {}


def test_what_a_head_says_can_be_written_down_even_when_it_is_no_text() -> None:
    (response,), _, _ = fetched({"/": HEAD + b'ETag: "\xff\xfe"\r\nContent-Length: 0\r\n\r\n'}, A)
    assert response.outcome is Outcome.OK
    assert (response.etag or "").isprintable()  # a lone surrogate is not, and no file takes it


@pytest.mark.parametrize(
    "kind",
    [
        "text/html, text/html",
        "text/html; charset=iso-8859-5, text/html",
        "text/html,text/html; charset=iso-8859-5",
        "text/html; charset=iso-8859-5\r\nContent-Type: text/html",
    ],
)
def test_a_type_that_is_said_twice_is_that_type(kind: str) -> None:
    title = "ф".encode("iso-8859-5" if "charset" in kind else "utf-8")
    (response,), _, _ = fetched({"/": page(b"<title>" + title, kind=kind)}, A)
    assert response.page is not None
    assert response.page.title == "ф"


def _raw_deflate(data: bytes) -> bytes:
    packer = zlib.compressobj(wbits=-zlib.MAX_WBITS)
    return packer.compress(data) + packer.flush()


CODINGS: dict[str, tuple[str, Callable[[bytes], bytes]]] = {
    "gzip": ("gzip", gzip.compress),
    "x-gzip": ("x-gzip", gzip.compress),
    "zlib": ("deflate", zlib.compress),
    "raw": ("deflate", _raw_deflate),
    "br": ("br", brotli.compress),
    "zstd": ("zstd", zstandard.compress),
    "none at all": ("gzip", bytes),
    "another": ("br", bytes),
    "twice": ("gzip, br", lambda data: brotli.compress(gzip.compress(data))),
    "in two fields": ("gzip\r\nContent-Encoding: br", lambda data: brotli.compress(gzip.compress(data))),
}


def test_every_coding_is_undone() -> None:
    site = {f"/{n}": page(code(HTML), f"Content-Encoding: {name}") for n, (name, code) in enumerate(CODINGS.values())}
    responses, _, server = fetched(site, *(A + path[1:] for path in site))
    read = {name: each.page and each.page.title for name, each in zip(CODINGS, responses, strict=True)}
    assert read == dict.fromkeys(CODINGS, "Café")
    assert server.requests[0].fields["accept-encoding"] == "gzip, deflate, br, zstd"


def _bomb(name: str) -> bytes:
    """200 MB, made a megabyte at a time."""
    kinds: dict[str, Callable[[], Any]] = {
        "gzip": partial(zlib.compressobj, 9, wbits=31),
        "deflate": partial(zlib.compressobj, 9),
        "br": partial(brotli.Compressor, quality=1),
        "zstd": zstandard.ZstdCompressor().compressobj,
    }
    packer = kinds[name]()
    pack = packer.process if name == "br" else packer.compress
    block = b"<p>boom " * (1 << 17)
    packed = [pack(block) for _ in range(200)]
    return b"".join([*packed, packer.finish() if name == "br" else packer.flush()])


@pytest.mark.parametrize("coding", ["gzip", "deflate", "br", "zstd"])
def test_a_bomb_takes_no_memory_and_no_time(coding: str) -> None:
    bomb = _bomb(coding)
    assert len(bomb) < 4_000_000
    site = {"/": page(bomb, f"Content-Encoding: {coding}")}

    async def use(there: LiveWeb, server: Server) -> tuple[Outcome, float]:
        began = time.process_time()
        with peak_of() as peak:
            response = await there.fetch(there.urls.intern(A))
        assert peak() < 100 << 20
        return response.outcome, time.process_time() - began

    read, seconds = on_the_web(site, use)
    assert read in (Outcome.OK, Outcome.NOT_HTML)
    assert seconds < 5


def test_a_long_page_is_cut_not_refused() -> None:
    endless = in_parts(HEAD + b"\r\n" + HTML, b"<p>spiders" * 1000, pause=0.02, forever=True)
    site: dict[str, Answer] = {"/long": page(HTML + b" " * 100_000), "/endless": endless, "/": page(HTML)}
    responses, _, _ = fetched(site, A + "long", A + "endless", A, max_bytes=50_000)
    assert [each.outcome for each in responses] == [Outcome.OK] * 3
    assert [each.size for each in responses] == [50_000, 50_000, len(HTML)]
    assert responses[1].seconds < 5, "it did not wait for the end of its time"


SLOW: dict[str, Answer] = {
    "a body in drops": in_parts(HEAD + b"\r\n<p>", b"a", pause=0.05, forever=True),
    "a head in drops": in_parts(HEAD + b"X-Y: ", b"a", pause=0.05, forever=True),
    "never the final answer": in_parts(b"HTTP/1.1 103 Early\r\n\r\n", pause=0.05, forever=True),
    "no answer": silence,
}


@pytest.mark.parametrize("slow", SLOW)
def test_the_deadline_is_for_the_whole_answer(slow: str) -> None:
    began = time.monotonic()
    assert outcome(SLOW[slow], timeout=0.4) == ("timeout", 0, 2)
    assert time.monotonic() - began >= 0.8


BROKEN: dict[str, Answer] = {
    "reset before a word": then_reset(b""),
    "reset after the head": then_reset(HEAD + b"Content-Length: 99\r\n\r\n"),
    "reset in the body": then_reset(HEAD + b"Content-Length: 99\r\n\r\n<p>half"),
    "reset in a chunk": then_reset(HEAD + b"Transfer-Encoding: chunked\r\n\r\n9\r\n<p>half"),
    "closed before a word": in_parts(close=True),
    "closed in the head": in_parts(HEAD, close=True),
    "a body shorter than it says": in_parts(HEAD + b"Content-Length: 99\r\n\r\n<p>", close=True),
    "a length below zero": in_parts(HEAD + b"Content-Length: -1\r\n\r\n<p>", close=True),
    "two lengths": in_parts(HEAD + b"Content-Length: 3\r\nContent-Length: 4\r\n\r\n<p>a", close=True),
    "a chunk without a size": in_parts(HEAD + b"Transfer-Encoding: chunked\r\n\r\nnine\r\n<p>", close=True),
    "garbage": in_parts(bytes(range(256)) * 4, close=True),
    "another protocol": in_parts(b"220 mail.example ESMTP\r\n", close=True),
    "a line of 100,000 letters": in_parts(HEAD + b"X: " + b"a" * 100_000 + b"\r\n\r\n", close=True),
    "100,000 lines": in_parts(HEAD + b"X-Y: z\r\n" * 100_000 + b"\r\n<p>", close=True),
}


@pytest.mark.parametrize("broken", BROKEN)
def test_a_broken_answer_is_asked_for_once_more(broken: str) -> None:
    assert outcome(BROKEN[broken]) == ("broken answer", 0, 2)


def test_a_connection_reset_at_once_is_a_broken_answer_too() -> None:
    async def use(there: LiveWeb, server: Server) -> tuple[Outcome, int]:
        await there.fetch(there.urls.intern(A))
        server.refuse = True
        response = await there.fetch(there.urls.intern(A + "b"))
        return response.outcome, server.accepted

    gone = in_parts(page(b"gone", "Connection: close", status=404), close=True)
    assert on_the_web({"/robots.txt": page(b"", kind="text/plain"), "/": gone}, use) == (Outcome.BROKEN, 3)


def test_what_comes_after_the_length_is_no_answer_to_the_next_request() -> None:
    first = HEAD + b"Content-Length: 10\r\n\r\n<p>spiders"
    (response, other), _, _ = fetched({"/": in_parts(first + page(b"<title>Evil")), "/b": page(HTML)}, A, A + "b")
    assert response.page is not None
    assert (response.size, response.page.text) == (10, "spiders")
    assert other.page is not None
    assert other.page.title == "Café"


@pytest.mark.parametrize("status", [101, 204, 300, 304, 400, 403, 404, 410, 500, 501, 999])
def test_what_is_no_good_answer_is_dead(status: int) -> None:
    assert outcome(page(b"" if status in (101, 204, 304) else HTML, status=status)) == ("dead", status, 1)


def test_only_html_makes_a_page() -> None:
    picture = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR"
    site = {
        "/png": page(picture, kind="image/png"),
        "/zip": page(b"PK\3\4", kind="application/zip"),
        "/json": page(HTML, kind="application/json"),
        "/unnamed": page(picture, kind=""),
        "/xhtml": page(HTML, kind="Application/XHTML+XML ; charset=utf-8"),
        "/guessed": page(HTML, kind=""),
    }
    responses, _, _ = fetched(site, *(A + path[1:] for path in site))
    assert [each.outcome.value for each in responses] == ["not html"] * 4 + ["ok"] * 2
    assert [each.page is None for each in responses] == [True] * 4 + [False] * 2


def test_redirects_are_followed_as_far_as_they_may_be() -> None:
    chain = {f"/c{n}": moved(f"c{n + 1}", 300 + n % 2 * 7 + 1) for n in range(11)}
    away = (
        "ftp://a.example/",
        "javascript:alert(1)",
        "file:///etc/passwd",
        "http://",
        "data:text/html,hi",
        "",
    )
    site = {
        **chain,
        "/c11": page(HTML),
        "/relative": moved("sub/../c11#top"),
        "/absolute": moved("//me:pw@b.example/c11"),
        "/loop": moved("/pool"),
        "/pool": moved("/loop"),
        "/barred": moved("http://c.example/private"),
        "c.example/robots.txt": robots("Disallow: /private"),
        **{f"/away{n}": moved(to) for n, to in enumerate(away)},
    }
    names = ["c1", "c0", "loop", "relative", "absolute", "barred", *(f"away{n}" for n in range(len(away)))]
    responses, there, server = fetched(site, *(A + name for name in names))
    ends = {n: (r.outcome.value, there.urls[r.final], r.status) for n, r in zip(names, responses, strict=True)}
    assert ends["c1"] == ends["relative"] == ("ok", A + "c11", 200)
    assert ends["absolute"] == ("ok", B + "c11", 200)
    assert (ends["c0"][0], ends["loop"][0]) == ("redirect loop", "redirect loop")
    assert server.pages.count("a.example/loop") == 6
    assert ends["barred"] == ("robots", "http://c.example/private", 0)
    assert "c.example/private" not in server.pages
    assert [ends[f"away{n}"] for n in range(len(away))] == [("dead", f"{A}away{n}", 302) for n in range(len(away))]
    assert all("authorization" not in asked.fields for asked in server.requests)


def test_requests_say_who_we_are_and_nothing_else(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    netrc = tmp_path / "netrc"
    netrc.write_text("machine a.example login me password pw")
    monkeypatch.setenv("NETRC", str(netrc))
    monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:9")
    cookie = page(b"", "Set-Cookie: a=b; Path=/", status=404)
    site = {"/": cookie, "/robots.txt": cookie, "/b": cookie}
    _, _, server = fetched(site, A, A + "b", user_agent="Weaver/7 (+mailto:me@a.example)")
    assert len(server.requests) == 3
    for asked in server.requests:
        assert asked.fields["user-agent"] == "Weaver/7 (+mailto:me@a.example)"
        names = {"host", "accept", "accept-encoding", "accept-language", "user-agent", "connection"}
        assert asked.fields.keys() <= names
