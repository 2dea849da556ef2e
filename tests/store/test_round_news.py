"""What a round of watching brought: which pages, which sentences, and the digest that tells of them."""

from __future__ import annotations

import json
import sqlite3
import time
from collections.abc import Iterator
from contextlib import closing
from html.parser import HTMLParser
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
from playwright.sync_api import Browser
from tests.support.made_crawl import BEGAN, Made, article, documents
from tests.support.page_browser import chromium, grave_findings, window
from tests.support.running import salticid

from salticid.cli.watch import MOST_ROWS, print_round
from salticid.errors import UserError
from salticid.model import Page
from salticid.parse.html import Parser
from salticid.store.crawl_folder import CrawlFolder
from salticid.store.exports.selection import Criteria
from salticid.store.news.changes import MOST_SENTENCES, change
from salticid.store.news.digest import digest_folder, write_digest
from salticid.store.news.round_news import RoundNews, Since, what_came
from salticid.tables.texts import Texts, Urls

ATOM = "{http://www.w3.org/2005/Atom}"
HOSTILE = "<script>alert(1)</script><img src=//evil.example/x onerror=alert(2)> \x00\x1b & \"'"


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with chromium() as found:
        yield found


def watched(folder: Path) -> Path:
    """A crawl of five pages and two rounds."""
    made = Made(folder)
    for name in ("same", "changing", "leaving", "returning", "off"):
        is_off = name == "off"
        made.add(f"http://a.example/{name}", article(name), positive=not is_off, score=0.2 if is_off else 0.5)
    made.begin_round(1)
    made.ask_again(0, "same")
    made.ask_again(1, "changed", article("changing", "They see in four colours. Males dance."))
    made.ask_again(3, "gone")
    made.ask_again(2, "unknown")
    made.add("http://a.example/new", article("new"), score=0.7, found_by=(1, 0))
    made.add("http://a.example/not-it", article("not it"), positive=0, score=0.2)
    made.add("http://a.example/twin", article("new"), duplicate_of=5)
    made.end_round(1)
    made.begin_round(2)
    made.ask_again(1, "changed", article("changing", "Males dance. They see in five colours."))
    made.ask_again(2, "gone")
    made.ask_again(3, "changed", article("returning", "It is another page now."))
    made.ask_again(4, "changed", article("off", "Still off."))
    made.ask_again(0, "gone")
    made.ask_again(0, "same")
    made.end_round(2)
    return made.commit()


def news(folder: Path, number: int) -> RoundNews:
    with closing(CrawlFolder(folder)) as crawl:
        return what_came(crawl, number)


def test_a_round_tells_what_is_new_changed_gone_and_back_again(tmp_path: Path) -> None:
    folder = watched(tmp_path / "c")
    first, second = news(folder, 1), news(folder, 2)
    assert [page.title for page in first.new] == ["new"], "no page off the topic, and no near-duplicate"
    assert (first.new[0].source, first.new[0].opening[:15]) == (
        "http://a.example/changing",
        "Jumping spiders",
    )
    assert first.counts == {
        "new": 1, "changed": 1, "gone": 1, "back": 0, "same": 1, "still_gone": 0, "unknown": 1,
    }  # fmt: skip
    assert second.counts == {
        "new": 0, "changed": 2, "gone": 1, "back": 1, "same": 1, "still_gone": 0, "unknown": 0,
    }  # fmt: skip
    assert [page.title for page in second.changed] == ["changing", "off"], "what is on topic comes first"
    told = second.changed[0].change
    assert told is not None
    assert (told.added, told.removed) == (["They see in five colours."], ["They see in four colours."])
    assert second.changed[0].before == first.changed[0].read, "compared with the version before it, not the first"
    back = second.back[0].change
    assert back is not None
    assert back.added == ["It is another page now."]
    assert (second.gone[0].title, second.gone[0].version) == ("leaving", None)
    with pytest.raises(UserError, match="has no round 3"):
        news(folder, 3)


def test_pages_that_stay_gone_are_no_news(tmp_path: Path) -> None:
    made = Made(tmp_path / "c")
    made.add("http://a.example/", article("leaving"))
    for number in (1, 2):
        made.begin_round(number)
        made.ask_again(0, "gone")
    folder = made.commit()
    assert [news(folder, number).counts["gone"] for number in (1, 2)] == [1, 0]
    assert news(folder, 2).counts["still_gone"] == 1


