"""Feeds: what is read out of one, which are asked for, and what a crawl makes of their links."""

import asyncio
import json
import time
from datetime import UTC, datetime
from email.utils import format_datetime
from pathlib import Path
from xml.sax.saxutils import escape

import pytest
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
    robots,
    serving,
    settings,
)
from tests.support.running import salticid

from salticid.drivers.glimpses import FEEDS_A_HOST
from salticid.judges.cosine import Cosine
from salticid.model import Page
from salticid.parse.feeds import MAX_ENTRIES, feed_document
from salticid.parse.html import Parser
from salticid.runs.brief import KnownPages
from salticid.runs.live import live_driver
from salticid.runs.order import Recipe
from salticid.runs.recorded import MemoryLog
from salticid.strategies.best_first import BestFirst
from salticid.tables.texts import Texts, Urls
from salticid.topic import Limits, Scope, Topic
from salticid.webs.live.web import LiveWeb

B = "http://b.example/"
FEED = A + "feed.xml"
ANYWHERE = Scope()
RSS = '<link rel=alternate type="application/rss+xml" href="/feed.xml">'


def day(number: int) -> str:
    return format_datetime(datetime(2026, 1, number, tzinfo=UTC))


def rss(*entries: tuple[str, str, int], title: str = "News of the house") -> bytes:
    items = "".join(
        f"<item><title>{escape(name)}</title><link>{escape(url)}</link><pubDate>{day(at)}</pubDate></item>"
        for url, name, at in entries
    )
    return f'<?xml version="1.0"?><rss version="2.0"><channel><title>{title}</title>{items}</channel></rss>'.encode()


def read(feed: bytes, url: str = FEED) -> list[tuple[str, str]]:
    """The links of a feed and their titles, as they reach a strategy."""
    urls, words = Urls(), Texts()
    found = Parser(urls, words).parse(feed_document(feed), url, "utf-8")
    return [(urls[to], " ".join(words.spell(found.anchor(at).tolist()))) for at, to in enumerate(found.links.url)]


ATOM = """<?xml version="1.0" encoding="utf-8"?><feed xmlns="http://www.w3.org/2005/Atom"><title>Spiders</title>
<link rel="self" href="/feed.xml"/><link href="/"/>
<entry><title type="html">Eyes &lt;b&gt;of&lt;/b&gt; &amp;amp; for</title><link rel="replies" href="/talk"/>
  <link rel="alternate" href="/eyes"/><updated>2026-01-01T10:00:00Z</updated><media:title>no</media:title></entry>
<entry><title type="xhtml"><div xmlns="x">Silk <b>threads</b></div></title><link href="/silk"/>
  <published>2026-01-02T10:00:00+01:00</published></entry></feed>"""
RDF = """<rdf:RDF xmlns="http://purl.org/rss/1.0/"><channel rdf:about="/"><title>Old</title><link>/</link></channel>
<item rdf:about="/a"><title>A</title><link>/a</link><dc:date>2026-01-01</dc:date></item>
<item><title>B</title><link>/b</link><dc:date>2026-01-02</dc:date></item></rdf:RDF>"""


@pytest.mark.parametrize(
    ("feed", "links"),
    [
        (rss((A + "x?a=1&b=2", "Eyes & legs", 1)), [("x?a=1&b=2", "eyes legs")]),
        (rss(("old", "O", 1), ("new", "N", 3), ("mid", "M", 2)), [("new", "n"), ("mid", "m"), ("old", "o")]),
        (ATOM.encode(), [("silk", "silk threads"), ("eyes", "eyes of for")]),
        (ATOM.encode("utf-16"), [("silk", "silk threads"), ("eyes", "eyes of for")]),
        (RDF.encode(), [("b", "b"), ("a", "a")]),
        (b"<a:feed xmlns:a='x'><a:entry><a:link href='/x'/><a:title>X</a:title></a:entry></a:feed>", [("x", "x")]),
        (b"<feed xml:base='/deep/'><entry><link href='x'/></entry></feed>", [("deep/x", "")]),
        (b"<rss><item><guid>http://a.example/x</guid></item></rss>", [("x", "")]),
        (b"<rss><item><guid isPermaLink='false'>http://a.example/x</guid></item></rss>", []),
        (b"<rss><item><title>caf&eacute;&nbsp;au lait</title><link>/x</link></item></rss>", [("x", "café au lait")]),
        (b"<?xml version='1.0' encoding='windows-1251'?><rss><item><title>\xef\xe0\xf3\xea</title><link>/x</link>"
         b"</item>", [("x", "паук")]),
        (b"<rss><item><title><![CDATA[<i>Eyes</i> & legs]]></title><link><![CDATA[/x?a=1&b=2]]></link></item></rss>",
         [("x?a=1&b=2", "eyes legs")]),
        (b"<rss><item><link>/x</link></item><item><link>/y</link></item><item><link>/half", [("x", ""), ("y", "")]),
        (b"<rss><item><link>/x</link></item> & <item><link>/y</link></item></rss>", [("x", "")]),
        (b"\x00\x01<rss><item><link>/x</link>\x0b</item></rss>", [("x", "")]),
        (b"<rss><item><link>javascript:alert(1)</link></item><item><link>ftp://x/</link></item></rss>", []),
        (b"<!doctype html><title>Not found</title><p>No such page", []),
        (b"", []),
    ],
)  # fmt: skip
def test_a_feed_is_read(feed: bytes, links: list[tuple[str, str]]) -> None:
    assert read(feed) == [(A + path, title) for path, title in links]


