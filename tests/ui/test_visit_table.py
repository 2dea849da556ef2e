"""All visits as a table: what they have in common is counted, what is wished for is shown, and taken away as shown."""

from __future__ import annotations

import csv
import io
import json
import shutil
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import expect
from tests.support.made_crawl import Made, article
from tests.support.page_browser import chromium, grave_findings, window
from tests.support.page_serving import page_server
from tests.support.running import salticid
from tests.support.wishes import wish

from salticid.errors import UserError
from salticid.service import Languages
from salticid.store.crawl_folder import CrawlFolder
from salticid.store.schema import ABOUT
from salticid.ui.views import MOST_ROWS, MOST_VALUES, download, first_row, kind_of, table

GERMAN = "Die Springspinne sieht mit acht Augen, zwei davon sind groß und nach vorn gerichtet."


@pytest.fixture
def folder(made: Made) -> Path:
    start = made.add("http://a.example/", article("Start"))
    made.add("http://a.example/de", f"<p>{GERMAN}</p>", found_by=(start, 0), depth=1)
    made.add("http://b.example/x", "", outcome="dead", status=404, found_by=(start, 0), depth=1)
    made.add("http://b.example/y", article("=1+1"), found_by=(start, 0), depth=1)
    topic = json.dumps({"name": "spiders", "keywords": "spiders", "seeds": ["http://a.example/"]})
    made.db.execute(ABOUT.insert, ABOUT.with_checksum(("topic", topic)))
    made.explain(3, [["best anchor topic", 2.0], ["luck", -0.5]])
    return made.commit()


def asked(folder: Path, first: int = 0, **wishes: str) -> dict[str, Any]:
    with closing(CrawlFolder(folder)) as crawl:
        told: dict[str, Any] = json.loads(json.dumps(table(crawl, {}, wishes, first)))
        return told


def test_values_are_counted_among_the_visits_that_fit_all_other_wishes(folder: Path) -> None:
    everything = asked(folder)
    assert (everything["visits"], everything["fitting"]) == (4, 4)
    assert {name: facet["values"] for name, facet in everything["facets"].items()} == {
        "outcome": [["ok", 3], ["dead", 1]],
        "host": [["a.example", 2], ["b.example", 2]],
        "depth": [["1", 3], ["0", 1]],
        "language": [["en", 2], ["", 1], ["de", 1]],
        "reason": [["", 3], ["the words of the link", 1]],
    }
    some = asked(folder, host="b.example", depth="1")
    assert [row["step"] for row in some["rows"]] == [2, 3]
    assert some["facets"]["outcome"]["values"] == [["dead", 1], ["ok", 1]]
    assert some["facets"]["host"]["values"] == [["b.example", 2], ["a.example", 1]]
    assert some["facets"]["depth"]["values"] == [["1", 2]]
    assert [row["step"] for row in asked(folder, language="")["rows"]] == [2]
    assert asked(folder, outcome="nonsense")["fitting"] == 0


def test_a_hundred_rows_come_at_a_time_and_the_value_chosen_is_among_those_told(made: Made) -> None:
    for n in range(MOST_ROWS + 5):
        made.add(f"http://h{min(n, MOST_VALUES + 4):03}.example/{n}", "", outcome="dead")
    folder = made.commit()
    assert [row["step"] for row in asked(folder, MOST_ROWS)["rows"]] == list(range(MOST_ROWS, MOST_ROWS + 5))
    hosts = asked(folder)["facets"]["host"]
    assert (len(hosts["values"]), hosts["left_off"]) == (MOST_VALUES, 5)
    last = f"h{MOST_VALUES + 3:03}.example"
    assert [last, 1] not in hosts["values"]
    assert [last, 1] in asked(folder, host=last)["facets"]["host"]["values"]


def test_what_is_taken_away_is_what_fits(folder: Path) -> None:
    languages: Languages = {}
    with closing(CrawlFolder(folder)) as crawl:
        as_json = json.loads(download(crawl, languages, {"host": "b.example"}, "json"))
        as_csv = download(crawl, languages, {"host": "b.example"}, "csv").decode()
    assert [row["step"] for row in as_json] == [2, 3]
    assert languages == {0: "en", 1: "de", 2: None, 3: "en"}
    rows = list(csv.DictReader(io.StringIO(as_csv)))
    assert [row["title"] for row in rows] == ["", "'=1+1"]
    assert json.loads(rows[1]["why"]) == as_json[1]["why"] == [["best anchor topic", 2.0], ["luck", -0.5]]
    listed = json.loads(salticid("visits", folder, "--json").out.splitlines()[3])
    assert as_json[1] == listed | {
        "host": "b.example", "depth": 1, "language": "en", "reason": "the words of the link",
    }  # fmt: skip


@pytest.mark.parametrize("asked", [{"format": "xls"}, {"from": "-1"}, {"from": "9" * 30}])
def test_a_request_that_makes_no_sense_is_told_so(asked: dict[str, str]) -> None:
    with pytest.raises(UserError, match=r"xls|from"):
        (kind_of if "format" in asked else first_row)(asked)


def test_a_person_narrows_visits_down_and_takes_them_away(folder: Path, tmp_path: Path) -> None:
    kept = tmp_path / "data" / "crawls" / "spiders"
    shutil.copytree(folder, kept)
    wish(
        query="spiders", seeds=("http://a.example/",), origins=("you",), strategy="best_first", judge="cosine",
        max_pages=9, began="2026-03-01T12:00:00+00:00", mood="stop",
    ).save(kept)  # fmt: skip
    with chromium() as browser, page_server(tmp_path / "data") as server, window(browser) as page:
        page.goto(server.address)
        page.goto(f"{server.page}#/crawl/spiders")
        page.get_by_role("link", name="All visits").click()
        rows = page.locator(".visits tbody tr")
        expect(rows).to_have_count(4)
        assert grave_findings(page) == []
        page.get_by_role("group", name="Host").get_by_role("button", name="b.example").click()
        expect(rows).to_have_count(2)
        expect(page.get_by_role("status").filter(has_text="2 of 4 visits").first).to_be_visible()
        page.get_by_role("group", name="Outcome").get_by_role("button", name="dead").click()
        expect(rows).to_have_count(1)
        expect(rows.first).to_contain_text("dead (404)")
        page.reload()
        expect(rows).to_have_count(1)
        with page.expect_download() as saving:
            page.get_by_role("link", name="JSON").click()
        assert [row["url"] for row in json.loads(saving.value.path().read_text())] == ["http://b.example/x"]
        page.get_by_role("button", name="dead").click()
        expect(rows).to_have_count(2)
        page.set_viewport_size({"width": 360, "height": 800})
        assert page.evaluate("document.documentElement.scrollWidth") == 360
