"""A page rendered to HTML and parsed again is the same page."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import islice
from pathlib import Path

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as some
from selectolax.lexbor import LexborHTMLParser
from tests.support.generated_site import GeneratedSource

from salticid.model import NO_URL, Page
from salticid.parse.html import MAX_TITLE, Parser
from salticid.protocols import Table, UrlTable
from salticid.tables.texts import Texts, Urls
from salticid.webs.recorded import RecordedWeb
from salticid.webs.render import render
from salticid.worlds.answers import Answer, Unread, WorldSource
from salticid.worlds.building import build
from salticid.worlds.sources import HtmlFolder, WebKB

HERE = "http://a.example/b/c?d=1"


class EveryHundredth:
    """A hundredth of a source."""

    def __init__(self, source: WorldSource) -> None:
        self.name, self.size, self.done, self._source = source.name, 0, 0, source

    def __iter__(self) -> Iterator[Answer | Unread]:
        return islice(iter(self._source), 0, None, 100)


def spelled(page: Page, urls: UrlTable, words: Table) -> dict[str, object]:
    """All of a page, in no table's ids."""
    links = page.links
    targets = urls.spell(links.url.tolist())
    marks = zip(links.start.tolist(), links.end.tolist(), links.nofollow.tolist(), strict=True)
    return {
        "url": urls[page.url],
        "title": page.title,
        "tokens": words.spell(page.tokens.tolist()),
        "areas": list(zip(page.area_start.tolist(), page.area.tolist(), strict=True)),
        "links": list(zip(targets, marks, strict=True)),
        "text": page.text,
        "canonical": None if page.canonical == NO_URL else urls[page.canonical],
        "refresh": None if page.refresh == NO_URL else urls[page.refresh],
        "robots": (page.noindex, page.nofollow),
    }


def twice(html: bytes | str) -> tuple[dict[str, object], dict[str, object], str]:
    """A page, the same after one more round, and the HTML in between."""
    urls, words = Urls(), Texts()
    parser = Parser(urls, words)
    page = parser.parse(html if isinstance(html, bytes) else html.encode("utf-8", "replace"), HERE, "utf-8")
    made = render(page, urls, words)
    return spelled(page, urls, words), spelled(parser.parse(made, HERE), urls, words), made.decode()


def differing(web: RecordedWeb) -> list[tuple[str, list[str]]]:
    """The pages of a world that do not come back exactly, and in what they differ."""
    urls, words = Urls(), Texts()
    parser = Parser(urls, words)
    found = []
    for number in range(web.pages):
        page = web.page(number)
        url = web.urls[page.url]
        before = spelled(page, web.urls, web.words)
        after = spelled(parser.parse(render(page, web.urls, web.words), url, "utf-8"), urls, words)
        if kinds := [kind for kind in before if before[kind] != after[kind]]:
            found.append((url, kinds))
    return found


def test_all_pages_of_a_generated_world_come_back(tmp_path: Path) -> None:
    build(tmp_path / "world", GeneratedSource(400, seed=3))
    assert differing(RecordedWeb(tmp_path / "world")) == []


@pytest.mark.parametrize(
    ("folder", "source", "at_least"),
    [
        ("schools_dir", lambda path: HtmlFolder(path, "http://schools.example/"), 50),
        ("webkb_dir", WebKB, 80),
    ],
)
def test_all_real_pages_come_back(
    folder: str,
    source: Callable[[Path], WorldSource],
    at_least: int,
    tmp_path: Path,
    request: pytest.FixtureRequest,
) -> None:
    """Measured on all of them: 5,232 of 5,232 and 8,112 of 8,112 come back exactly."""
    build(tmp_path / "world", EveryHundredth(source(request.getfixturevalue(folder))))
    web = RecordedWeb(tmp_path / "world")
    assert web.pages >= at_least
    assert differing(web) == []