def test_what_a_feed_says_of_an_entry_stands_behind_its_link() -> None:
    summary = "<p>Four <a href=/y>look</a>"
    item = f"<item><link>/x</link><title>Eyes</title><description>{escape(summary)}</description></item>"
    feed = f"<rss><channel><title>House</title>{item}</channel></rss>".encode()
    urls = Urls()
    found = Parser(urls, Texts()).parse(feed_document(feed), FEED, "utf-8")
    assert (found.title, found.text) == ("House", "Eyes Four look")
    assert urls.spell(found.links.url.tolist()) == [A + "x"]


@pytest.mark.parametrize(
    "declared",
    [
        '<!ENTITY a "http://a.example/x">',
        '<!ENTITY a SYSTEM "file:///etc/passwd">',
        '<!ENTITY % a SYSTEM "http://a.example/evil.dtd"> %a;',
        '<!ENTITY b "x"><!ENTITY a "&b;&b;&b;&b;&b;&b;&b;&b;">',
    ],
)
def test_nothing_is_made_of_entities(declared: str) -> None:
    feed = f"<!DOCTYPE rss [{declared}]><rss><item><link>/x</link><title>&a;</title></item></rss>"
    assert read(feed.encode()) == []
    outside = '<!DOCTYPE rss SYSTEM "http://a.example/x.dtd"><rss><item><link>/x</link><title>&a;y</title></item></rss>'
    assert read(outside.encode()) == [(A + "x", "a y")]


@pytest.mark.parametrize(
    "feed",
    [
        b"<rss>" + b"<item><link>/x</link></item>" * 100_000,
        b"<rss>" + b"<a>" * 1_000_000,
        b"<rss><item>" + b"<link>" * 500_000,
        b"<rss><item><title>" + b"x" * (3 << 20) + b"</title><link>/x</link></item></rss>",
        b"<rss " + b" ".join(b"a%d=''" % n for n in range(200_000)) + b"><item><link>/x</link></item></rss>",
        b"<rss><item><link>/x</link><title>" + b"&lt;" * 500_000 + b"</title></item></rss>",
    ],
    ids=["long", "deep", "deep within", "one title", "attributes", "brackets"],
)
def test_of_a_huge_feed_no_more_is_taken_than_allowed(feed: bytes) -> None:
    began = time.process_time()
    document = feed_document(feed)
    assert time.process_time() - began < 3
    assert len(document) < 10_000 + 100 * MAX_ENTRIES
    assert document.count(b"<p>") <= MAX_ENTRIES


@given(
    st.binary(max_size=200)
    | st.lists(st.sampled_from(["<item>", "</item>", "<link>", "</link>", "<![CDATA[", "]]>", "&#", "&x;", "/x", "<!"]))
)
def test_anything_can_be_read(body: bytes | list[str]) -> None:
    data = body if isinstance(body, bytes) else "".join(body).encode()
    for feed in (data, b"<rss>" + data, b"<?xml version='1.0' encoding='x'?>" + data):
        assert feed_document(feed).startswith(b"<title>")


def fetched(behaviour: Behaviour, url: str = FEED) -> tuple[list[str] | None, Server]:
    """The pages that a feed names, and what the server saw."""

    async def use(there: LiveWeb, server: Server) -> tuple[list[str] | None, Server]:
        found: Page | None = await there.feed(url)
        return None if found is None else there.urls.spell(found.links.url.tolist()), server

    return on_the_web(behaviour, use)


def test_a_feed_is_asked_for_like_everything() -> None:
    feed = page(rss((A + "x", "X", 1), (B + "y", "Y", 2)), kind="application/rss+xml")
    assert fetched({"/feed.xml": feed})[0] == [B + "y", A + "x"]
    assert fetched({"/feed.xml": moved("/rss"), "/rss": feed})[0] == [B + "y", A + "x"]
    barred, server = fetched({"/robots.txt": robots("Disallow: /feed.xml"), "/feed.xml": feed})
    assert (barred, server.pages) == (None, [])
    assert fetched({})[0] is None
    assert fetched({"/feed.xml": page(b"<p>no feed")})[0] is None
    assert fetched({"/feed.xml": moved("http://169.254.169.254/feed.xml")})[0] is None


@pytest.fixture
def _quick(monkeypatch: pytest.MonkeyPatch) -> None:
    hurry(monkeypatch)


