"""Sitemaps: what is read out of a file, which files are asked for, and when a crawl is offered their links."""

import gzip
import time
from xml.sax.saxutils import escape

import brotli  # type: ignore[import-untyped]
import pytest
import zstandard
from hypothesis import given
from hypothesis import strategies as st
from tests.support.hostile import (
    A,
    Answer,
    Behaviour,
    Server,
    hurry,
    moved,
    on_the_web,
    page,
    peak_of,
    robots,
    settings,
)

from salticid.judges.cosine import Cosine
from salticid.model import FROM_OFFER
from salticid.runs.brief import KnownPages
from salticid.runs.live import live_driver
from salticid.runs.order import Recipe
from salticid.runs.recorded import MemoryLog
from salticid.strategies.breadth_first import BreadthFirst
from salticid.topic import Limits, Scope, Topic
from salticid.urls import canonical
from salticid.webs.live.sitemaps import MAX_FILES, MAX_LINKS, read_sitemap
from salticid.webs.live.web import LiveWeb

B = "http://b.example/"
XML = '<?xml version="1.0" encoding="UTF-8"?>\n'


@pytest.fixture(autouse=True)
def _quick(monkeypatch: pytest.MonkeyPatch) -> None:
    hurry(monkeypatch)


def urlset(*urls: str) -> bytes:
    return f"{XML}<urlset>{''.join(f'<url><loc>{escape(url)}</loc></url>' for url in urls)}</urlset>".encode()


def index(*urls: str) -> bytes:
    named = "".join(f"<sitemap><loc>{escape(url)}</loc></sitemap>" for url in urls)
    return f'{XML}<sitemapindex xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">{named}</sitemapindex>'.encode()


IMAGES = b"""<urlset xmlns:image="http://www.google.com/schemas/sitemap-image/1.1"><url><loc>http://a.example/x</loc>
<image:image><image:loc>http://a.example/x.jpg</image:loc></image:image></url></urlset>"""


@pytest.mark.parametrize(
    ("body", "paths"),
    [
        (urlset(A + "x", A + "y?a=1&b=2"), ["x", "y?a=1&b=2"]),
        (b"\xef\xbb\xbf" + urlset(A + "x"), ["x"]),
        (gzip.compress(urlset(A + "x"), mtime=0), ["x"]),
        (gzip.compress(urlset(A + "x"), mtime=0)[:-6], ["x"]),
        (b"<s:urlset xmlns:s='y'><s:url><s:loc>\n http://a.example/x \n</s:loc></s:url></s:urlset>", ["x"]),
        (b"<URLSET><URL><LOC>http://a.example/x</LOC></URL></URLSET>", ["x"]),
        (b"<urlset><url><loc ><![CDATA[http://a.example/x?a=1&b=2]]></loc></url></urlset>", ["x?a=1&b=2"]),
        (
            b"<urlset><url><loc><![CDATA[ http://a.example/?a=1&copy=2 ]]></loc></url></urlset>",
            ["?a=1&copy=2"],
        ),
        (b"<urlset><url><loc>http://a.example/x?f[a]=1&#38;b=2</loc></url></urlset>", ["x?b=2&f[a]=1"]),
        (b"<urlset><url><loc>http://a.example/caf\xc3\xa9</loc></url></urlset>", ["caf%C3%A9"]),
        (b"<urlset><url><loc>http://a.example/x</loc><url><loc>http://a.example/y</loc>", ["x", "y"]),
        (b"<urlset><url><loc>http://a.example/x</loc></url><url><loc>http://a.example/half-of-thi", ["x"]),
        (b"<urlset><loc>ftp://a.example/</loc><loc></loc><loc>/x</loc><loc>http://</loc></urlset>", []),
        (b"<urlset><loc>http://a.example/" + b"x" * 5000 + b"</loc></urlset>", []),
        (IMAGES, ["x"]),
        (b"<!doctype html><title>Not found</title><p>No such page", []),
        (b"\x1f\x8bnonsense", []),
        (b"", []),
    ],
)
def test_a_sitemap_is_read(body: bytes, paths: list[str]) -> None:
    assert read_sitemap(body) == ([A + path for path in paths], False)


@pytest.mark.parametrize("pack", [bytes, gzip.compress])
def test_an_index_is_known_as_one(pack: type[bytes]) -> None:
    assert read_sitemap(pack(index(A + "1.xml", B + "2.xml.gz"))) == ([A + "1.xml", B + "2.xml.gz"], True)
    prefixed = b"<s:sitemapindex xmlns:s='y'><s:sitemap><s:loc>http://a.example/1.xml</s:loc></s:sitemap>"
    assert read_sitemap(pack(prefixed)) == ([A + "1.xml"], True)
    assert not read_sitemap(pack(urlset(A + "sitemapindex")))[1]


