"""Whatever the web says: URLs, pages, codings, charsets, heads, rules and maps are read or left, never a crash."""

from __future__ import annotations

import gzip
import os
import time
import zlib

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from salticid.drivers.traps import goes_round, section, shape, without_session
from salticid.model import NO_URL
from salticid.parse.answer import content, decode_body, timestamp
from salticid.parse.decoding import decode, undo
from salticid.parse.html import Parser, directives_for
from salticid.parse.precheck import prescan
from salticid.tables.texts import Texts, Urls
from salticid.urls import LONGEST, canonical, host, resolve, site
from salticid.webs.live.failures import retry_after
from salticid.webs.live.robots import RobotsFile, meaning
from salticid.webs.live.sitemaps import read_sitemap

EXAMPLES = int(os.environ.get("SALTICID_FUZZ", "60"))
"""Of each property; set it to thousands for a longer look."""
MOST_SECONDS = 2.0
fuzzed = settings(
    max_examples=EXAMPLES,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)

_HTML = """
    < > / ' " = & ; # ! - -- <!-- --> <![CDATA[ ]]> <!DOCTYPE a b é 蜘蛛 \ufffd href= src= id= rel= content= name=robots
    <a </a> <a\nhref='x'> <base <meta <link <title> </title> <h1> </h1> <p> <table> <td> </table> <b <svg> <math>
    <template> </template> <script> </script> <style> <textarea> <iframe <frameset> <frame <select> <option> <plaintext>
    <noscript> <form> &#1; &#x2; &amp; http:// //x.example/ ?q= #x ../ javascript: data:, mailto: nofollow noindex
    charset= http-equiv=refresh content='0;url= rel=canonical
"""
_URLS = """
    http https : / // ? # @ % %2f %00 %zz . .. ; & = a é 蜘 \u202e [ ] ::1 127.0.0.1 0x7f 2130706433 example.org
    :80 :99999 xn-- jsessionid= utm_x= sid= (S(a)) calendar 2024 en/ ~ ' " < >
"""
HTML_PARTS = [*_HTML.split(), " ", "\0", "\x01", "\x02", "\n"]
URL_PARTS = [*_URLS.split(), "\t", "\n", "\\", "\ud800"]
html_text = st.lists(st.sampled_from(HTML_PARTS) | st.text(max_size=5), max_size=60).map("".join)
url_text = st.lists(st.sampled_from(URL_PARTS) | st.text(max_size=5), max_size=25).map("".join)
some_bytes = st.binary(max_size=400)


@fuzzed
@given(url_text, url_text | st.none())
def test_urls(text: str, base: str | None) -> None:
    resolve(text, base)
    url = canonical(text, base)
    if url is not None:
        assert canonical(url) == url
        assert len(url) <= LONGEST
        assert host(url)
        assert site(url)
        assert shape(url).startswith(host(url))
        assert section(url).startswith(host(url))
        assert goes_round(url) in (True, False)
        assert without_session(url) != url


@fuzzed
@given(
    html_text,
    st.sampled_from(["utf-8", "utf-16", "latin-1", "cp1252", "utf-32"]),
    st.text(max_size=20) | st.none(),
)
def test_pages(text: str, written: str, said: str | None) -> None:
    html = text.encode(written, "replace")
    began = time.process_time()
    urls, words = Urls(), Texts()
    page = Parser(urls, words).parse(html, "http://a.example/", said)
    assert time.process_time() - began < MOST_SECONDS
    assert len(page.links.start) == len(page.links.url) == len(page.links.nofollow)
    assert all(0 <= a <= b <= len(page.tokens) for a, b in zip(page.links.start, page.links.end, strict=True))
    assert all(canonical(urls[url]) == urls[url] for url in page.links.url.tolist())
    assert page.canonical == NO_URL or urls[page.canonical]
    assert "\x01" not in page.text
    assert prescan(html) is None