# fmt: off
PARTS = [
    "<h1>", "</h1>", "<a href=x>", "<a href='y?a=1&amp;b=2' rel=nofollow>", "</a>", "<p>", "<div>", "</div>",
    "<table><tr><td>", "</table>", "<object>", "</object>", "<b>", "</b>", "<iframe src=z></iframe>",
    "<map><area href=q>", "one ", "two", "8 ", "-", "蜘蛛网", "naïve ", "İstanbul ", "x" * 70, "&lt;b>", "&amp;amp;",
    "<title>T &amp; x</title>", "<meta name=description content='d, e'>", "<meta name=robots content=none>",
    "<meta name=robots content=noindex>", "<link rel=canonical href=/it's>", "<base href=http://b.example/o/>",
    "<meta http-equiv=refresh content='0;url=/r'>", "<frameset><frame src=f>", "<img alt=picture>",
    "<svg><title>s</title></svg>", "<select><option>", "<template>", "<textarea>", "<button>", "<marquee>",
    "&nbsp;", "&#13;", "\0", "<!--", "-->", "<plaintext>",
]
# fmt: on
WILD = some.lists(some.sampled_from(PARTS) | some.text(max_size=6), max_size=25).map("".join)


@given(WILD)
def test_wild_pages_come_back(html: str) -> None:
    tree = LexborHTMLParser(html.encode("utf-8", "replace"))
    assume(tree.css_first("h1 h1") is None)  # the kind that is known to differ
    before, after, _ = twice(html)
    assert before == after


def test_links_within_links_come_back() -> None:
    html = "<a href=1>one <table><tr><td>two <a href=2>three<object><a href=3></a></object></a></table> four</a>"
    before, after, made = twice(html)
    assert before == after
    assert before["links"] == [
        ("http://a.example/b/1", (0, 4, False)),
        ("http://a.example/b/2", (2, 3, False)),
        ("http://a.example/b/3", (3, 3, False)),
    ]
    assert made.count("<object>") == 2


def test_a_long_title_comes_back_though_it_was_cut_at_a_space() -> None:
    title = "a" * (MAX_TITLE - 1) + " b"
    before, after, _ = twice(f"<title>{title}</title>")
    assert before == after
    assert before["title"] == title[:MAX_TITLE]


def test_empty_and_adjoining_headings_come_back() -> None:
    before, after, _ = twice("<h1></h1>a<h1></h1>b<h1>c</h1><h1>d</h1>e<h1></h1>")
    assert before == after
    assert before["areas"] == [(0, 2), (1, 2), (2, 1), (3, 1), (4, 2), (5, 2)]


def test_nothing_a_page_says_becomes_a_tag() -> None:
    said = "&lt;script>alert(1)&lt;/script>"
    before, after, made = twice(
        f"<title>{said}</title><meta name=description content='\"><script>'>{said} &lt;h1>"
        "<a href='/\"><script>?&quot;&amp;lt;'>&amp;lt;</a>"
    )
    assert before == after
    assert "<script" not in made
    assert "<h1" not in made


def test_long_texts_are_broken_into_paragraphs_outside_links() -> None:
    words = "word " * 200
    before, after, made = twice(f"{words}<a href=x>{words}</a>{words}")
    assert before == after
    assert made.count("<br>") >= 8
    assert "<br>" not in made.partition("<a ")[2].partition("</a>")[0]


def test_a_page_without_its_text_is_rendered_from_its_words() -> None:
    urls, words = Urls(), Texts()
    parser = Parser(urls, words)
    whole = parser.parse("<h1>Über 8</h1>a <a href=x>蜘蛛网</a>, B".encode(), HERE)
    page = replace(whole, packed_text=b"")
    after = parser.parse(render(page, urls, words), HERE)
    told = spelled(after, urls, words)
    assert told == spelled(whole, urls, words) | {"text": "über a 蜘蛛 蛛网 b"}


def test_a_link_that_crosses_another_is_cut() -> None:
    urls, words = Urls(), Texts()
    parser = Parser(urls, words)
    page = parser.parse(b"<a href=1>a b</a> <a href=2>c d</a>", HERE)
    crossed = replace(page, links=replace(page.links, start=np.array([0, 1], np.int32)))
    after = parser.parse(render(crossed, urls, words), HERE)
    assert (after.links.start.tolist(), after.links.end.tolist()) == ([0, 1], [2, 2])
    assert after.tokens.tolist() == page.tokens.tolist()