def test_a_page_is_told_as_it_was_judged_by_the_end_of_its_round(tmp_path: Path) -> None:
    made = Made(tmp_path / "c")
    made.add("http://a.example/", article("on"))
    made.add("http://a.example/soon", article("coming soon"), score=0.1, positive=0)
    made.begin_round(1)
    made.ask_again(1, "changed", article("here it is", "Jumping spiders at last."))
    made.hear({1: 0.9}, {})
    folder = made.commit()
    alone = write_digest(folder, 1)
    assert (alone.changed[0].score, alone.changed[0].on_topic) == (0.9, True)
    digest = (digest_folder(folder, 1) / "digest.html").read_bytes()
    made.begin_round(2)
    made.hear({1: 0.05}, {})
    made.add("http://a.example/low", article("low"), score=0.01, positive=1)
    made.ask_again(1, "gone")
    made.commit()
    assert write_digest(folder, 1) == alone
    assert (digest_folder(folder, 1) / "digest.html").read_bytes() == digest
    assert write_digest(folder, 2).gone[0].score == 0.05


def test_what_a_whole_site_changed_is_told_once(tmp_path: Path) -> None:
    made = Made(tmp_path / "c")
    for number in range(6):
        made.add(f"http://a.example/{number}", article(f"page {number}"))
    made.begin_round(1)
    footer = "<footer>A new footer for all of us.</footer>"
    for number in range(6):
        made.ask_again(number, "changed", article(f"page {number}", more=footer))
    told = [page.change.added for page in news(made.commit(), 1).changed if page.change]
    assert told == [["A new footer for all of us."], *[[]] * 5]


def pages(*texts: str) -> list[Page]:
    parser = Parser(Urls(), Texts())
    return [parser.parse(text.encode(), "http://a.example/") for text in texts]


def test_sentences_that_moved_menus_dates_and_counts_are_no_change() -> None:
    menu = "".join(f"<li><a href=/{n}>menu item {n}</a>" for n in range(8))
    longer = "".join(f"<li><a href=/{n}>menu item {n}</a>" for n in range(12))
    read, again = "Read 9 times, 30 April 2026.", "Read 12 times, 3 May 2026."
    body = f"<h1>Eyes</h1><p>They have eight. The front pair sees best!</p><p>Males dance. {read}</p>"
    moved = f"<p>Males   <b>dance</b>.</p><h1>EYES</h1><p>The front pair sees best. They have eight. {again}"
    before, after, more = pages(f"<ul>{menu}</ul>{body}", f"<ul>{longer}</ul>{moved}", f"{body}<p>They have eight.")
    told = change(before, after)
    assert (told.added, told.removed) == ([], [])
    told = change(before, more)
    assert (told.added, told.removed) == (["They have eight."], []), "said once more is news"


def test_huge_pages_are_compared_in_little_time_and_told_in_few_words() -> None:
    names = [f"x{n}".translate(str.maketrans("0123456789", "abcdefghij")) for n in range(20_000)]
    text = " ".join(f"Sentence {name} speaks of spiders and many flies." for name in names)
    other = " ".join(f"Another {name} speaks of webs and some bees." for name in names)
    before, after = pages(f"<p>{text}", f"<p>{other}{'x' * 5000}")
    start = time.process_time()
    told = change(before, after)
    assert time.process_time() - start < 10, "a bound for the slowest machine; it takes a quarter of a second"
    assert (len(told.added), len(told.removed)) == (MOST_SENTENCES, MOST_SENTENCES)
    assert told.more_added > 1000
    assert max(map(len, told.added + told.removed)) <= 600


