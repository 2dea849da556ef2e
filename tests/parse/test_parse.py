"""Parsing: what of a document becomes the page, and that no document whatever breaks one."""

import html
import re
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from salticid.model import NO_URL, Area, Page
from salticid.parse.decoding import decode
from salticid.parse.document import MAX_LINKS
from salticid.parse.html import MAX_TITLE, MAX_WORDS, Parser
from salticid.tables.texts import Texts, Urls

URL = "http://a.example/d/page?x=/y"


@dataclass
class Read:
    """A parsed page with its ids spelled out."""

    page: Page
    urls: Urls
    words: Texts

    @property
    def tokens(self) -> str:
        return " ".join(self.words.spell(self.page.tokens.tolist()))

    def area(self, area: Area) -> str:
        return " ".join(self.words.spell(self.page.words_in(area).tolist()))

    @property
    def links(self) -> list[tuple[str, str]]:
        """The path of each link, and its anchor."""
        every = range(len(self.page.links))
        to = [url.removeprefix("http://a.example/") for url in self.urls.spell(self.page.links.url.tolist())]
        return [(to[at], " ".join(self.words.spell(self.page.anchor(at).tolist()))) for at in every]

    def all(self) -> tuple[object, ...]:
        """Everything there is about a page, as plain data."""
        page, links = self.page, self.page.links
        columns = (page.tokens, page.area_start, page.area, links.url, links.start, links.end, links.nofollow)
        about = (page.title, page.text, page.canonical, page.refresh, page.noindex, page.nofollow)
        return (*(column.tolist() for column in columns), *about, self.tokens, self.links)


def read(document: bytes | str, charset: str | None = None, url: str = URL) -> Read:
    urls, words = Urls(), Texts()
    data = document.encode() if isinstance(document, str) else document
    return Read(Parser(urls, words).parse(data, url, charset), urls, words)


def check(made: Read) -> None:
    """What holds of every page."""
    page, links = made.page, made.page.links
    size = len(page.tokens)
    assert len(links.url) == len(links.start) == len(links.end) == len(links.nofollow)
    assert (links.start >= 0).all()
    assert (links.start <= links.end).all()
    assert (links.end <= size).all()
    assert (np.diff(links.start) >= 0).all()  # in reading order; a refresh stands at 0, before all others
    spans = list(zip(links.start.tolist(), links.end.tolist(), strict=True))
    assert all(b <= c or d <= b for (_, b), (c, d) in pairwise(spans)), "torn brackets"
    assert page.area_start[0] == 0
    assert (np.diff(page.area_start) > 0).all()
    assert len(page.area) == len(page.area_start)
    assert set(page.area.tolist()) <= set(Area)
    assert sum(len(page.words_in(area)) for area in Area) == size
    known = range(len(made.urls))
    assert all(url in known for url in links.url.tolist())
    assert {page.canonical, page.refresh} <= {NO_URL, *known}
    assert made.urls[page.url].startswith("http")
    assert all(word in range(len(made.words)) for word in page.tokens.tolist())
    assert not set("\x01\x02\x03\x04") & set(page.text + page.title)
    assert page.title == " ".join(page.title.split())[:MAX_TITLE]
    assert [column.dtype for column in (page.tokens, page.area_start, links.url, links.start, links.end)] == (
        [np.dtype(np.int32)] * 5
    )


def test_title_areas_and_stream() -> None:
    made = read(
        "<html><head><meta name=Description content='about webs'><title> Big\n Eyes </title>"
        "<meta name=keywords content='spider, fly'></head><body>First <h1>Main <i>heading</i></h1>"
        " and <h2>rest</h2><h1>again</h1></body></html>"
    )
    assert made.page.title == "Big Eyes"
    assert made.tokens == "about webs spider fly big eyes first main heading and rest again"
    assert made.area(Area.META) == "about webs spider fly"
    assert made.area(Area.HEADING) == "big eyes main heading again"
    assert made.area(Area.REST) == "first and rest"
    assert made.page.text == "First Main heading and rest again"
    assert len(read(f"<title>{'x ' * 1000}</title>").page.title) == MAX_TITLE