SITE: dict[str, Answer] = {
    "a.example/": page(f"{RSS}<p>jumping spiders <a href=/second>next</a>".encode()),
    "a.example/second": page(f"{RSS}<p>jumping spiders".encode()),
    "a.example/feed.xml": page(
        rss((A + "old", "jumping spiders", 1), (A + "new", "jumping spiders", 9), (B + "away", "cars", 2))
    ),
    "a.example/new": page(b"<p>jumping spiders in the news"),
    "a.example/old": page(b"<p>jumping spiders of old"),
    "b.example/away": page(b"<p>motor cars"),
    "c.example/": page(b"<link rel=alternate type=application/atom+xml href=/feed.xml><p>motor cars and gearboxes"),
    "c.example/feed.xml": page(rss(("http://c.example/hidden", "jumping spiders", 1))),
}


def crawled(feeds: bool, scope: Scope = ANYWHERE, site: Behaviour = SITE) -> tuple[list[str], MemoryLog]:
    async def use(there: LiveWeb, server: Server) -> tuple[list[str], MemoryLog]:
        log = MemoryLog()
        recipe = Recipe(BestFirst(), Cosine(), Limits(max_pages=20), "one", 0)
        local = settings(server, feeds=feeds, concurrency=1)
        topic = Topic("spiders", "jumping spiders", ("http://c.example/", A), scope=scope)
        await live_driver(topic, KnownPages(), there, recipe, local, log).run()
        return server.pages, log

    return on_the_web(site, use)


@pytest.mark.usefixtures("_quick")
def test_a_crawl_reads_the_feeds_that_liked_pages_name_once() -> None:
    asked, log = crawled(feeds=True)
    assert asked.count("a.example/feed.xml") == 1
    assert set(asked) == {name for name in SITE if name not in ("c.example/feed.xml",)}
    assert asked.index("a.example/new") < asked.index("a.example/old"), "newest first"
    assert len(log.visits) == len(asked) - 1
    assert {visit.outcome for visit in log.visits} == {"ok"}


@pytest.mark.usefixtures("_quick")
def test_without_being_told_so_it_reads_none() -> None:
    assert crawled(feeds=False)[0] == ["c.example/", "a.example/", "a.example/second"]


@pytest.mark.usefixtures("_quick")
def test_feeds_keep_to_the_scope() -> None:
    asked, _ = crawled(feeds=True, scope=Scope(include=("a.example/", "c.example/"), exclude=("*/old",)))
    assert {"a.example/new", "a.example/feed.xml"} <= set(asked)
    assert not {"a.example/old", "b.example/away"} & set(asked)
    asked, _ = crawled(feeds=True, scope=Scope(exclude=("*/feed.xml",)))
    assert "a.example/feed.xml" not in asked


@pytest.mark.usefixtures("_quick")
def test_of_a_host_that_names_a_feed_on_every_page_few_are_read() -> None:
    site: dict[str, Answer] = {
        "c.example/": page(b"<p>motor cars"),
        **{
            f"a.example/{n or ''}": page(
                f"<link rel=alternate type=application/rss+xml href=/feed{n}><p>jumping spiders "
                f"<a href=/{n + 1}>jumping</a>".encode()
            )
            for n in range(12)
        },
    }
    asked, _ = crawled(feeds=True, site=site)
    assert len([path for path in asked if "feed" in path]) == FEEDS_A_HOST


def program_crawl(server: Server, folder: Path, pages: int) -> None:
    options = ["--seed-url", A, "--strategy", "best_first", "--concurrency", "1", "--delay", "0", "--feeds"]
    local = [
        "--allow-net",
        "127.0.0.0/8",
        "--resolve",
        f"*=127.0.0.1:{server.port}",
        "--max-pages",
        str(pages),
    ]
    done = salticid("crawl", "--query", "jumping spiders", *options, *local, "--out", str(folder), "--json")
    assert done.status == 0, done.err


def test_a_crawl_with_feeds_goes_on_as_if_it_had_never_ended(tmp_path: Path) -> None:
    """The real program: what a feed showed is in the log, and shown again at the same point."""

    async def use() -> None:
        async with serving(SITE) as server:
            await asyncio.to_thread(program_crawl, server, tmp_path / "whole", 20)
            for pages in (2, 20):
                await asyncio.to_thread(program_crawl, server, tmp_path / "parts", pages)

    asyncio.run(use())
    whole, parts = (
        [json.loads(line) for line in salticid("visits", str(tmp_path / name), "--json").out.splitlines()]
        for name in ("whole", "parts")
    )
    told = [[(visit["url"], visit["outcome"], visit["source"]) for visit in each] for each in (whole, parts)]
    assert told[0] == told[1]
    assert (A + "new", "ok", FEED) in told[0], "the feed is where the link is from"
    exported = salticid("export", str(tmp_path / "parts"), "--to", "jsonl", "--out", str(tmp_path / "all.jsonl"))
    assert exported.status == 0, exported.err
    assert A + "new" in (tmp_path / "all.jsonl").read_text()