def test_a_digest_made_again_has_the_same_bytes_and_feeds_keep_their_ids(tmp_path: Path) -> None:
    folder = watched(tmp_path / "c")
    for number in (1, 2):
        write_digest(folder, number)
    files = {file: file.read_bytes() for file in sorted((folder / "rounds").rglob("*")) if file.is_file()}
    assert [str(file.relative_to(folder / "rounds")) for file in files] == [
        "001/digest.html", "001/digest.json", "001/feed.xml", "001/kept/3.html",
        "002/digest.html", "002/digest.json", "002/feed.xml", "002/kept/2.html", "feed.xml",
    ]  # fmt: skip
    (digest_folder(folder, 1) / "kept" / "77.html").write_text("left over")
    for number in (1, 2, 1):
        write_digest(folder, number)
    assert {file: file.read_bytes() for file in sorted((folder / "rounds").rglob("*")) if file.is_file()} == files

    told = json.loads(files[folder / "rounds/002/digest.json"])
    assert (told["round"], told["counts"]["changed"]) == (2, 2)
    assert told["changed"][0]["change"]["added"] == ["They see in five colours."]
    assert told["gone"][0]["copy"] == "kept/2.html"
    assert "four pairs of eyes" in files[folder / "rounds/002/kept/2.html"].decode()

    first, second = (ElementTree.fromstring(files[folder / f"rounds/00{n}/feed.xml"]) for n in (1, 2))
    assert files[folder / "rounds/feed.xml"] == files[folder / "rounds/002/feed.xml"]
    titles = [entry.findtext(f"{ATOM}title") for entry in second.iter(f"{ATOM}entry")]
    assert titles == [
        "Changed: changing", "Gone: leaving", "Back again: returning",
        "New: new", "Changed: changing", "Gone: returning",
    ]  # fmt: skip
    ids = [[entry.findtext(f"{ATOM}id") for entry in feed.iter(f"{ATOM}entry")] for feed in (first, second)]
    assert ids[1][3:] == ids[0], "an entry is the same in the next feed"
    assert len(set(ids[1])) == 6
    assert first.findtext(f"{ATOM}id") == second.findtext(f"{ATOM}id")


def test_a_feed_has_all_that_atom_asks_for(tmp_path: Path) -> None:
    folder = watched(tmp_path / "c")
    write_digest(folder, 2)
    feed = ElementTree.fromstring((folder / "rounds/feed.xml").read_bytes())
    assert feed.tag == f"{ATOM}feed"
    assert feed.find(f"{ATOM}author/{ATOM}name") is not None
    for part in (feed, *feed.iter(f"{ATOM}entry")):
        for name in ("id", "title", "updated"):
            assert len(part.findall(f"{ATOM}{name}")) == 1, name
        assert (part.findtext(f"{ATOM}updated") or "")[-1] == "Z"
        assert (part.findtext(f"{ATOM}id") or "").startswith("urn:uuid:")
    for entry in feed.iter(f"{ATOM}entry"):
        (link,) = entry.findall(f"{ATOM}link")
        assert (link.get("rel"), (link.get("href") or "")[:7]) == ("alternate", "http://")
        (content,) = entry.findall(f"{ATOM}content")
        assert content.get("type") == "xhtml"
        assert [child.tag for child in content] == ["{http://www.w3.org/1999/xhtml}div"]