@fuzzed
@given(st.lists(st.sampled_from(HTML_PARTS), min_size=1, max_size=8).map("".join), st.integers(1, 1 << 17))
def test_pages_that_say_one_thing_again_and_again(text: str, most: int) -> None:
    html = (text * (most // len(text) + 1)).encode("utf-8", "replace")[:most]
    began = time.process_time()
    if prescan(html) is None:
        Parser(Urls(), Texts()).parse(html, "http://a.example/", None)
    assert time.process_time() - began < MOST_SECONDS


@fuzzed
@given(
    some_bytes,
    st.text(max_size=30) | st.sampled_from(["utf-7", "hex", "utf-16", "gb18030", "iso-2022-jp", "x-user-defined"]),
)
def test_charsets(data: bytes, label: str) -> None:
    assert isinstance(decode(data, label), str)
    assert isinstance(decode(b"<meta charset=" + label.encode("utf-8", "replace") + b">" + data), str)


_CODINGS = st.sampled_from(["gzip", "x-gzip", "deflate", "br", "zstd", "chunked", "identity", "snappy", ""])


@fuzzed
@given(some_bytes, st.lists(_CODINGS, max_size=6), st.integers(0, 5000), st.integers(0, 100))
def test_codings(data: bytes, codings: list[str], limit: int, cut: int) -> None:
    for packed in (data, gzip.compress(data)[:cut], zlib.compress(data * 50)[: cut + 20]):
        plain = undo(packed, codings, limit)
        assert plain is None or len(plain) <= max(limit, len(packed) * (not codings))


_FIELDS = st.dictionaries(
    st.sampled_from(
        [
            "content-type",
            "content-encoding",
            "last-modified",
            "x-robots-tag",
            "retry-after",
            "transfer-encoding",
        ]
    ),
    st.text(max_size=40)
    | st.sampled_from(["text/html", "gzip, br", "0", "-1", "9" * 400, "Sun, 06 Nov 1994 08:49:37 GMT"]),
)


@fuzzed
@given(_FIELDS, some_bytes)
def test_heads(fields: dict[str, str], body: bytes) -> None:
    found = content(fields, body, 1000)
    assert found.html is None or len(found.html) <= 1000
    assert len(decode_body(fields, body, 1000)) <= 1000
    assert directives_for("Salticid", fields.get("x-robots-tag", "")) <= {"noindex", "nofollow"}
    wait = retry_after(fields, 1e9)
    assert wait is None or wait >= 0
    timestamp(fields.get("last-modified"))


_RULES = "User-agent: Disallow: Allow: Crawl-delay: Sitemap: * / $ % a # 1e9"
_ROBOTS = st.lists(st.sampled_from([*_RULES.split(), "\n", "\r", "\0", " "]) | st.text(max_size=4), max_size=60).map(
    "".join
)


@fuzzed
@given(_ROBOTS, st.sampled_from(["utf-8", "utf-16"]), st.integers(100, 599), url_text)
def test_rules(text: str, written: str, status: int, path: str) -> None:
    data = text.encode(written, "replace")
    url = canonical(f"http://a.example/{path}") or "http://a.example/"
    began = time.process_time()
    for rules in (RobotsFile.parse(data), meaning(status, data)):
        assert rules.allows(url, "Salticid") in (True, False)
        delay = rules.crawl_delay("Salticid")
        assert delay is None or 0 <= delay <= 3600
        assert all(canonical(each) for each in rules.sitemaps if len(each) < LONGEST)
    assert time.process_time() - began < MOST_SECONDS


_XML = "<urlset> <sitemapindex> <url> <loc> </loc> <x:loc> <![CDATA[ ]]> &amp; &a; http://a.example/ <"
_MAP = st.lists(st.sampled_from([*_XML.split(), "\n"]) | st.text(max_size=4), max_size=60).map("".join)


@fuzzed
@given(_MAP, st.booleans())
def test_maps(text: str, packed: bool) -> None:
    data = text.encode("utf-8", "replace")
    urls, _ = read_sitemap(gzip.compress(data) if packed else data)
    assert all(canonical(url) == url for url in urls)


@pytest.mark.parametrize("unit", [b"<loc>", b"<loc>http://a.example/</loc>", b"<loc><![CDATA[", b"<", b"<a:loc> "])
def test_a_long_map_is_read_in_no_time(unit: bytes) -> None:
    began = time.process_time()
    urls, _ = read_sitemap(b"<urlset>" + unit * (4_000_000 // len(unit)))
    assert len(urls) <= 50_000
    assert time.process_time() - began < 2 * MOST_SECONDS


def test_no_entry_of_a_map_is_lost_where_its_windows_meet() -> None:
    names = [f"http://a.example/{n:06}/{'x' * (n % 300)}" for n in range(3000)]
    body = "<urlset>" + "".join(f"<url><loc>{name}</loc></url>" for name in names)
    assert read_sitemap(body.encode())[0] == names
