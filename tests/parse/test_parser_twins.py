"""A parser with its compiled loops and without: the same answers, in every byte."""

from __future__ import annotations

import random
from functools import partial

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.core.test_native import both, no_library

from salticid.native import lib
from salticid.parse.document import MAX_LINKS, Document, DocumentReader, WrittenDocument
from salticid.parse.html import MAX_WORDS
from salticid.tables.translation import Newcomers
from salticid.text.tokens import Pieces
from salticid.webs.live.parser_process import HtmlPage, _PageParser

pytestmark = pytest.mark.skipif(lib is None, reason="program absent: a C compiler when the package was installed")

_TAGS = """
    a a a area iframe img img image h1 h1 h2 p p b i div span table tr td caption svg math mi mtext foreignObject
    template select option selectedcontent button noscript script style title title base link meta head body html
    frameset frame noframes noembed object form textarea li ul nobr xmp plaintext pre br custom-x
"""
TAGS = _TAGS.split()
ATTRIBUTES = [
    'href=b', 'href="../c d"', 'href', 'href=""', 'href="#x"', 'href=" #y"', 'href="\u2003#z"', 'href=/r/s.html#t',
    'href=?q=1', 'href=mailto:x', 'href=http://a.example/abs/', 'href="http://b.example:80/p"', 'href=//c.example/',
    'HREF=../../../Up', 'src=s.html', 'src', 'rel=nofollow', 'rel="NoFollow x"', 'rel=alternate', 'rel=canonical',
    'rel=next', 'type=application/rss+xml', 'hreflang=de', 'lang=en', 'lang', 'alt="an eye"', 'alt', 'alt=""',
    'alt="naïve 蜘蛛"', 'name=description', 'name=robots', 'content="noindex, nofollow"', 'content="words of it"',
    'http-equiv=refresh', 'content="0;url=next.html"', 'xlink:href=q', 'href=a href=b', 'href="a\0b"', 'alt="a\0b"',
    'href="&#1;x"',
]  # fmt: skip
TEXTS = [
    "spider", "Web", "naïve", "café—bar", "蜘蛛网", "8 eyes", " ", "\n", "&amp;", "&nbsp;", "&#1;", "&#x03;", "&#160;",
    "&lt;", "x" * 70, "averyveryverylongword", "\0", "\1", "\4", "<!-- c -->", "<![CDATA[ c ]]>", "<!doctype html>",
    "<?pi x?>", "&#0;", "&#xD800;", "\ufffd", "a\u0301", "\u0130", "jumping spiders", "</", "<", "</a>", "</table>",
]  # fmt: skip


def document(dice: random.Random) -> bytes:
    """Tags and text as they come, some of which make a page that is usual."""
    parts = [dice.choice(["", "<!doctype html>"])]
    for _ in range(dice.choice([3, 10, 40, 150])):
        kind = dice.random()
        if kind < 0.45:
            attributes = dice.choices(ATTRIBUTES, k=dice.choice([0, 0, 1, 1, 2, 3]))
            parts.append(f"<{' '.join([dice.choice(TAGS), *attributes])}>")
        elif kind < 0.6:
            parts.append(f"</{dice.choice(TAGS)}>")
        else:
            parts.append(dice.choice(TEXTS) + dice.choice(["", " "]))
    return "".join(parts).encode(dice.choice(["utf-8", "utf-8", "utf-8", "utf-16", "cp1252"]), "replace")


def answers(pages: list[bytes]) -> list[bytes]:
    """What one parser says of all these."""
    parser = _PageParser(1 << 40, "Salticid")
    urls = (
        "http://a.example/x/y.htm?z",
        "http://a.example:81/q",
        "http://a.example/x/%7e/",
        "http://a.example/",
    )
    tasks = (HtmlPage(html, urls[at % 4], None, ("en", "de", None)[at % 3]) for at, html in enumerate(pages))
    return [parser.read(msgspec.msgpack.encode(task)) for task in tasks]


@pytest.mark.parametrize("seed", range(4))
def test_pages_are_read_alike(seed: int) -> None:
    dice = random.Random(seed)
    pages = [document(dice) for _ in range(150)]
    compiled, twin = both(lambda: answers(pages))
    for page, one, other in zip(pages, compiled, twin, strict=True):
        assert one == other, page


@pytest.mark.parametrize(
    "html",
    [
        b"",
        b"<a href=x>" * 300,
        b"<p>" + b"<b><a href=x>y<p>" * 60,
        b"<div><a href=y>" * 2_400 + b"<img alt=z>" * 10,
        b"<a href=x>y</a>" * (MAX_LINKS + 1),
        b"".join(b"word%s na\xc3\xafve%s " % (n, n) for n in (b"a" * (k % 40) + b"%x" % k for k in range(9_000))),
        b"<a href=x>" + b" ".join(b"z%x\xe2\x80\x94" % number for number in range(MAX_WORDS + 9)) + b"</a>",
        b"<h1>" + b"spider " * 20_000 + b"<a href=#q>eyes</a> <a href=b>" + b"web " * 9_000,
        b"x" * 300_000,
    ],
)  # fmt: skip
def test_long_and_deep_pages_are_read_alike(html: bytes) -> None:
    compiled, twin = both(lambda: answers([html, b"<p>spiders", html]))
    assert compiled == twin


def test_what_is_usual_is_read_by_the_loop_and_what_is_not_by_its_twin() -> None:
    usual = b"<!doctype html><title>t</title><h1>h</h1><p>x <svg><a href=z>no</a></svg><iframe src=y></iframe>"
    reader = DocumentReader()
    assert isinstance(reader.read(usual + b"<a href=b>c</a>"), WrittenDocument)
    assert isinstance(reader.read(b""), WrittenDocument)
    for odd in (b"<frameset><frame src=x>", b"<math><a href=b>c", b"<a href=x>y</a>" * (MAX_LINKS + 1)):
        assert type(reader.read(odd)) is Document


def test_quirks_of_one_document_are_none_of_the_next() -> None:
    quirks = b"<a href=x><p>one<table><tr><td>two</table>three</a>"
    pages = [quirks, b"<!doctype html>" + quirks, quirks]
    compiled, twin = both(lambda: answers(pages))
    assert compiled == twin
    assert compiled[0] != compiled[1]


def test_pieces_that_were_kept_with_the_library_are_good_without_it() -> None:
    pieces, text = Pieces(lambda news: [int(piece) for piece in news]), b"7 70 700 7"
    before = pieces.codes(text).tolist()
    with no_library():
        assert pieces.codes(text).tolist() == before == [7, 70, 700, 7]
    assert pieces.codes(text).tolist() == before


@given(st.lists(st.lists(st.text("abc é/", max_size=20), max_size=40), max_size=6))
def test_newcomers_count_alike(lists: list[list[str]]) -> None:
    def told(news: list[list[bytes]]) -> list[object]:
        table = Newcomers()
        return [(table.intern_all(texts), len(table), table.tell(), table.intern("abc")) for texts in news]

    news = [[text.encode() for text in texts] for texts in lists]
    compiled, twin = both(partial(told, news))
    assert compiled == twin


def test_newcomers_are_many() -> None:
    texts = [b"%x" % (number * number) for number in range(70_000)]
    compiled, twin = both(
        lambda: [(table := Newcomers()).intern_all(texts), table.intern_all(texts[::-1]), table.tell()]
    )
    assert compiled == twin
