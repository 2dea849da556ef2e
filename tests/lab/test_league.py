"""The league from outside: `salticid league` through the real program, on two small webs."""

from __future__ import annotations

import json
import signal
import time
from pathlib import Path
from typing import Any

import pytest
from tests.support.killing import Program
from tests.support.running import PATIENCE, Said, salticid

from salticid.cli.interrupts import INTERRUPTED
from salticid.lab.compare import read_plan
from salticid.lab.league import League
from salticid.runs.named import strategy_of
from salticid.service.wish import strategy_menu
from salticid.truth import load_topic

ROOT = Path(__file__).resolve().parents[2]
OPTIONS = (
    "--strategy", "breadth_first", "--strategy", "shark_search", "--judge", "cosine", "--max-pages", 30,
    "--topics-per-web", 3, "--workers", 1,
)  # fmt: skip
WAYS = [(task, alone) for alone in (False, True) for task in ("examples", "neighbours")]
PAGE = "# A page\n\n<!-- figures -->\nold\n<!-- /figures -->\nthe end\n"


@pytest.fixture(scope="module")
def webs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two worlds, and a league that was played on them."""
    folder = tmp_path_factory.mktemp("league")
    assert salticid("world", "build", folder / "plain", "--synthetic", 300, "--seed", 4).status == 0
    assert salticid("world", "build", folder / "menus", "--synthetic", 300, "--seed", 4, "--menus").status == 0
    (folder / "page.md").write_text(PAGE)
    said = play(folder, folder / "out", "--into", folder / "page.md", "--shares", folder / "shares.json")
    assert said.status == 0, said.err
    (folder / "said.txt").write_text(said.out)
    return folder


def play(folder: Path, out: Path, *options: str | int | Path) -> Said:
    return salticid("league", folder / "plain", folder / "menus", *OPTIONS, "--out", out, *options)


def league(out: Path) -> list[dict[str, Any]]:
    matches: list[dict[str, Any]] = json.loads((out / "league.json").read_text())
    return matches


def test_every_web_is_played_on_in_four_ways(webs: Path) -> None:
    found = league(webs / "out")
    ways = [(match["web"], match["task"], match["keywords_alone"]) for match in found]
    assert ways == [(web, *way) for web in ("plain", "menus") for way in WAYS]
    for match in found:
        best, other = match["places"]
        assert {best["strategy"], other["strategy"]} == {"breadth_first", "shark_search"}
        assert best["oracle_share"]["mean"] >= other["oracle_share"]["mean"]
        assert best["oracle_share"]["n"] == match["topics"] == 3
        assert best["relevant_hosts"]["mean"] > 0
        assert best["behind"] is None
        test = other["behind"]
        assert test["a"] == best["strategy"]
        assert test["low"] <= test["diff"] <= test["high"]
        lead = best["oracle_share"]["mean"] - other["oracle_share"]["mean"]
        assert test["diff"] == pytest.approx(lead)


def test_the_shares_are_means_over_all_topics_with_examples(webs: Path) -> None:
    shares = json.loads((webs / "shares.json").read_text())
    assert shares.keys() == {"breadth_first", "shark_search"}
    assert [share["near"] for share in shares.values()] == sorted((s["near"] for s in shares.values()), reverse=True)
    for name, share in shares.items():
        for distance, task in (("near", "examples"), ("far", "neighbours")):
            means = [
                place["oracle_share"]["mean"]
                for match in league(webs / "out")
                for place in match["places"]
                if (match["task"], match["keywords_alone"], place["strategy"]) == (task, False, name)
            ]
            assert len(means) == 2
            assert share[distance] == pytest.approx(50 * sum(means), abs=0.051)


def test_the_page_shows_the_shares_of_the_file_and_none_without(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("salticid.strategies.__file__", str(tmp_path / "__init__.py"))

    def shown() -> dict[str, object]:
        return {each["name"]: each["worth"] for each in strategy_menu() if each["worth"] is not None}

    assert shown() == {}
    for damaged in ('{"opic": {"near": "much"}}', "{"):
        (tmp_path / "league.json").write_text(damaged)
        assert shown() == {}
    (tmp_path / "league.json").write_text('{"opic": {"near": 50, "far": 2.5}}')
    assert shown() == {"opic": {"near": 50.0, "far": 2.5}}
    assert [each["name"] for each in strategy_menu()][:2] == ["hunter", "opic"]


def test_a_match_is_the_comparison_that_compare_makes(webs: Path) -> None:
    match = next(match for match in league(webs / "out") if match["keywords_alone"])
    results = json.loads((webs / "out" / match["folder"] / "results.json").read_text())
    for place in match["places"]:
        for measure in ("oracle_share", "harvest", "relevant_hosts"):
            assert place[measure] == results["strategies"][place["strategy"]][measure]
    assert (webs / "out" / match["folder"] / "report.html").is_file()


def test_by_keywords_alone_nothing_but_the_examples_is_taken_away(webs: Path) -> None:
    alone = sorted((webs / "out" / "topics").glob("*-keywords/*.toml"))
    assert len(alone) == 2 * 2 * 3
    for file in alone:
        told, truth = load_topic(file)
        whole, same = load_topic(file.parent.with_name(file.parent.name.removesuffix("-keywords")) / file.name)
        assert (whole.examples != (), told.examples) == (True, ())
        assert (told.keywords, told.seeds, truth) == (whole.keywords, whole.seeds, same)


def test_what_is_printed_written_and_put_into_a_page_is_the_same(webs: Path) -> None:
    said, page = (webs / "said.txt").read_text(), (webs / "page.md").read_text()
    report = (webs / "out" / "report.html").read_text()
    assert page.startswith("# A page\n\n<!-- figures -->\n30 pages a crawl, ")
    assert page.endswith("<!-- /figures -->\nthe end\n")
    assert "\nold\n" not in page
    best = league(webs / "out")[0]["places"][0]
    share = f"{100 * best['oracle_share']['mean']:.1f}"
    for text in (said, page, report):
        assert "Who wins where" in text
        assert f"{share} best" in text
        assert "neighbours, keywords alone" in text
    assert f"| {best['strategy']} {share} |" in page
    assert report.count("<b>") == len(league(webs / "out")), "the best of each match stands out"
    assert "http:" not in report
    assert "https:" not in report
    for match in league(webs / "out"):
        assert f'href="{match["folder"]}/report.html"' in report


def test_an_interrupted_league_goes_on_to_the_same_end(webs: Path) -> None:
    out = webs / "stopped"
    with Program("league", webs / "plain", webs / "menus", *OPTIONS, "--out", out) as program:
        deadline = time.monotonic() + PATIENCE
        while not list(out.glob("*/crawls/*.json")) and time.monotonic() < deadline:
            time.sleep(0.02)
        program.send(signal.SIGINT)
        assert program.ends() == INTERRUPTED
        assert "the same command goes on from there" in program.err
        assert "Traceback" not in program.err
    assert not (out / "league.json").exists(), "it was stopped while there was work to do"
    kept = {file: file.stat().st_mtime_ns for file in out.glob("*/crawls/*.json")}
    assert play(webs, out).status == 0
    assert {file: file.stat().st_mtime_ns for file in kept} == kept, "no crawl was made twice"
    assert league(out) == league(webs / "out")


def test_a_file_says_it_all_and_takes_some_topics(webs: Path, tmp_path: Path) -> None:
    (tmp_path / "league.toml").write_text(
        'strategies = ["breadth_first", "shark_search"]\nmax_pages = 20\njudge = "cosine"\n'
        '[[webs]]\nname = "odd ones"\n'
        f'world = "{webs / "plain"}"\nplaces = "odd"\nplan = {{min_pages = 25, examples_per_topic = 3}}\n'
    )
    said = salticid("league", tmp_path / "league.toml", "--out", tmp_path / "out", "--json", "--workers", 1)
    assert said.status == 0, said.err
    assert json.loads(said.out)["matches"] == league(tmp_path / "out")
    made = salticid(
        "world",
        "topics",
        webs / "plain",
        "--out",
        tmp_path / "all",
        "--min-pages",
        25,
        "--examples-per-topic",
        3,
    )
    assert made.status == 0, made.err
    (folder,) = (tmp_path / "out" / "topics").glob("odd-ones-examples-????????")
    odd = sorted((tmp_path / "all").iterdir())[1::2]
    assert odd
    assert [file.read_text() for file in sorted(folder.iterdir())] == [file.read_text() for file in odd]


def test_what_cannot_be_played_is_said_before_anything_is_done(webs: Path, tmp_path: Path) -> None:
    (tmp_path / "typo.toml").write_text('[[webs]]\nname = "w"\nworld = "w"\nplan = {min_page = 3}\n')
    (tmp_path / "page.md").write_text("no marks")
    here = ("--out", tmp_path / "out")
    for arguments, told in (
        ((webs / "plain",), "name a folder with --out"),
        ((webs / "plain", webs / "plain", *here), "two webs are called plain"),
        ((tmp_path / "typo.toml", *here), "no option of topics 'min_page'; did you mean 'min_pages'?"),
        ((tmp_path / "none.toml", *here), "cannot read league"),
        ((tmp_path / "typo.toml", "--seed", 3, *here), "leave --seed out"),
        ((webs / "plain", "--strategy", "best_frist", *here), "did you mean 'best_first'?"),
        ((webs / "plain", "--into", tmp_path / "page.md", *here), "has no place for figures"),
    ):
        said = salticid("league", *arguments)
        assert (said.status, said.err.count("\n")) == (2, 1), said.err
        assert told in said.err
    assert not (tmp_path / "out").exists()


def test_the_league_of_the_docs_names_worlds_that_its_page_builds() -> None:
    played = read_plan(ROOT / "docs" / "league.toml", League)
    told = (ROOT / "docs" / "league.md").read_text()
    assert [web.world for web in played.webs if f"world build {web.world} " not in told] == []
    assert [each for each in played.players if not strategy_of(each)[0]] == []
