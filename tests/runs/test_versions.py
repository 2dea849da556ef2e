"""Every version of a page that was read stays, and can be asked for by its date."""

from __future__ import annotations

import json
from contextlib import closing
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.support.changing_site import LONG_AGO, SITE, crawl, page, refreshed, serving, title
from tests.support.running import salticid

from salticid.metrics.parts.retrieval import estimated_recency
from salticid.store.crawl_folder import CrawlFolder
from salticid.store.news.versions import Recheck, Versions
from salticid.store.schema import RECHECK
from salticid.webs.arrays import ROW, URL
from salticid.webs.recorded import RecordedWeb

YEAR = 365 * 86_400.0


@dataclass(frozen=True)
class Twice:
    """A crawl that was refreshed: its folder, and a moment before that, between the two, and after."""

    folder: Path
    moments: tuple[float, float, float]

    def search(self, words: str, *options: str) -> list[str]:
        said = salticid("search", self.folder, words, "--json", *options)
        assert said.status == 0, said.err
        return [json.loads(line)["url"].removeprefix(SITE) for line in said.out.splitlines()]

    def export(self, *options: str) -> dict[str, dict[str, Any]]:
        said = salticid("export", self.folder, "--to", "jsonl", "--out", "-", *options)
        assert said.status == 0, said.err
        rows = map(json.loads, said.out.splitlines())
        return {row["url"].removeprefix(SITE): row for row in rows}

    def world(self, *options: str) -> RecordedWeb:
        out = self.folder.parent / f"world{len(list(self.folder.parent.iterdir()))}"
        said = salticid("world", "build", out, "--crawl", self.folder, *options)
        assert said.status == 0, said.err
        return RecordedWeb(out)


@pytest.fixture(scope="module")
def twice(tmp_path_factory: pytest.TempPathFactory) -> Twice:
    folder = tmp_path_factory.mktemp("versions") / "c"
    with serving() as (web, port):
        crawl(web, port, folder)
        web.pages["/dated"] = page("a later date", "/fresh")
        web.dated["/dated"] = LONG_AGO + YEAR
        web.pages["/plain"] = page("velvet ants that mimic them")
        del web.pages["/leaving"]
        assert refreshed(folder)["changed"] == 2
    with closing(CrawlFolder(folder)) as crawled:
        first = [visit.fetched or 0.0 for visit in crawled.visits()]
        again = [Recheck._make(row).wall for row in crawled.database.all(RECHECK)]
    assert max(first) < min(again)
    return Twice(folder, (min(first) - YEAR, (max(first) + min(again)) / 2, max(again) + 1))


def at(moment: float) -> tuple[str, str]:
    return "--at", datetime.fromtimestamp(moment, UTC).isoformat()


def test_search_finds_what_pages_said_at_a_date(twice: Twice) -> None:
    _, before, after = twice.moments
    assert twice.search("velvet") == twice.search("velvet", *at(after)) == ["/plain"]
    assert twice.search("velvet", *at(before)) == []
    assert twice.search("goodbye", *at(before)) == ["/leaving"]
    assert twice.search("goodbye") == twice.search("goodbye", *at(after)) == [], "it is gone"
    assert twice.search("goodbye", "--all", *at(after)) == ["/leaving"]


def test_export_tells_what_pages_said_at_a_date(twice: Twice) -> None:
    _, before, after = twice.moments
    now, then = twice.export(), twice.export(*at(before))
    assert now == twice.export(*at(after))
    assert len(then) == 8
    assert now.keys() == then.keys() - {"/leaving"}
    assert (now["/dated"]["title"], then["/dated"]["title"]) == (title("a later date"), title("a date"))
    assert now["/dated"]["fetched"] > then["/dated"]["fetched"]
    assert now["/tagged"] == then["/tagged"], "it did not change"


def test_pages_that_were_not_read_yet_are_later(twice: Twice) -> None:
    with closing(CrawlFolder(twice.folder)) as crawled:
        times = [visit.fetched or 0.0 for visit in crawled.visits()]
        moment = (times[3] + times[4]) / 2
        versions = Versions(crawled.database, moment)
        assert [versions.was_read(time) for time in times] == [True] * 4 + [False] * 4
    said = salticid(
        "export", twice.folder, "--to", "csv", "--out", twice.folder.parent / "early.csv", "--json", *at(moment)
    )  # fmt: skip
    result = json.loads(said.out)
    assert (result["pages"], result["skipped"]["later"]) == (4, 4), said


def test_two_worlds_of_one_crawl_are_two_days_of_its_web(twice: Twice) -> None:
    _, before, after = twice.moments
    first, then, now = twice.world(), twice.world(*at(before)), twice.world(*at(after))
    assert digest(first) == digest(then), "without a date, a world is what the crawl saw"
    assert (text(then, "/plain"), text(now, "/plain")) == (
        "jumping spiders and nothing", "jumping spiders and velvet ants that mimic them",
    )  # fmt: skip
    assert (dates(then, "/dated"), dates(now, "/dated")) == (LONG_AGO, LONG_AGO + YEAR)
    assert (now.fetch(now.urls.find(f"{SITE}/leaving")).status, text(then, "/leaving")) == (
        404, "jumping spiders and goodbye",
    )  # fmt: skip
    recency = estimated_recency(np.array([dates(now, "/dated")]), dates(then, "/dated"))
    assert recency.tolist() == [pytest.approx(1 / 366)], "what changed a year after it was indexed is not recent"


def digest(web: RecordedWeb) -> str:
    said = salticid("world", "info", web.folder, "--json")
    told: str = json.loads(said.out)["digest"]
    return told


def text(web: RecordedWeb, path: str) -> str:
    told = web.page_at(web.urls.find(f"{SITE}{path}"))
    assert told is not None
    return told.text


def dates(web: RecordedWeb, path: str) -> float:
    return float(web.arrays[ROW.modified][web.arrays[URL.row][web.urls.find(f"{SITE}{path}")]])


@pytest.mark.parametrize("command", [
    ("search", "C", "spiders", "--at", "yesterday"),
    ("export", "C", "--to", "csv", "--out", "-", "--at", "2026-13-01"),
    ("world", "build", "W", "--crawl", "C", "--at", "30"),
])  # fmt: skip
def test_a_date_that_is_none_is_refused(twice: Twice, command: tuple[str, ...]) -> None:
    names = {"C": str(twice.folder), "W": str(twice.folder.parent / "never")}
    said = salticid(*(names.get(word, word) for word in command))
    assert (said.status, f"no date {command[-1]!r}" in said.err, said.out) == (2, True, "")


@pytest.mark.parametrize("command", [
    ("search", "C", "spiders"), ("export", "C", "--to", "csv", "--out", "-"), ("world", "build", "W", "--crawl", "C"),
])  # fmt: skip
def test_before_the_crawl_there_was_nothing(twice: Twice, command: tuple[str, ...]) -> None:
    names = {"C": str(twice.folder), "W": str(twice.folder.parent / "never")}
    said = salticid(*(names.get(word, word) for word in command), *at(twice.moments[0]))
    assert (said.status, "had read nothing by" in said.err) == (2, True), said
    assert not (twice.folder.parent / "never").exists()


def test_a_day_is_that_of_a_source_which_has_days(tmp_path: Path) -> None:
    said = salticid("world", "build", tmp_path / "w", "--synthetic", "30", "--at", "2026-01-01")
    assert (said.status, "counted from 0" in said.err) == (2, True)
    source = "--html", tmp_path, "--base-url", "http://a.example/"
    said = salticid("world", "build", tmp_path / "w", *source, "--at", "3")
    assert (said.status, "--at" in said.err) == (2, True)
