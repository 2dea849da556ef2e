"""Searching a crawl: what is found, in which order, what is kept back, and what nobody may break."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
import zstandard
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.support.generated_site import GeneratedSource
from tests.support.running import salticid
from tests.support.tampering import tampering

from salticid.cli.visits import search
from salticid.errors import UserError
from salticid.judges.cosine import Cosine
from salticid.parse.html import Parser
from salticid.runs.order import Recipe
from salticid.runs.recorded import RecordedCrawl
from salticid.store.crawl_folder import CrawlFolder
from salticid.store.index import INDEX_FILE, WordIndex
from salticid.store.log import CrawlLog
from salticid.store.packing import pack_page
from salticid.store.schema import RECHECK, VERSION
from salticid.store.search import MOST_WORDS, WIDTH, Hit, Query, Search
from salticid.strategies.breadth_first import BreadthFirst
from salticid.tables.texts import Texts, Urls
from salticid.topic import Limits, Topic
from salticid.webs.recorded import RecordedWeb
from salticid.worlds.answers import Answer, Unread
from salticid.worlds.building import build

A = "http://a.example/"


def filler(about: str) -> str:
    """A lot of words that no other page holds, but for one."""
    return " ".join(f"filler {about}{chr(97 + n % 26)}{chr(97 + n // 26)}" for n in range(150))


EVIL = "[red]\x1b[31mEvil\u202e title\x07[/red]"
PAGES = {
    "": "<title>Home of spiders</title>",
    "eyes": f"<title>Eyes</title><p>The jumping spider has eight eyes. {filler('eyes')}",
    "title": "<title>Jumping at night</title><p>Nothing else here but a moth.",
    "naive": "<title>Ü</title><p>Die Vögel über München sind naïve Müßiggänger.",
    "web": "<title>網</title><p>蜘蛛网是蜘蛛用丝织成的。跳蛛不结网。",
    "evil": f"<title>{EVIL}</title><p>An evil\x1b[2J page [bold]bait[/bold] \u202eereht",
    "hidden": "<meta name=robots content=noindex><title>Hidden</title><p>secretive octopus",
    "first": f"<title>Mirror</title><p>Walrus mirror. {filler('mirror')} tusks",
    "second": f"<title>Mirror</title><p>Walrus mirror. {filler('mirror')} tusks <p>Printed on Monday",
    "empty": "",
    "long": f"<title>Long</title><p>{filler('xa')} needle {filler('xb')} needle haystack {filler('xc')}",
}  # fmt: skip


class Site:
    """All pages, linked from the first."""

    name, size, done = "site", 0, 0

    def __init__(self, pages: dict[str, str]) -> None:
        self._pages = pages

    def __iter__(self) -> Iterator[Answer | Unread]:
        links = "".join(f"<a href={path}>link</a>" for path in self._pages if path)
        for path, html in self._pages.items():
            yield Answer(A + path, html=(html + links * (not path)).encode())


def crawled(world: Path, out: Path, language: str | None = "en", pages: int = 1000) -> Path:
    """A crawl of a whole world."""
    web = RecordedWeb(world)
    topic = Topic("t", "jumping spiders", (web.urls[web.page(0).url],), language=language)
    with closing(CrawlLog(out, web.urls, web.words)) as log:
        log.begin({"topic": {"name": "t", "language": language}})
        log.session(0.0, {})
        RecordedCrawl(topic, web, Recipe(BreadthFirst(), Cosine(), Limits(max_pages=pages)), log).run()
    return out


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("search") / "world"
    build(out, Site(PAGES))
    return out


@pytest.fixture(scope="module")
def folder(world: Path) -> Path:
    """A crawl to read only."""
    return crawled(world, world.parent / "crawl")


@pytest.fixture
def own(world: Path, tmp_path: Path) -> Path:
    """A crawl to do something to."""
    return crawled(world, tmp_path / "own")


def found(folder: Path, text: str, **options: Any) -> list[Hit]:
    with closing(CrawlFolder(folder)) as crawl, closing(WordIndex(crawl)) as index:
        index.update()
        return list(Search(crawl, index).hits(Query.of(text), **options))


def paths(hits: list[Hit]) -> list[str]:
    return [hit.url.removeprefix(A) for hit in hits]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("eyes", {"eyes"}),
        ("spiders", {"", "eyes"}),
        ("spider EIGHT", {"eyes"}),
        ('"eight eyes"', {"eyes"}),
        ("“eight eyes”", {"eyes"}),
        ('"eyes eight"', set()),
        ("jumping -eyes", {"title"}),
        ('jumping -"eight eyes"', {"title"}),
        ("munchen", {"naive"}),
        ("MÜNCHEN vogel", {"naive"}),
        ("蜘蛛", {"web"}),
        ("蜘蛛网", {"web"}),
        ("网蛛", set()),
        ("網", {"web"}),
        ("octopus", set()),
        ("needle AND", set()),
        ("title:jumping", set()),
        ("jump*", {"title", "eyes"}),
    ],
)
def test_a_query_finds_exactly_these(folder: Path, text: str, expected: set[str]) -> None:
    assert set(paths(found(folder, text))) == expected


def test_a_word_in_the_title_counts_more(folder: Path) -> None:
    hits = found(folder, "jumping")
    assert paths(hits) == ["title", "eyes"]
    assert hits[0].rank > hits[1].rank > 0


def test_a_crawl_in_another_language_keeps_endings(world: Path, tmp_path: Path) -> None:
    german = crawled(world, tmp_path / "german", "de")
    assert paths(found(german, "spiders")) == [""]
    assert paths(found(german, "spider")) == ["eyes"]


def test_the_language_is_told_by_the_pages_where_the_topic_does_not(tmp_path: Path) -> None:
    english = "<p>There was a time when balloons were the only way to see the world from above."
    german = "<p>Es gab eine Zeit, da waren Ballons der einzige Weg, die Welt von oben zu sehen."
    for name, text in (("english", english), ("german", german)):
        build(tmp_path / name, Site({"": text}))
        crawled(tmp_path / name, tmp_path / f"{name} crawl", None)
    assert len(found(tmp_path / "english crawl", "balloon")) == 1
    assert found(tmp_path / "german crawl", "ballon") == []


def test_a_snippet_shows_the_words_and_where_they_are(folder: Path) -> None:
    (hit,) = found(folder, "haystack needle")
    assert [hit.snippet[a:b] for a, b in hit.matches] == ["needle", "haystack"]
    assert hit.snippet.startswith("…xb")
    assert hit.snippet.endswith("…")
    assert len(hit.snippet) <= WIDTH + 2
    (chinese,) = found(folder, "蜘蛛网")
    assert [chinese.snippet[a:b] for a, b in chinese.matches] == ["蜘蛛网", "蜘蛛"]
    (german,) = found(folder, "mußigganger vogel")
    assert [german.snippet[a:b] for a, b in german.matches] == ["Vögel", "Müßiggänger"]
    assert found(folder, "night")[0].snippet == "Nothing else here but a moth."


def test_a_snippet_is_no_menu_unless_the_words_stand_nowhere_else(tmp_path: Path) -> None:
    menu = " ".join(
        f"<a href=/{n}>{n} {name} orchard</a>" for n, name in enumerate(("apple", "pear", "plum", "fig", "nut"))
    )
    head = "<title>All 7 trees</title><meta name=description content='Trees of the garden'>"
    page = f"{head}{menu}<p>{filler('trees')} 1 apple of 1 tree {filler('fruit')} {menu}"
    build(tmp_path / "world", Site({"": page}))
    folder = crawled(tmp_path / "world", tmp_path / "crawl")
    (hit,) = found(folder, "apple orchard")
    assert "1 apple of 1 tree" in hit.snippet
    assert [hit.snippet[a:b] for a, b in hit.matches] == ["apple"]
    assert found(folder, "plum orchard")[0].snippet.startswith("0 apple orchard 1 pear orchard 2 plum orchard")


@pytest.mark.parametrize("pages", [3, 4])
def test_what_four_pages_of_a_site_say_is_no_snippet(tmp_path: Path, pages: int) -> None:
    slogan = "Wool for each and every lamb of the valley"
    sheets = {name: f"<p>{slogan} 24 hours. {filler(name)} a lamb {filler(f'x{name}')}" for name in "abcd"[:pages]}
    build(tmp_path / "world", Site({"": "<title>Home</title>", **sheets}))
    hits = found(crawled(tmp_path / "world", tmp_path / "crawl"), "lamb")
    assert {hit.snippet.startswith("Wool") for hit in hits} == {pages == 3}
    assert {hit.snippet.startswith("…filler") for hit in hits} == {pages == 4}


def test_one_of_several_all_but_the_same_is_shown(folder: Path) -> None:
    (one,) = found(folder, "walrus")
    everything = found(folder, "walrus", everything=True)
    assert one == everything[0]
    assert {hit.url: hit.duplicate_of for hit in everything} == {A + "first": None, A + "second": A + "first"}
    assert paths(found(folder, "walrus printed")) == ["second"]


def test_pages_the_judge_thinks_little_of_are_left_out_on_demand(folder: Path) -> None:
    scores = {hit.url: hit.score for hit in found(folder, "jumping")}
    line = max(scores.values())
    assert line > min(scores.values())
    assert [hit.score for hit in found(folder, "jumping", min_score=line)] == [line]


def again(folder: Path, path: str, kind: str, html: str = "") -> None:
    """What a refresh leaves behind."""
    with tampering(folder) as db:
        step = db.execute(
            "SELECT step FROM visit JOIN url ON url.id = visit.final WHERE text = ?", (A + path,)
        ).fetchone()[0]
        (number,) = db.execute("SELECT 1 + count(*) FROM recheck").fetchone()
        row = (number, step, 5000.0, kind, 200, 0, None, None, None)
        db.execute(RECHECK.insert, RECHECK.with_checksum(row))
        if kind == "changed":
            page = Parser(Urls(), Texts()).parse(html.encode(), A + path)
            columns = pack_page(page, zstandard.ZstdCompressor())
            db.execute(VERSION.insert, VERSION.with_checksum((number, *columns)))


def test_the_newest_text_is_searched(own: Path) -> None:
    assert paths(found(own, "moth")) == ["title"]
    again(own, "title", "changed", "<title>Anew</title><p>A butterfly.")
    assert found(own, "moth", everything=True) == []
    (hit,) = found(own, "butterfly")
    assert (hit.title, hit.snippet, hit.fetched, hit.gone) == ("Anew", "A butterfly.", 5000.0, False)
    again(own, "title", "same")
    again(own, "title", "changed", "<title>Again</title><p>A beetle.")
    assert found(own, "butterfly") == []
    assert paths(found(own, "beetle")) == ["title"]
    again(own, "title", "changed", "<meta name=robots content=noindex><p>A beetle.")
    assert found(own, "beetle") == []


def test_a_page_that_forbids_it_is_shown_only_when_asked_for_and_marked(folder: Path) -> None:
    assert found(folder, "octopus") == []
    assert [(hit.title, hit.noindex) for hit in found(folder, "octopus", noindex=True)] == [("Hidden", True)]
    assert [hit.noindex for hit in found(folder, "eyes", noindex=True)] == [False]
    said = salticid("search", folder, "octopus", "--with-noindex")
    assert "· noindex" in said.out


def test_a_page_that_is_gone_is_shown_only_among_all(own: Path) -> None:
    again(own, "title", "gone")
    assert found(own, "moth") == []
    assert [hit.gone for hit in found(own, "moth", everything=True)] == [True]
    again(own, "title", "same")
    assert [hit.gone for hit in found(own, "moth")] == [False]


def test_a_twin_that_changed_stands_for_itself(own: Path) -> None:
    again(own, "first", "changed", "<p>A walrus, quite another one.")
    assert set(paths(found(own, "walrus"))) == {"first", "second"}


def test_each_search_takes_in_what_came_since(own: Path, tmp_path: Path) -> None:
    with tampering(own) as db:
        later = db.execute("SELECT * FROM page WHERE step > 3").fetchall()
        db.execute("DELETE FROM page WHERE step > 3")
    assert found(own, "needle") == []
    with tampering(own) as db:
        db.executemany(f"INSERT INTO page VALUES ({', '.join('?' * len(later[0]))})", later)
    with closing(CrawlFolder(own)) as crawl, closing(WordIndex(crawl)) as index:
        told: list[int] = []
        assert index.missing() == len(PAGES) - 4
        index.update(told.append)
        assert told[-1] == len(PAGES) - 4
        assert index.missing() == 0
    assert paths(found(own, "needle")) == ["long"]


def test_a_running_crawl_can_be_searched(world: Path, tmp_path: Path) -> None:
    web = RecordedWeb(world)
    topic = Topic("t", "jumping spiders", (web.urls[web.page(0).url],), language="en")
    with closing(CrawlLog(tmp_path, web.urls, web.words)) as log:
        log.begin({"topic": {"name": "t", "language": "en"}})
        log.session(0.0, {})
        run = RecordedCrawl(topic, web, Recipe(BreadthFirst(), Cosine(), Limits()), log)
        counts: list[int] = []

        def look(_visit: object) -> None:
            log.commit()
            counts.append(len(found(tmp_path, "filler", everything=True)))

        run.run(look)
    assert counts == sorted(counts)
    assert counts[0] < counts[-1] == len(found(tmp_path, "filler", everything=True))


def test_the_index_of_another_crawl_is_made_anew(world: Path, own: Path, tmp_path: Path) -> None:
    assert found(own, "needle")
    index = (own / INDEX_FILE).read_bytes()
    other = crawled(world, tmp_path / "other", pages=3)
    (other / INDEX_FILE).write_bytes(index)
    assert found(other, "needle") == []
    assert paths(found(other, "home")) == [""]


def test_where_nothing_can_be_written_an_index_is_made_for_once(own: Path) -> None:
    (own / INDEX_FILE).mkdir()
    with closing(CrawlFolder(own)) as crawl, closing(WordIndex(crawl)) as index:
        assert not index.persistent
    assert paths(found(own, "needle")) == ["long"]


def test_a_damaged_index_is_named(own: Path) -> None:
    (own / INDEX_FILE).write_bytes(b"no database at all" * 100)
    with pytest.raises(UserError, match=r"search\.db cannot be used: .*; remove it"):
        found(own, "needle")


def _count(folder: Path) -> int:
    return len(found(folder, "pottery", everything=True))


def test_searches_at_the_same_time_share_one_index(tmp_path: Path) -> None:
    build(tmp_path / "world", GeneratedSource(300, seed=3))
    folder = crawled(tmp_path / "world", tmp_path / "crawl")
    with ThreadPoolExecutor(4) as pool:
        counts = list(pool.map(_count, [folder] * 6))
    assert counts == [_count(folder)] * 6
    assert counts[0] > 5
    with closing(sqlite3.connect(folder / INDEX_FILE)) as db, closing(CrawlFolder(folder)) as crawl:
        indexed = db.execute("SELECT count(*) FROM words_docsize").fetchone()
        assert indexed == crawl.database.connection.execute("SELECT count(*) FROM page").fetchone()


@pytest.mark.parametrize("text", ["", "  ", '""', "-", "-flies", "!?*", '"', "- -"])
def test_a_query_without_a_word_is_a_mistake(text: str) -> None:
    with pytest.raises(UserError, match=r"nothing to look for in .*; name a word"):
        Query.of(text)


def test_a_query_has_a_most_of_words() -> None:
    Query.of("word " * MOST_WORDS)
    with pytest.raises(UserError, match="at most"):
        Query.of("word " * (MOST_WORDS + 1))


_syntax = st.sampled_from([*'"()*^:-+{},; \x00', "NEAR(", " AND ", " OR ", " NOT ", "text:", "rank", "蜘", "ü", "eyes"])


def test_nothing_a_person_types_breaks_a_search(folder: Path) -> None:
    @settings(max_examples=300, deadline=None)
    @given(st.text(max_size=60) | st.lists(_syntax, max_size=20).map("".join))
    def is_answered(text: str) -> None:
        try:
            query = Query.of(text)
        except UserError:
            return
        for any_term in (False, True):
            for hit in opened.hits(query, any_term=any_term):
                assert all(0 <= a < b <= len(hit.snippet) for a, b in hit.matches)

    with closing(CrawlFolder(folder)) as crawl, closing(WordIndex(crawl)) as index:
        index.update()
        opened = Search(crawl, index)
        is_answered()


def test_a_terminal_sees_no_tricks(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    search(folder, ["evil", "bait"])
    shown = capsys.readouterr().out
    assert "[red]" in shown
    assert "«bait»" in shown
    assert "[bold]" in shown
    assert not set(shown) & set("\x1b\x07\u202e")


def test_words_are_looked_for_one_by_one_when_no_page_holds_all(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    search(folder, ["moth", "needle"], json=True)
    said = capsys.readouterr()
    assert "no page holds all of these words" in said.err
    assert {json.loads(line)["url"] for line in said.out.splitlines()} == {A + "title", A + "long"}
    search(folder, ["unheard", "unseen"])
    said = capsys.readouterr()
    assert said.out == ""
    assert "no page holds any of these words" in said.err


def test_the_program_searches(own: Path) -> None:
    said = salticid("search", own, "filler", "--json", "--limit", 2)
    assert (said.status, said.err) == (0, "")
    lines = [json.loads(line) for line in said.out.splitlines()]
    names = [
        "url",
        "title",
        "score",
        "rank",
        "snippet",
        "matches",
        "fetched",
        "duplicate_of",
        "step",
        "gone",
        "noindex",
        "also_at",
    ]
    assert [list(line) for line in lines] == [names, names]
    mistake = salticid("search", own, "")
    assert (mistake.status, mistake.out, mistake.err.count("\n")) == (2, "", 1)