@pytest.mark.parametrize(
    ("document", "links"),
    [
        ("<a href=x>one <b>two</b></a> three", [("d/x", "one two")]),
        ("<a href=x></a><a href=y> </a>z", [("d/x", ""), ("d/y", "")]),
        ("<a href=x><img alt='big eyes'> here</a><img alt=off>", [("d/x", "big eyes here")]),
        ("<a href=x><img alt=''>a</a><a href=y><img alt>b</a>", [("d/x", "a"), ("d/y", "b")]),
        ("<a href=x>one<a href=y>two</a>three</a>", [("d/x", "one"), ("d/y", "two")]),
        ("<a href=x>o <object><a href=y>in</a></object> u</a>", [("d/x", "o in u"), ("d/y", "in")]),
        ("<a href=x>a b <iframe src=y></iframe> c</a> d", [("d/x", "a b c"), ("d/y", "")]),
        ("<a href=x><map><area href=y></map>a b</a> c", [("d/x", "a b"), ("d/y", "")]),
        ("<table><a href=x>one<tr><td><a href=y>two</a></tr>", [("d/x", "one"), ("d/y", "two")]),
        ("<a href=x><table><tr><td><a href=y>two</a> 3 three</table></a>", [("d/x", "two three"), ("d/y", "two")]),
        ("<p><a href=x>one<p>two</p>three", [("d/x", "one"), ("d/x", "two"), ("d/x", "three")]),
        ("<h1><a href=x>one</a></h1><a href=y><h1>two</h1></a>", [("d/x", "one"), ("d/y", "two")]),
        ("<a href=x#top>one</a><a href=#here>two</a><a href=' #there'>three</a>", [("d/x", "one")]),
        ("<a href=javascript:x()>a</a><a href=mailto:b@c>b</a><a href=tel:1>c</a><a name=d>d</a>", []),
        ("<a href=''>self</a><a href=?q>ask</a>", [("d/page?x=/y", "self"), ("d/page?q", "ask")]),
        ("<a href=http://b.example/>out</a><a href=../up>up</a>", [("http://b.example/", "out"), ("up", "up")]),
        ("<frameset><frame src=x><frame src=y></frameset>", [("d/x", ""), ("d/y", "")]),
        ("<iframe src=x>not <a href=y>read</a></iframe>", [("d/x", "")]),
        ("<map><area href=x alt=shape></map>", [("d/x", "")]),
        ("<a href=x>a<script>b</script><style>c</style><svg><text>d</text></svg></a>", [("d/x", "a")]),
        ("<noscript>no <a href=x>script</a></noscript>", [("d/x", "script")]),
        ("<base href=/z/><a href=x>one</a>", [("z/x", "one")]),
        ("<base href=sub/><a href=x>one</a>", [("d/sub/x", "one")]),
        ("<base href=http://a.example/q/r><a href=x>one</a>", [("q/x", "one")]),
        ("<base href=javascript:0><a href=x>one</a>", [("d/x", "one")]),
        ("<base href='http://['><a href=x>one</a>", [("d/x", "one")]),
        ("<base href><a href=x>one</a>", [("d/x", "one")]),
    ],
)  # fmt: skip
def test_links(document: str, links: list[tuple[str, str]]) -> None:
    made = read(document)
    assert made.links == links
    check(made)


def test_nofollow_robots_and_canonical() -> None:
    made = read("<a rel='NoFollow noopener' href=x>a</a><a rel=next href=y>b</a>")
    assert made.page.links.nofollow.tolist() == [True, False]
    assert (made.page.noindex, made.page.nofollow, made.page.canonical) == (False, False, NO_URL)
    for content, noindex, nofollow in (
        ("NOINDEX, follow", 1, 0),
        ("nofollow", 0, 1),
        ("none", 1, 1),
        ("all", 0, 0),
    ):
        page = read(f"<meta name=Robots content='{content}'>").page
        assert (page.noindex, page.nofollow) == (noindex, nofollow)
    made = read("<link rel=Canonical href=c><link rel=stylesheet href=s><base href=/z/>")
    assert made.urls[made.page.canonical] == "http://a.example/z/c"
    assert read("<link rel=canonical href=mailto:x>").page.canonical == NO_URL


@pytest.mark.parametrize(
    ("content", "target"),
    [
        ("0; url=x", "d/x"), ("5;URL='x'", "d/x"), ('3 , url = "x"', "d/x"), ("0;x", "d/x"), ("0.5;url=x", "d/x"),
        ("0; url=/?a=b", "?a=b"), ("0; url=javascript:x()", None), ("", None), (";", None),
        ("30", None), ("300", None), (" 5 ", None), ("5;", None), ("5; url=", None),  # reloads itself
    ],
)  # fmt: skip
def test_refresh(content: str, target: str | None) -> None:
    made = read(f"<title>t</title><meta http-equiv=Refresh content='{html.escape(content)}'><a href=y>y</a>")
    first = [] if target is None else [(target, "")]
    assert made.links == [*first, ("d/y", "y")]
    assert made.page.refresh == (NO_URL if target is None else made.page.links.url[0])
    check(made)