def test_of_a_huge_sitemap_no_more_is_taken_than_allowed() -> None:
    assert len(read_sitemap(urlset(*(f"{A}{n}" for n in range(MAX_LINKS + 10))))[0]) == MAX_LINKS
    packed = gzip.compress(b"<urlset><url><loc>http://a.example/x</loc></url>" + b" " * (300 << 20), 1)
    began = time.process_time()
    with peak_of() as peak:
        assert read_sitemap(packed)[0] == [A + "x"]
        assert peak() < 200 << 20
    unclosed = read_sitemap(b"<urlset><loc>" + b"<loc> " * 500_000 + b"http://a.example/")[0]
    assert len(unclosed) <= 1
    assert time.process_time() - began < 5


@given(
    st.binary(max_size=200)
    | st.lists(st.sampled_from(["<loc>", "</loc>", "<![CDATA[", "]]>", "&#", "&#x110000;", "A"]))
)
def test_anything_can_be_read_and_gives_canonical_urls(body: bytes | list[str]) -> None:
    data = body if isinstance(body, bytes) else "http://a.example/".join(body).encode()
    for given_data in (data, b"<urlset><loc>" + data, b"\x1f\x8b" + data, gzip.compress(data)):
        urls, _ = read_sitemap(given_data)
        assert urls == [canonical(url) for url in urls]


@given(st.lists(st.text(st.characters(exclude_categories=("Cs", "Cc", "Z")), max_size=30).map(lambda path: A + path)))
def test_what_is_written_down_is_read_back(urls: list[str]) -> None:
    expected = [url for url in map(canonical, urls) if url is not None]
    assert read_sitemap(urlset(*urls)) == (expected, False)


def mapped(behaviour: Behaviour, url: str = A + "page") -> tuple[list[str], Server]:
    """What the sitemaps of a URL's host name, and what the server saw."""

    async def use(there: LiveWeb, server: Server) -> tuple[list[str], Server]:
        return there.urls.spell(await there.sitemap(there.urls.intern(url))), server

    return on_the_web(behaviour, use)


def test_a_host_has_its_sitemap_at_the_usual_place() -> None:
    site = {"/sitemap.xml": page(urlset(A + "x", B + "other", A + "y#top", A + "x", "https://a.example/s"))}
    found, server = mapped(site)
    assert found == [A + "x", A + "y", "https://a.example/s"]
    assert server.pages == ["a.example/sitemap.xml"]
    assert mapped({})[0] == []
    assert mapped({"/sitemap.xml": page(urlset(A + "x"), status=500)})[0] == []


def test_or_where_its_robots_file_says() -> None:
    named = robots("Disallow: /barred", *(f"Sitemap: {A}{n}.xml" for n in ("1", "2", "barred")), f"Sitemap: {B}3.xml")
    maps = {f"/{n}.xml": page(urlset(f"{A}page{n}", f"{B}page{n}")) for n in ("1", "2", "3", "barred")}
    found, server = mapped({"a.example/robots.txt": named, "/sitemap.xml": page(urlset(A + "no")), **maps})
    assert found == [f"{A}page{n}" for n in (1, 2, 3)]
    assert server.pages == ["a.example/1.xml", "a.example/2.xml", "b.example/3.xml"]


def test_a_name_and_a_password_in_a_robots_file_are_not_sent() -> None:
    named = robots("Sitemap: http://me:pw@a.example/1.xml")
    found, server = mapped({"/robots.txt": named, "/1.xml": page(urlset(A + "x"))})
    assert found == [A + "x"]
    assert all("authorization" not in asked.fields for asked in server.requests)
    assert server.robots == {"a.example": 1}


@pytest.mark.parametrize(
    ("coding", "pack"), [("gzip", gzip.compress), ("br", brotli.compress), ("zstd", zstandard.compress)]
)
def test_a_sitemap_is_read_in_its_coding(coding: str, pack: type[bytes]) -> None:
    body = urlset(A + "x")
    assert mapped({"/sitemap.xml": page(pack(body), f"Content-Encoding: {coding}")})[0] == [A + "x"]
    zipped = page(pack(gzip.compress(body)), f"Content-Encoding: {coding}", kind="application/gzip")
    assert mapped({"/robots.txt": robots(f"Sitemap: {A}s.xml.gz"), "/s.xml.gz": zipped})[0] == [A + "x"]


def test_a_sitemap_may_have_moved() -> None:
    site = {"/sitemap.xml": moved("/wp-sitemap.xml", 301), "/wp-sitemap.xml": page(urlset(A + "x"))}
    assert mapped(site)[0] == [A + "x"]


def test_indexes_of_indexes_come_to_an_end() -> None:
    deeper = {f"/{n}.xml": page(index(f"{A}{2 * n + 1}.xml", f"{A}{2 * n + 2}.xml")) for n in range(1000)}
    found, server = mapped({**deeper, "/sitemap.xml": page(index(A + "0.xml"))})
    assert (found, len(server.pages)) == ([], MAX_FILES)
    wide = page(index(*(f"{A}w{n}.xml" for n in range(100))))
    maps = {f"/w{n}.xml": page(urlset(f"{A}{n}")) for n in range(100)}
    found, server = mapped({"/sitemap.xml": wide, **maps})
    assert found == [f"{A}{n}" for n in range(MAX_FILES - 1)]
    assert len(server.pages) == MAX_FILES


