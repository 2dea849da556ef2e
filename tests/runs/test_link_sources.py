"""Links besides anchors: those of a document's head, of maps and frames, and addresses in plain text."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.support.hostile import A, Answer, Server, hurry, on_the_web, page, settings

from salticid.judges.cosine import Cosine
from salticid.model import Outcome
from salticid.parse.answer import content, text_document
from salticid.parse.html import Parser
from salticid.parse.reading import read_answer
from salticid.runs.brief import KnownPages
from salticid.runs.live import live_driver
from salticid.runs.order import Recipe
from salticid.runs.recorded import MemoryLog
from salticid.strategies.breadth_first import BreadthFirst
from salticid.tables.texts import Texts, Urls
from salticid.topic import Limits, Topic
from salticid.webs.live.web import LiveWeb


def links(html: str, language: str | None = None) -> list[str]:
    urls = Urls()
    found = Parser(urls, Texts()).parse(html.encode(), A + "here", "utf-8", language)
    return [urls[to].removeprefix(A) for to in found.links.url.tolist()]


@pytest.mark.parametrize(
    ("html", "found"),
    [
        ("<link rel=next href=2><a href=1>one</a>", ["2", "1"]),
        (
            "<link rel='Next nofollow' href=2><link rel=prev href=0><link rel=previous href=-1>",
            ["2", "0", "-1"],
        ),
        ("<link rel=next href=2><a href=2>two</a><a href=1>one</a>", ["2", "1"]),
        ("<base href=/deep/><link rel=next href=2>", ["deep/2"]),
        (
            "<link rel=next href=2><meta http-equiv=refresh content='0; url=3'><a href=1>one</a>",
            ["3", "2", "1"],
        ),
        ("<link rel=next href=3><meta http-equiv=refresh content='0; url=3'>", ["3"]),
        ("<link rel=next href='javascript:x'><link rel=next><link rel=stylesheet href=x.css>", []),
        ("".join(f"<link rel=next href={n}>" for n in range(9)), ["0", "1", "2"]),
        ("<map><area href=1><area alt=x></map>", ["1"]),
        ("<frameset><frame src=1><frame><noframes><a href=2>no</a></noframes></frameset>", ["1"]),
        ("<iframe src=1>text</iframe><iframe srcdoc=x>", ["1"]),
        ("<link rel='alternate stylesheet' hreflang=en href=x.css>", []),
    ],
)
def test_links_stand_in_more_places_than_anchors(html: str, found: list[str]) -> None:
    assert links(html) == found


TRANSLATED = (
    "<link rel=alternate hreflang=de href=/de><link rel=alternate hreflang=en-GB href=/gb>"
    "<link rel=alternate hreflang=x-default href=/all><a href=/de>Deutsch</a>"
)


def test_of_its_translations_a_page_leads_to_the_one_that_is_asked_for() -> None:
    assert links(TRANSLATED) == ["de"]
    assert links(TRANSLATED, "en") == ["gb", "de"]
    assert links("<html lang=fr>" + TRANSLATED, "en") == ["gb", "de"]
    assert links("<html lang=en-US>" + TRANSLATED, "en") == ["de"], "it is in that language already"
    assert links(TRANSLATED, "de") == ["de"], "it links to it anyway"
    assert links(TRANSLATED, "sv") == ["de"]
    assert len(links("".join(f"<link rel=alternate hreflang=en href=/{n}>" for n in range(99)), "en")) == 5


def test_a_canonical_link_is_no_link_but_a_name() -> None:
    urls = Urls()
    html = b"<link rel='nofollow CANONICAL' href=/a><link rel=canonical href=/b>"
    found = Parser(urls, Texts()).parse(html, A + "here")
    assert (len(found.links), urls[found.canonical]) == (0, A + "a")


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("see http://a.example/x, and (https://b.example/y).", ["x", "https://b.example/y"]),
        ("<http://a.example/x(y)> \"http://a.example/z\"; HTTP://A.EXAMPLE/up!", ["x(y)", "z", "up"]),
        ("http:// ftp://a.example/ www.a.example xhttp://a.example/x a.example/y", []),
        ("http://a.example/x?a=1&b=<script>", ["x?a=1&b="]),
    ],
)  # fmt: skip
def test_addresses_in_a_text_are_links(text: str, found: list[str]) -> None:
    assert links(text_document(text.encode(), None).decode()) == found


@given(st.text(alphabet="http://a.example/ \n<>&\"'()[].,;", max_size=80))
def test_a_text_says_as_a_document_what_it_says(text: str) -> None:
    document = text_document(text.encode(), "utf-8")
    read = Parser(Urls(), Texts()).parse(document, A, "utf-8").text
    assert read.replace(" ", "") == "".join(text.split())


def test_a_text_is_read_as_a_page_in_its_charset() -> None:
    head = "HTTP/1.1 200 OK\r\nContent-Type: text/plain; charset=iso-8859-5\r\n\r\n"
    text = "Пауки-скакуны\n\nВосемь глаз, из них два больших."
    reading = read_answer(head.encode() + text.encode("iso-8859-5"), A, True)
    assert reading is not None
    assert (reading.text, [block.text for block in reading.blocks]) == (text, text.split("\n\n"))
    assert content({"content-type": "text/plain"}, b"\0" * 99, 99).html is None


@pytest.mark.parametrize(
    ("text", "title"),
    [
        ("\n  Notes & <eyes>\n=====\n\nThey see.", "Notes & <eyes>"),
        ("They see " * 20 + "\n\nwell", ""),
        (" \n", ""),
    ],
)
def test_a_short_first_line_is_the_title_of_a_text(text: str, title: str) -> None:
    page = Parser(Urls(), Texts()).parse(text_document(text.encode(), None), A, "utf-8")
    assert page.title == title


SITE: dict[str, Answer] = {
    "/": page(
        b"<html lang=de><link rel=next href=/next><link rel=alternate hreflang=en href=/english>"
        b"<link rel=alternate hreflang=fr href=/french>"
        b"<map><area href=/area></map><iframe src=/frames></iframe><a href=/notes.txt>notes</a>"
    ),
    "/frames": page(b"<frameset><frame src=/framed></frameset>"),
    "/notes.txt": page(b"jumping spiders: see http://a.example/told.", kind="text/plain"),
    **{f"/{name}": page(b"<p>jumping spiders") for name in ("next", "english", "french", "area", "framed", "told")},
}


def test_a_crawl_follows_all_of_them(monkeypatch: pytest.MonkeyPatch) -> None:
    hurry(monkeypatch)

    async def use(there: LiveWeb, server: Server) -> tuple[list[str], MemoryLog]:
        log = MemoryLog()
        recipe = Recipe(BreadthFirst(), Cosine(), Limits(max_pages=20), "one", 0)
        topic = Topic("spiders", "jumping spiders", (A,), language="en")
        await live_driver(topic, KnownPages(), there, recipe, settings(server, concurrency=1), log).run()
        return server.pages, log

    asked, log = on_the_web(SITE, use)
    assert {path.removeprefix("a.example") for path in asked} == SITE.keys() - {"/french"}
    assert {visit.outcome for visit in log.visits} == {Outcome.OK}
