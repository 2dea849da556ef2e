"""What another crawl holds is not fetched anew, and not suggested anew."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from typing import Any

import pytest
from tests.support.http_stub import Answer, http_stub, spider_page
from tests.support.running import salticid

import salticid as package
from salticid.store.crawl_folder import CrawlFolder
from salticid.store.other_crawls import OtherCrawls
from salticid.store.stored_visit import Holder, holders
from salticid.tables.texts import Texts, Urls

SITE = "http://site.example"


@dataclass
class Site:
    """A site, and what it was asked for since the last crawl began."""

    port: int = 0
    pages: dict[str, str] = field(default_factory=dict)
    asked: list[str] = field(default_factory=list)

    def answer(self, request: BaseHTTPRequestHandler) -> Answer:
        self.asked.append(request.path)
        body = self.pages.get(request.path)
        return Answer(status=404) if body is None else Answer(body)

    def crawl(self, folder: Path, seed: str, *options: str | Path) -> dict[str, Any]:
        self.asked.clear()
        said = salticid(
            "crawl", "--query", "jumping spiders", "--seed-url", f"{SITE}{seed}", "--resolve",
            f"*=127.0.0.1:{self.port}", "--allow-net", "127.0.0.0/8", "--delay", "0", "--out", folder, "--json",
            *options,
        )  # fmt: skip
        assert said.status == 0, said.err
        result: dict[str, Any] = json.loads(said.out)
        return result


@contextmanager
def the_site() -> Iterator[Site]:
    there = Site()
    there.pages = {
        "/": spider_page("home", "/a", "/b"),
        "/a": spider_page("salt", "/deep"),
        "/b": spider_page("sand"),
        "/deep": spider_page("deep", "/deeper"),
        "/other": spider_page("elsewhere", "/a", "/copy"),
    }
    with http_stub(there.answer) as there.port:
        yield there


@pytest.fixture(scope="module")
def crawls(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """One crawl without, one with the other crawl known, and one after which that has become old."""
    at = tmp_path_factory.mktemp("known")
    with the_site() as site:
        site.crawl(at / "first", "/")
        site.pages["/deeper"] = spider_page("new", "/brandnew")
        site.pages["/brandnew"] = spider_page("fresh")
        site.pages["/copy"] = site.pages["/b"]
        told: dict[str, Any] = {"result": site.crawl(at / "second", "/other", "--known", at / "first")}
        told["asked"] = [path for path in site.asked if path != "/robots.txt"]
        site.crawl(at / "old", "/other", "--known", at / "first", "--known-for", "0s")
        told["asked when old"] = set(site.asked)
        site.crawl(at / "second", "/other", "--known", at / "first", "--max-pages", "2000")
        told["asked again"] = list(site.asked)
    return {"at": at, **told}


def test_known_pages_are_passed_through_without_a_request(crawls: dict[str, Any]) -> None:
    lines = salticid("visits", crawls["at"] / "second", "--json").out.splitlines()
    visits = [json.loads(line) for line in lines]
    by_path = {visit["url"].removeprefix(SITE): visit for visit in visits}
    assert {path: by_path[path]["outcome"] for path in ("/a", "/deep")} == {"/a": "known", "/deep": "known"}
    assert by_path["/a"]["known_in"] == str(crawls["at"] / "first")
    assert not {"/a", "/deep"} & set(crawls["asked"])
    assert {"/deeper", "/brandnew"} <= set(crawls["asked"]), "the hunt goes on behind them"
    assert crawls["result"]["pages"] == 4
    assert crawls["result"]["outcomes"]["known"] == 2
    assert crawls["result"]["fetches"] == 4, "they cost nothing"


def test_a_copy_of_what_another_crawl_holds_is_not_suggested(crawls: dict[str, Any]) -> None:
    with closing(CrawlFolder(crawls["at"] / "second")) as crawl:
        suggested = {crawl.visit(step).final_url for step in crawl.on_topic()}
        copy = next(visit for visit in crawl.visits() if visit.url == f"{SITE}/copy")
        assert holders(crawl.database)[copy.step] == Holder(str(crawls["at"] / "first"), f"{SITE}/b")
    assert suggested == {f"{SITE}{path}" for path in ("/other", "/deeper", "/brandnew")}
    said = salticid("export", crawls["at"] / "second", "--to", "jsonl", "--out", crawls["at"] / "pages.jsonl")
    assert said.status == 0
    exported = {json.loads(line)["url"] for line in (crawls["at"] / "pages.jsonl").read_text().splitlines()}
    assert exported == suggested


def test_what_was_looked_at_long_ago_is_fetched_anew(crawls: dict[str, Any]) -> None:
    assert {"/a", "/deep", "/deeper"} <= crawls["asked when old"]


def test_such_a_crawl_goes_on_and_must_be_ordered_so_again(crawls: dict[str, Any]) -> None:
    assert crawls["asked again"] in ([], ["/robots.txt"])
    folder = crawls["at"] / "second"
    said = salticid("crawl", "--query", "jumping spiders", "--seed-url", f"{SITE}/other", "--out", folder)
    assert said.status == 2
    assert "known" in said.err


def test_a_folder_without_a_crawl_is_named(tmp_path: Path) -> None:
    said = salticid("crawl", "--query", "spiders", "--seed-url", SITE, "--known", tmp_path / "nowhere")
    assert said.status == 2
    assert str(tmp_path / "nowhere") in said.err


def test_on_a_recording_likewise_and_bit_for_bit_when_it_goes_on(tmp_path: Path) -> None:
    html = tmp_path / "html"
    html.mkdir()
    names = [f"{n}.html" for n in range(12)]
    for at, name in enumerate(names):
        (html / name).write_text(spider_page(f"page{at}", f"/{names[(at + 1) % 12]}", f"/{names[(at + 5) % 12]}"))
    assert salticid("world", "build", tmp_path / "w", "--html", html, "--base-url", SITE).status == 0
    topic = package.Topic("t", "jumping spiders", (f"{SITE}/0.html",))
    first = package.hunt(topic, tmp_path / "w", "best_first", max_pages=4, out=tmp_path / "first")
    held = {row["url"] for row in first.rows() if row["outcome"] == "ok"}

    def hunt(pages: int, folder: str) -> package.Hunt:
        known = [tmp_path / "first"]
        return package.hunt(topic, tmp_path / "w", "best_first", max_pages=pages, out=tmp_path / folder, known=known)

    whole = hunt(6, "whole")
    rows = whole.rows()
    assert {row["url"] for row in rows if row["outcome"] == "known"} == held - {f"{SITE}/0.html"}
    assert sum(row["outcome"] == "ok" for row in rows) == 6
    hunt(2, "parts")
    assert hunt(6, "parts").digest() == whole.digest()


def test_words_of_crawls_have_other_ids_and_twins_are_found_all_the_same(tmp_path: Path) -> None:
    with the_site() as site:
        site.crawl(tmp_path / "c", "/")
    urls, words = Urls(), Texts()
    words.intern_all([b"some", b"words", b"of", b"ours", b"first"])
    with closing(OtherCrawls([tmp_path / "c"], time.time() - 3600, urls, words)) as others:
        held = others.page(f"{SITE}/a")
        assert held is not None
        assert others.twin(held[0]) == held[1]
        assert others.page(f"{SITE}/nothing") is None
