"""`salticid like`, `dislike` and `ask`: a person's word, while a crawl runs and when it has ended."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path

import pytest
from tests.support.killing import Program, Site, check_calls, live, served, visits_in
from tests.support.running import salticid, salticid_anew

from salticid.store.crawl_folder import CrawlFolder

PAGES = 40


def words_in(folder: Path) -> dict[str, str]:
    with closing(CrawlFolder(folder)) as crawled:
        return {visit.final_url: visit.word.value for visit in crawled.visits() if visit.word is not None}


def visits(folder: Path) -> list[tuple[str, str]]:
    with closing(CrawlFolder(folder)) as crawled:
        return [(visit.final_url, visit.outcome) for visit in crawled.visits()]


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("like") / "world"
    assert salticid("world", "build", folder, "--synthetic", 300, "--seed", 3).status == 0
    made = salticid("world", "topics", folder, "--out", folder.parent / "topics", "--min-pages", 12)
    assert made.status == 0
    return folder


@pytest.fixture
def crawl(world: Path, tmp_path: Path) -> tuple[Path, tuple[str | int | Path, ...]]:
    topic = min((world.parent / "topics").iterdir())
    command = ("crawl", topic, "--web", world, "--max-pages", PAGES, "--out", tmp_path / "crawl")
    assert salticid(*command).status == 0
    return tmp_path / "crawl", command


def test_a_crawl_that_has_ended_learns_and_goes_on_alike(
    crawl: tuple[Path, tuple[str | int | Path, ...]],
) -> None:
    folder, command = crawl
    before = visits(folder)
    one, other = [url for url, outcome in before if outcome == "ok"][3:5]
    liked = salticid("like", folder, one)
    assert liked.status == 0, liked.err
    assert salticid("dislike", folder, other, one).status == 0
    assert salticid("like", folder, one).status == 0, "the last word counts"
    assert words_in(folder) == {one: "liked", other: "rejected"}
    assert visits(folder) == before, "nothing is fetched"
    assert salticid(*command[:4], "--max-pages", PAGES + 10, "--out", folder).status == 0
    assert len(visits(folder)) >= len(before) + 10
    check_calls(folder)


def test_what_is_no_page_of_the_crawl_is_named(crawl: tuple[Path, tuple[str | int | Path, ...]]) -> None:
    folder, _ = crawl
    refused = salticid("like", folder, "http://nowhere.example/")
    assert refused.status == 2
    assert "http://nowhere.example/ is no page of the crawl" in refused.err
    assert salticid("like", folder.parent / "none", "http://nowhere.example/").status == 2


def test_questions_are_asked_until_the_person_quits(crawl: tuple[Path, tuple[str | int | Path, ...]]) -> None:
    folder, _ = crawl
    before = visits(folder)
    asked = salticid_anew("ask", folder, said="perhaps\ny\nn\nskip\nno\nno\nyes\nq\n")
    assert asked.status == 0, asked.err
    assert asked.err.count("Is this what you mean?") == 7
    assert sorted(words_in(folder).values()) == ["liked", "liked", "rejected", "rejected", "rejected"]
    assert visits(folder) == before
    check_calls(folder)


def test_a_crawl_that_runs_hears_it(tmp_path: Path) -> None:
    site, folder = Site(pages=60, seconds=0.3), tmp_path / "crawl"
    with served(site) as port:
        topic = site.write_topic(tmp_path / "t.toml")
        command = ("crawl", topic, *live(port, 2), "--max-pages", 60, "--out", folder)
        with Program(*command) as program:
            program.until(lambda: visits_in(folder) >= 2, "two visits")
            said = salticid("like", folder, site.url(0))
            assert said.status == 0, said.err
            assert "the crawl that runs hears it" in said.out
            program.until(lambda: words_in(folder) == {site.url(0): "liked"}, "the word in the log")
            program.kill()
    assert (folder / "likes.jsonl").read_bytes() == b""
    check_calls(folder)