def test_a_round_at_the_terminal_is_a_table_with_the_best_of_each_kind(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    made = Made(tmp_path / "c")
    made.begin_round(1)
    for number in range(MOST_ROWS + 5):
        made.add(f"http://a.example/{number}", article(f"[red]page {number}\x1b"), score=1 - number / 100)
    folder = made.commit()
    write_digest(folder, 1)
    print_round(news(folder, 1), digest_folder(folder, 1) / "digest.html")
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "Round 1: 25 new, 0 changed, 0 gone, 0 the same"
    assert (lines[2].split()[:3], len(lines)) == (["new", "1.000", "[red]page"], 2 + MOST_ROWS + 2)
    assert "and 5 more" in lines[-2]
    assert lines[-1].endswith("rounds/001/digest.html")
    assert "\x1b" not in "".join(lines)


class Tags(HTMLParser):
    """All that a document is made of."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))


def test_what_the_web_wrote_is_text_and_the_digest_asks_nobody(tmp_path: Path, browser: Browser) -> None:
    made = Made(tmp_path / "c")
    escaped = HOSTILE.replace("&", "&amp;").replace("<", "&lt;")
    for name in ("x", "y"):
        made.add(f"http://a.example/{name}?<script>", f"<title>{escaped}</title><p>{escaped}")
    made.begin_round(1)
    made.ask_again(0, "changed", f"<title>{escaped}</title><p>{escaped} more.")
    made.ask_again(1, "gone")
    made.add("http://a.example/z", f"<title>{escaped}</title><p>{escaped} and more and more.")
    folder = made.commit()
    write_digest(folder, 1)
    files = [digest_folder(folder, 1) / "digest.html", digest_folder(folder, 1) / "kept" / "1.html"]
    for file in files:
        tags = Tags(file.read_text()).tags
        assert not {"script", "img", "iframe", "link", "form"} & {tag for tag, _ in tags}
        assert not any(name.startswith("on") or name == "src" for _, fields in tags for name in fields)
    ElementTree.fromstring((folder / "rounds/feed.xml").read_bytes())
    with window(browser) as page:
        asked: list[str] = []
        page.on("request", lambda request: asked.append(request.url))
        page.goto(files[0].as_uri())
        assert page.locator("h1").inner_text().startswith("What is new")
        assert page.locator("ins").first.inner_text().startswith("<script>alert(1)</script>")
        assert grave_findings(page) == []
        page.emulate_media(color_scheme="dark")
        assert grave_findings(page) == []
        assert asked == [files[0].as_uri()]
        page.get_by_role("link", name="last copy").click()
        assert page.locator("h1").inner_text().startswith("<script>alert(1)</script>")


def test_a_version_that_is_not_kept_any_more_is_told_of_without_its_sentences(tmp_path: Path) -> None:
    folder = watched(tmp_path / "c")
    with closing(sqlite3.connect(folder / "crawl.db")) as db, db:
        db.execute("DELETE FROM version WHERE recheck = 1")
    second = news(folder, 2)
    assert second.changed[0].title == "changing"
    assert second.changed[0].change is None


def since(folder: Path, round_or_time: int | float, **more: Any) -> dict[str, dict[str, str]]:
    """The pages with news since a round, which is an int, or a time, by title."""
    with closing(CrawlFolder(folder)) as crawl:
        make = Since.of_round if isinstance(round_or_time, int) else Since.of_time
        moment = make(crawl, round_or_time)  # type: ignore[arg-type]
    return {row["title"]: row for row in documents(folder, Criteria(since=moment, **more))}


def test_an_export_since_a_round_or_a_date_says_what_is_new_and_how(tmp_path: Path) -> None:
    folder = watched(tmp_path / "c")
    first, second = since(folder, 1), since(folder, 2)
    assert {title: row["news"] for title, row in first.items()} == {
        "new": "new", "not it": "new", "changing": "changed", "returning": "changed", "off": "changed",
    }  # fmt: skip
    assert {title: row["news"] for title, row in second.items()} == {
        "changing": "changed", "returning": "back", "off": "changed",
    }  # fmt: skip
    assert second["changing"]["added"] == "They see in five colours."
    assert second["changing"]["removed"] == "They see in four colours."
    assert first["changing"]["added"] == "Males dance.\nThey see in five colours."
    assert first["new"]["added"] == ""
    assert since(folder, 1, on_topic=True).keys() == {"new", "changing", "returning"}
    assert since(folder, BEGAN).keys() == first.keys() | {"same"}, "all was read then or later"
    assert since(folder, BEGAN + 3600).keys() == {"changing", "returning", "off"}
    assert since(folder, BEGAN + 2 * 86_400).keys() == set()


def test_an_export_of_news_in_pieces_as_the_command_line_gives_it(tmp_path: Path) -> None:
    folder, out = watched(tmp_path / "c"), tmp_path / "out"
    asked = ("--to", "markdown", "--out", out, "--since", "2026-03-02", "--chunks", 50, "--json")
    said = salticid("export", folder, *asked)
    assert json.loads(said.out)["pages"] == 3, said.err
    (file,) = out.glob("*-changing-001.md")
    told = '\nnews: "changed"\nadded:\n- "Males dance."\n- "They see in five colours."\nremoved:\n'
    assert told in file.read_text()


@pytest.mark.parametrize(("moment", "cause"), [("7", "has no round 7"), ("lately", "no date 'lately'")])
def test_a_moment_that_is_none_is_refused(tmp_path: Path, moment: str, cause: str) -> None:
    folder = watched(tmp_path / "c")
    said = salticid("export", folder, "--to", "jsonl", "--out", tmp_path / "out", "--since", moment)
    assert (said.status, cause in said.err) == (2, True), said.err
    assert not (tmp_path / "out").exists()