def test_no_sitemap_is_asked_for_twice() -> None:
    itself = page(index(A + "sitemap.xml", A + "sitemap.xml", A + "1.xml"))
    found, server = mapped({"/sitemap.xml": itself, "/1.xml": page(urlset(A + "x"))})
    assert found == [A + "x"]
    assert server.pages == ["a.example/sitemap.xml", "a.example/1.xml"]


def test_nobody_is_said_to_wait_for_a_sitemap_that_was_read() -> None:
    async def use(there: LiveWeb, server: Server) -> dict[int, str]:
        await there.sitemap(there.urls.intern(A))
        return there.doing

    assert on_the_web({}, use) == {}


@pytest.mark.parametrize("sitemaps", [True, False])
def test_a_crawl_reads_the_sitemap_of_a_host_once_it_has_shown_a_good_page(sitemaps: bool) -> None:
    good, bad = page(b"<p>jumping spiders <a href=second>spiders</a>"), page(b"<p>motor cars and gearboxes")
    site: dict[str, Answer] = {
        "a.example/": good,
        "a.example/second": page(b"<p>jumping spiders"),
        "a.example/hidden": page(b"<p>jumping spiders hide"),
        "a.example/sitemap.xml": page(urlset(A, A + "hidden", B + "hidden")),
        "b.example/": bad,
        "b.example/sitemap.xml": page(urlset(B + "hidden")),
        "b.example/hidden": good,
    }

    async def use(there: LiveWeb, server: Server) -> tuple[list[str], list[tuple[str, int]]]:
        log = MemoryLog()
        recipe = Recipe(BreadthFirst(), Cosine(), Limits(max_pages=20), "one", 0)
        local = settings(server, sitemaps=sitemaps, concurrency=1)
        driver = live_driver(Topic("spiders", "jumping spiders", (B, A)), KnownPages(), there, recipe, local, log)
        await driver.run()
        return server.pages, [(there.urls[visit.url], visit.choice.link.source) for visit in log.visits]

    asked, visits = on_the_web(site, use)
    usual = ["b.example/", "a.example/", "a.example/second"]
    assert [url for url in asked if url in usual] == usual
    if sitemaps:
        assert sorted(set(asked) - set(usual)) == ["a.example/hidden", "a.example/sitemap.xml"]
        assert asked.index("a.example/sitemap.xml") > asked.index("a.example/")
        assert (A + "hidden", FROM_OFFER) in visits
    assert len(asked) == (5 if sitemaps else 3)
    assert len(visits) == (4 if sitemaps else 3)


@pytest.mark.parametrize(
    ("scope", "asked"),
    [
        (Scope(), {"map.xml", "b.example/map.xml", "wiki/deep", "wiki/named", "log/in", "b.example/map"}),
        (Scope(exclude=("*/log/*", "*/map")), {"map.xml", "b.example/map.xml", "wiki/deep", "wiki/named"}),
        (Scope(same_site=True), {"map.xml", "wiki/deep", "wiki/named", "log/in"}),
        (Scope(include=("a.example/wiki/",)), set()),
        (Scope(include=("a.example/wiki/", "a.example/map.xml")), {"map.xml", "wiki/named", "wiki/deep"}),
        (Scope(max_depth=0), {"map.xml", "b.example/map.xml", "b.example/map"}),
        (Scope(max_depth=1), {"map.xml", "b.example/map.xml", "wiki/named", "log/in", "b.example/map"}),
    ],
)  # fmt: skip
def test_sitemaps_keep_to_the_scope(scope: Scope, asked: set[str]) -> None:
    """What is named out of scope is neither asked for nor ever chosen; sitemaps out of scope are not asked for."""
    good = b"<p>jumping spiders"
    site: dict[str, Answer] = {
        "a.example/robots.txt": robots(f"Sitemap: {A}map.xml", f"Sitemap: {B}map.xml"),
        "a.example/wiki/": page(good),
        "a.example/wiki/named": page(good + b"<a href=/wiki/deep>spiders</a>"),
        "a.example/wiki/deep": page(good),
        "a.example/log/in": page(good),
        "a.example/map.xml": page(urlset(A + "wiki/named", A + "log/in", "http://c.example/")),
        "b.example/map.xml": moved(B + "map", 301),
        "b.example/map": page(urlset()),
    }

    async def use(there: LiveWeb, server: Server) -> tuple[list[str], set[str]]:
        log = MemoryLog()
        recipe = Recipe(BreadthFirst(), Cosine(), Limits(max_pages=20), "one", 0)
        topic = Topic("spiders", "jumping spiders", (A + "wiki/",), scope=scope)
        driver = live_driver(topic, KnownPages(), there, recipe, settings(server, sitemaps=True, concurrency=1), log)
        await driver.run()
        return server.pages, {visit.outcome for visit in log.visits}

    pages, outcomes = on_the_web(site, use)
    assert {path.removeprefix("a.example/") for path in pages} == asked | {"wiki/"}
    assert outcomes == {"ok"} or scope.max_depth == 1