@pytest.mark.parametrize(
    "forged",
    [
        "\x01", "\x02", "\x03 \x04", "&#1;", "&#x01;", "&#X1 ", "&#1 ", "&#0004;", "&#&#1;1;", "&#\x011;", "&\x01#1;",
        "&#\x01\x01\x013;", "&&#2;#1;", "&#4294967297;", "&#x100000001;", "&#00000000000000000001;",
    ],
)  # fmt: skip
def test_no_document_can_forge_a_mark(forged: str) -> None:
    inside = f"<title>t {forged}</title><meta name=description content='{forged}'>"
    made = read(f"{inside}a {forged} <a href='x' title='{forged}'>b {forged} c<img alt='{forged}'></a> {forged} d")
    assert made.links == [("d/x", "b c")]
    assert made.area(Area.HEADING) == "t"
    assert made.page.area.tolist().count(Area.REST) == 1
    check(made)


@pytest.mark.parametrize(
    ("document", "header", "text"),
    [
        (b"\xef\xbb\xbfcaf\xc3\xa9", "iso-8859-1", "café"),
        (b"\xff\xfe" + "café".encode("utf-16-le"), "utf-8", "café"),
        (b"\xfe\xff" + "café".encode("utf-16-be"), None, "café"),
        ("фы".encode("koi8-r"), "KOI8-R", "фы"),
        (b"caf\xe9", '"latin1"', "café"),
        (b"\x93quoted\x94", "iso-8859-1", "“quoted”"),  # as browsers read it: windows-1252
        (b"<meta charset=koi8-r>" + "фы".encode("koi8-r"), None, "фы"),
        (b"<meta http-equiv=content-type content='text/html; charset=sjis'>" + "日本".encode("sjis"), None, "日本"),
        (b"<meta charset=koi8-r>caf\xc3\xa9", "utf-8", "café"),  # the header wins
        (b"<meta charset=utf-16>caf\xc3\xa9", None, "café"),
        (b"<meta charset=UTF-16BE>caf\xc3\xa9", None, "café"),
        (b"<meta charset=hex>caf\xc3\xa9", "zlib", "café"),
        (b"<meta charset=nonsense>caf\xc3\xa9", "idna", "café"),
        (b"caf\xc3\xa9", "", "café"),
        (("Съешь ещё этих мягких французских булок, да выпей же чаю. " * 5).encode("cp1251"), None, "булок"),
        (("日本語の文章はこのように書かれています。" * 5).encode("euc-jp"), None, "日本語"),
        (b"broken \xff\xc3 bytes", "utf-8", "broken \ufffd\ufffd bytes"),
    ],
)  # fmt: skip
def test_charset(document: bytes, header: str | None, text: str) -> None:
    assert text in decode(document, header)
    assert text in read(document, header).page.text


def test_plain_text_and_a_flood_of_links() -> None:
    assert read("just words\n\nand more").tokens == "just words and more"
    made = read("".join(f"<a href={at}>l</a>" for at in range(MAX_LINKS + 5)))
    assert len(made.links) == MAX_LINKS
    check(made)


# fmt: off
_TAGS = [
    *("a", "b", "h1", "table", "tr", "td", "p", "div", "form", "object", "iframe", "frameset", "frame", "noscript"),
    *("script", "style", "svg", "template", "select", "option", "title", "textarea", "base", "map", "area", "body"),
    *("html", "head", "li", "button", "applet", "math", "plaintext", "noframes"),
]
_HREFS = ["x", "#x", "", "?q", "//b.example", "http:", "http://[", "javascript:0", "\x05?q", " y ", "é", "/" * 9, "."]
_ATTRIBUTES = [f'href="{href}" src="{href}"' for href in _HREFS] + ["alt", "alt='big eye'", "rel=nofollow", "<a", "'"]
_pieces = st.sampled_from([
    *(f"<{tag}>" for tag in _TAGS), *(f"</{tag}>" for tag in _TAGS),
    "<a href=x>", "<a href=y>", "<iframe src=z></iframe>", "<h1>", "<img alt='eye'>", "</a>", "<meta charset=utf-16>",
    "word ", "東京", "&#1;", "\x02", "<!--", "-->", "<![CDATA[", "<?", "&amp", "\x00", "é", "\ud800",
    "<meta http-equiv=refresh content='0;url=r'>",
]) | st.builds("<{} {}>".format, st.sampled_from(_TAGS), st.sampled_from(_ATTRIBUTES)) | st.text(max_size=5)
# fmt: on
_documents = st.lists(_pieces, max_size=40).map(lambda parts: "".join(parts).encode("utf-8", "replace"))


