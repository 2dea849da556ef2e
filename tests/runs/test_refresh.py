"""Asking again for the good pages of a crawl, over real sockets."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from email.utils import formatdate
from pathlib import Path

import pytest
from tests.support.changing_site import LONG_AGO, SITE, Site, crawl, page, refreshed, serving, title
from tests.support.running import Said, salticid

from salticid.store.archive.warc import read
from salticid.store.crawl_folder import CrawlFolder
from salticid.store.news.versions import Versions


@pytest.fixture
def site() -> Iterator[tuple[Site, int]]:
    with serving() as served:
        yield served


def step_of(folder: CrawlFolder, path: str) -> int:
    return next(visit.step for visit in folder.visits() if visit.final_url == f"{SITE}{path}")


def test_what_changed_is_told_and_kept_beside_the_old(site: tuple[Site, int], tmp_path: Path) -> None:
    web, port = site
    crawl(web, port, tmp_path / "c")
    web.pages["/tagged2"] = page("a changed tag")
    web.pages["/plain2"] = page("something new at last")
    del web.pages["/leaving"]
    web.status["/flaky"] = 500
    result = refreshed(tmp_path / "c")
    assert {name: result[name] for name in ("pages", "same", "changed", "gone", "unknown")} == {
        "pages": 8, "same": 4, "changed": 2, "gone": 1, "unknown": 1,
    }  # fmt: skip
    fields = dict(web.asked)
    assert "if-none-match" in fields["/tagged"]
    assert fields["/dated"]["if-modified-since"] == formatdate(LONG_AGO, usegmt=True)
    assert not {"if-none-match", "if-modified-since"} & fields["/plain"].keys()
    assert "/robots.txt" not in fields, "what it says still holds"
    crawled = CrawlFolder(tmp_path / "c")
    step = step_of(crawled, "/plain2")
    old, seen = crawled.page(step), Versions(crawled.database).last(step)
    assert old is not None
    assert (old.title, seen.page.title) == (title("nothing either"), title("something new at last"))
    recheck = Versions(crawled.database).newest(step)
    assert recheck is not None
    exchange = read(tmp_path / "c", recheck.places[-1])
    assert exchange is not None
    assert b"something new at last" in exchange[1]
    crawled.close()


def test_search_and_export_show_the_newest(site: tuple[Site, int], tmp_path: Path) -> None:
    web, port = site
    crawl(web, port, tmp_path / "c")
    web.pages["/plain"] = page("velvet ants that mimic them")
    del web.pages["/leaving"]
    refreshed(tmp_path / "c")

    def search(words: str) -> list[str]:
        return [
            json.loads(line)["url"] for line in salticid("search", tmp_path / "c", words, "--json").out.splitlines()
        ]

    assert search("velvet") == [f"{SITE}/plain"]
    assert search("goodbye") == []
    said: Said = salticid("export", tmp_path / "c", "--to", "jsonl", "--out", tmp_path / "pages.jsonl")
    assert said.status == 0, said.err
    pages = {row["url"]: row for row in map(json.loads, (tmp_path / "pages.jsonl").read_text().splitlines())}
    assert "velvet ants" in pages[f"{SITE}/plain"]["text"]
    assert f"{SITE}/leaving" not in pages


def test_the_next_refresh_compares_with_the_newest(site: tuple[Site, int], tmp_path: Path) -> None:
    web, port = site
    crawl(web, port, tmp_path / "c")
    web.pages["/tagged"] = page("a second version")
    assert refreshed(tmp_path / "c")["changed"] == 1
    web.asked.clear()
    assert refreshed(tmp_path / "c")["same"] == 8
    assert hashlib.sha1(web.pages["/tagged"].encode()).hexdigest() in dict(web.asked)["/tagged"]["if-none-match"]


def test_the_crawl_goes_on_after_a_refresh(site: tuple[Site, int], tmp_path: Path) -> None:
    web, port = site
    crawl(web, port, tmp_path / "c")
    web.pages["/plain"] = page("words that nobody has read before, such as zygapophysis", "/later")
    refreshed(tmp_path / "c")
    said = salticid(
        "crawl", tmp_path / "topic.toml", "--resolve", f"*=127.0.0.1:{port}", "--allow-net", "127.0.0.0/8",
        "--out", tmp_path / "c", "--json", "--max-pages", "2000",
    )  # fmt: skip
    assert json.loads(said.out)["stopped"] == "frontier empty", said.err


def test_a_recorded_crawl_or_an_odd_option_is_refused(tmp_path: Path) -> None:
    assert salticid("world", "build", tmp_path / "w", "--synthetic", "30").status == 0
    (tmp_path / "t.toml").write_text('name = "t"\nkeywords = "pottery"\nseeds = ["http://nowhere.example/"]\n')
    assert salticid("crawl", tmp_path / "t.toml", "--web", tmp_path / "w", "--out", tmp_path / "c").status == 1, (
        "it read nothing"
    )
    said = salticid("crawl", "--refresh", tmp_path / "c")
    assert (said.status, "recorded world" in said.err) == (2, True)
    said = salticid("crawl", "--refresh", tmp_path / "c", "--max-pages", "5")
    assert (said.status, "--max-pages" in said.err) == (2, True)
    said = salticid("crawl", "--refresh", tmp_path / "none")
    assert (said.status, "holds no crawl" in said.err) == (2, True)
