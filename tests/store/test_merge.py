"""Several crawls made one collection."""

from __future__ import annotations

import json
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from tests.support.http_stub import Answer, http_stub, spider_page
from tests.support.running import Said, salticid

from salticid.store.crawl_folder import CrawlFolder
from salticid.store.news.versions import Versions

SITE = "http://site.example"


def merge(*folders: Path, out: Path) -> Said:
    return salticid("merge", *folders, "--out", out, "--json")


@pytest.fixture(scope="module")
def crawls(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two crawls, `a` and `b`, that meet; a page changed between them and one was gone; and `all` of it."""
    at = tmp_path_factory.mktemp("merge")
    pages = {
        "/": spider_page("home", "/shared", "/leaving", "/only-a"),
        "/shared": spider_page("early"),
        "/leaving": spider_page("goodbye"),
        "/only-a": spider_page("mine"),
    }

    def crawl(folder: str, seed: str, port: int) -> None:
        said = salticid(
            "crawl", "--query", "jumping spiders", "--seed-url", f"{SITE}{seed}", "--resolve",
            f"*=127.0.0.1:{port}", "--allow-net", "127.0.0.0/8", "--delay", "0", "--out", at / folder, "--quiet",
        )  # fmt: skip
        assert said.status == 0, said.err

    with http_stub(lambda request: Answer(pages.get(request.path, ""), 200 if request.path in pages else 404)) as port:
        crawl("a", "/", port)
        pages["/other"] = spider_page("second", "/shared", "/leaving", "/copy")
        pages["/shared"] = spider_page("late")
        pages["/copy"] = pages["/only-a"]
        del pages["/leaving"]
        crawl("b", "/other", port)
    said = merge(at / "a", at / "b", out=at / "all")
    assert json.loads(said.out) == {
        "out": str(at / "all"), "crawls": 2, "visits": 6, "pages": 6, "shared": 1,
    }, said.err  # fmt: skip
    return at


def test_a_page_of_both_is_one_with_all_its_versions(crawls: Path) -> None:
    with closing(CrawlFolder(crawls / "all")) as crawl:
        visits = {visit.final_url.removeprefix(SITE): visit for visit in crawl.visits()}
        assert sorted(visits) == ["/", "/copy", "/leaving", "/only-a", "/other", "/shared"]
        versions, step = Versions(crawl.database), visits["/shared"].step
        first = crawl.page(step)
        assert first is not None
        assert (first.title, versions.page(step).title) == ("early", "late")
        assert visits["/copy"].duplicate_of == f"{SITE}/only-a", "copies are found across crawls"
        assert visits["/only-a"].source == f"{SITE}/"


def test_it_is_searched_exported_and_made_a_world(crawls: Path) -> None:
    found = [json.loads(line) for line in salticid("search", crawls / "all", "late", "--json").out.splitlines()]
    assert [hit["url"] for hit in found] == [f"{SITE}/shared"]
    for kind in ("jsonl", "warc"):
        said = salticid("export", crawls / "all", "--to", kind, "--out", crawls / f"pages.{kind}")
        assert said.status == 0, said.err
    rows: list[dict[str, Any]] = [json.loads(line) for line in (crawls / "pages.jsonl").read_text().splitlines()]
    assert {row["title"] for row in rows} == {"home", "late", "goodbye", "mine", "second"}
    assert salticid("world", "build", crawls / "world", "--crawl", crawls / "all").status == 0
    assert json.loads(salticid("world", "info", crawls / "world", "--json").out)["pages"] == 6


def test_nothing_goes_on_in_it(crawls: Path) -> None:
    for words in (
        ("crawl", "--query", "jumping spiders", "--seed-url", f"{SITE}/", "--out", crawls / "all"),
        ("refresh", crawls / "all"),
    ):
        said = salticid(*words)
        assert said.status == 2
        assert "is a merge of other crawls" in said.err


def test_it_can_be_merged_again_and_is_the_same(crawls: Path) -> None:
    said = merge(crawls / "all", crawls / "a", out=crawls / "again")
    assert json.loads(said.out)["pages"] == 6, said.err
    with closing(CrawlFolder(crawls / "again")) as again, closing(CrawlFolder(crawls / "all")) as whole:
        newest, before = Versions(again.database), Versions(whole.database)
        titles = {visit.final_url: newest.page(visit.step).title for visit in again.visits()}
        assert titles == {visit.final_url: before.page(visit.step).title for visit in whole.visits()}


@pytest.mark.parametrize("words", [("a",), ("a", "a"), ("a", "nowhere")])
def test_what_cannot_be_merged_is_named(crawls: Path, tmp_path: Path, words: tuple[str, ...]) -> None:
    said = merge(*(crawls / word for word in words), out=tmp_path / "out")
    assert said.status == 2
    assert not (tmp_path / "out").exists()
    assert len(said.err.splitlines()) == 1


def test_a_folder_that_holds_something_is_left_alone(crawls: Path, tmp_path: Path) -> None:
    (tmp_path / "mine.txt").write_text("precious")
    assert merge(crawls / "a", crawls / "b", out=tmp_path).status == 2
    assert [file.name for file in tmp_path.iterdir()] == ["mine.txt"]