# A document as (HTML, its words, its links with their anchors): words, frames, anchors within anchors.
_Known = tuple[str, list[str], list[tuple[str, list[str]]]]
_leaf: st.SearchStrategy[_Known] = st.sampled_from(
    [("eye ", ["eye"], []), ("<img alt=leg>", ["leg"], []), ("<iframe src=f></iframe>", [], [("d/f", [])])]
)


def _anchor(parts: list[_Known]) -> _Known:
    inner, words = "".join(part[0] for part in parts), [word for part in parts for word in part[1]]
    links = [link for part in parts for link in part[2]]
    return f"<object><a href=x>{inner}</a></object>", words, [("d/x", words), *links]


@settings(deadline=None)
@given(st.lists(st.recursive(_leaf, lambda parts: st.lists(parts, max_size=4).map(_anchor)), max_size=5))
@example([_anchor([]), ("eye ", ["eye"], [])])
def test_anchors_nest_as_brackets_do(parts: list[_Known]) -> None:
    document, words, links = _anchor(parts)
    made = read(document)
    assert made.tokens == " ".join(words)
    assert made.links == [(url, " ".join(anchor)) for url, anchor in links]


_charsets = st.sampled_from([None, "utf-8", "utf-16", "gb18030", "zzz"])


@settings(deadline=None, max_examples=300)
@given(st.one_of(_documents, st.binary(max_size=300)), _charsets)
@example(b"<meta http-equiv=refresh content='0;url=r'>a<a href=x>b</a>", None)
def test_any_bytes_make_a_page(document: bytes, charset: str | None) -> None:
    made = read(document, charset)
    check(made)
    assert read(document, charset).all() == made.all()


@settings(deadline=None)
@given(st.lists(st.tuples(st.lists(st.sampled_from(_HREFS)), st.sampled_from(["p", "q?r"])), max_size=4))
@example([(["http:", "http:?q", "\x05?q", "\x05#f"], "p"), (["http:", "http:?q", "\x05?q", "\x05#f"], "q?r")])
def test_a_parser_that_has_read_other_pages_reads_the_same(pages: list[tuple[list[str], str]]) -> None:
    urls, words = Urls(), Texts()
    parser = Parser(urls, words)
    for hrefs, path in pages:
        document = "".join(f'<a href="{href}">link</a>' for href in hrefs)
        used = Read(parser.parse(document.encode(), f"http://a.example/{path}"), urls, words)
        assert used.links == read(document, url=f"http://a.example/{path}").links


def _word(number: int) -> str:
    return "".join(chr(97 + number // 26**place % 26) for place in range(4))


def test_a_page_is_read_until_it_has_had_more_words_than_people_use() -> None:
    flood = " ".join(map(_word, range(2 * MAX_WORDS)))
    made = read(f"<a href=first>one</a> {flood} <a href=last>zebra</a>")
    assert MAX_WORDS <= len(made.words) < 1.1 * MAX_WORDS
    assert made.tokens.startswith("one aaaa baaa")
    assert [path for path, _ in made.links] == ["d/first", "d/last"], "what it leads to is known all the same"
    crowd = "".join(chr(0x4E00 + number * 7919 % 20_000) for number in range(2 * MAX_WORDS))
    assert len(read(f"<p>{crowd}").words) < 1.3 * MAX_WORDS


def test_a_long_page_of_few_words_is_read_to_its_end() -> None:
    words = [_word(number % 5000) for number in range(60_000)]
    document = " ".join(words[:30_000]) + " <a href=x>link here</a> <h1>head</h1> " + " ".join(words[30_000:])
    made = read(document)
    assert made.tokens.split() == [*words[:30_000], "link", "here", "head", *words[30_000:]]
    assert made.links == [("d/x", "link here")]
    assert made.area(Area.HEADING) == "head"


def test_real_pages(schools_dir: Path) -> None:
    files = sorted(schools_dir.glob("**/*.htm"))[::200]
    assert len(files) > 20
    for file in files:
        document = file.read_bytes()
        made = read(document)
        check(made)
        (told,) = re.findall("<title>(.*?)</title>", document.decode("utf-8", "replace"), re.DOTALL)
        assert made.page.title == " ".join(html.unescape(told).split())
        assert len(made.page.tokens) > 50
