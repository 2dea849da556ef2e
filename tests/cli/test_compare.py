"""The laboratory from outside: `salticid compare` through the real program."""

from __future__ import annotations

import json
import math
import shutil
from pathlib import Path
from typing import Any

import pytest
from tests.support.running import Said, salticid, with_plugin

METRICS = {
    "harvest", "target_recall", "recall_auc", "search_length", "oracle_share", "classifier_rocchio",
    "classifier_widrow_hoff", "classifier_eg", "smart_rank", "mean_similarity", "coverage_lexical",
    "coverage_linkage", "linkage_rank", "est_precision", "est_recall", "est_recency", "cohesiveness",
    "overall_cohesiveness", "distance", "novelty", "robustness", "judge_ap",
}  # fmt: skip


@pytest.fixture(scope="module")
def lab(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A world, its topics, and a race."""
    folder = tmp_path_factory.mktemp("lab")
    assert salticid("world", "build", folder / "world", "--synthetic", 300, "--seed", 4).status == 0
    made = salticid("world", "topics", folder / "world", "--out", folder / "topics", "--min-pages", 18)
    assert made.status == 0, made.err
    said = race(folder, folder / "race", "--repeats", 2, "--robustness", "--sweep")
    assert said.status == 0, said.err
    return folder


def race(folder: Path, out: Path, *options: str | int | Path) -> Said:
    return salticid(
        "compare", folder / "world", "--topics", folder / "topics", "--strategy", "breadth_first", "--strategy",
        "best_n_first:n=4", "--strategy", "myspiders", "--max-pages", 40, "--max-buffer", 64, "--out", out, "--json",
        *options,
    )  # fmt: skip


def results(folder: Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((folder / "results.json").read_text())
    return found


def test_every_measure_of_every_strategy_is_there(lab: Path) -> None:
    found = results(lab / "race")
    assert list(found["strategies"]) == ["breadth_first", "best_n_first:n=4", "myspiders"]
    topics = len(found["topics"])
    assert topics >= 5
    for scores in found["strategies"].values():
        assert scores.keys() >= METRICS
        for name, score in scores.items():
            assert score.keys() == {"mean", "se", "n"}
            known = score["n"] > 0
            assert (score["mean"] is not None) == known, name
            if known:
                assert math.isfinite(score["mean"]), name
        assert scores["est_recency"]["mean"] == 1, "what a crawl has just read is as recent as can be"
        assert scores["oracle_share"]["n"] == topics
        assert 0 < scores["robustness"]["mean"] <= 1


def test_differences_are_tested_pair_by_pair(lab: Path) -> None:
    tests = [test for test in results(lab / "race")["tests"] if test["metric"] == "oracle_share"]
    assert [(test["a"], test["b"]) for test in tests] == [
        ("breadth_first", "best_n_first:n=4"), ("breadth_first", "myspiders"), ("best_n_first:n=4", "myspiders"),
    ]  # fmt: skip
    for test in tests:
        assert test["low"] <= test["diff"] <= test["high"]
        assert test["p"] <= test["p_adjusted"] <= 1


def test_means_are_those_of_the_topics(lab: Path) -> None:
    found = results(lab / "race")
    for name, scores in found["strategies"].items():
        values = [topic["values"][name]["harvest"] for topic in found["topics"]]
        assert scores["harvest"]["mean"] == pytest.approx(sum(values) / len(values))


def test_the_same_experiment_gives_the_same_bytes(lab: Path, tmp_path: Path) -> None:
    again = race(lab, tmp_path / "again", "--repeats", 2, "--robustness", "--sweep", "--workers", 1)
    assert again.status == 0, again.err
    for name in ("results.json", "report.html"):
        assert (tmp_path / "again" / name).read_bytes() == (lab / "race" / name).read_bytes()
    costs = json.loads((tmp_path / "again" / "timings.json").read_text())["strategies"]
    assert all(cost["cpu_ms_per_page"]["mean"] > 0 for cost in costs.values())


def test_finished_parts_are_not_run_again(lab: Path) -> None:
    kept = {file: file.stat().st_mtime_ns for file in (lab / "race").glob("*/*.json")}
    before = (lab / "race" / "results.json").read_bytes()
    assert race(lab, lab / "race", "--repeats", 2, "--robustness", "--sweep", "--workers", 1).status == 0
    assert {file: file.stat().st_mtime_ns for file in (lab / "race").glob("*/*.json")} == kept
    assert (lab / "race" / "results.json").read_bytes() == before


def test_an_experiment_may_be_a_file(lab: Path, tmp_path: Path) -> None:
    file = tmp_path / "race.toml"
    file.write_text(
        f'world = "{lab}/world"\ntopics = "{lab}/topics"\nmax_pages = 40\nmax_buffer = 64\nrepeats = 2\n'
        'strategies = ["breadth_first", "best_n_first:n=4", "myspiders"]\nrobustness = true\nsweep = true\n'
    )
    shutil.copytree(lab / "race", tmp_path / "out")  # its parts are those that the file asks for
    (tmp_path / "out" / "results.json").unlink()
    said = salticid("compare", file, "--out", tmp_path / "out", "--json", "--workers", 1)
    assert said.status == 0, said.err
    assert (tmp_path / "out" / "results.json").read_bytes() == (lab / "race" / "results.json").read_bytes()
    said = salticid("compare", file, "--max-pages", 9, "--out", tmp_path / "out")
    assert (said.status, "--max-pages" in said.err) == (2, True)
    file.write_text('world = "w"\ntopics = "t"\nstrategies = []\nmax_page = 3\n')
    said = salticid("compare", file, "--out", tmp_path / "out")
    assert (said.status, "max_page" in said.err) == (2, True)


def test_a_strategy_may_be_a_file(lab: Path, tmp_path: Path) -> None:
    file = tmp_path / "wide.toml"
    file.write_text('strategy = "best_n_first"\nn = 4\n')
    said = salticid(
        "compare", lab / "world", "--topics", lab / "topics", "--strategy", file, "--strategy", "best_n_first:n=4",
        "--max-pages", 30, "--out", tmp_path / "out", "--workers", 1,
    )  # fmt: skip
    assert said.status == 0, said.err
    by_file, by_name = results(tmp_path / "out")["strategies"].values()
    assert by_file == by_name


def test_a_world_built_anew_is_measured_anew(tmp_path: Path) -> None:
    (tmp_path / "t").mkdir()
    (tmp_path / "t" / "t.toml").write_text(
        'name = "t"\nkeywords = "jumping spiders"\nseeds = ["http://s.example/0.html"]\n'
        'targets = ["http://s.example/3.html", "http://s.example/9.html"]\n'
    )
    shares = []
    for last in ("", "<a href=9.html>x</a>"):
        site = tmp_path / f"site{len(last)}"
        site.mkdir()
        links = "".join(f"<a href={n}.html>x</a>" for n in range(1, 9))
        for n in range(10):
            (site / f"{n}.html").write_text("spiders jump " + (links if n == 0 else last if n == 8 else ""))
        world = tmp_path / "w"
        shutil.rmtree(world, ignore_errors=True)
        assert salticid("world", "build", world, "--html", site, "--base-url", "http://s.example/").status == 0
        order = (
            "--topics",
            tmp_path / "t",
            "--strategy",
            "breadth_first",
            "--max-pages",
            6,
            "--out",
            tmp_path / "o",
            "--workers",
            1,
        )
        assert salticid("compare", world, *order).status == 0
        shares.append(results(tmp_path / "o")["strategies"]["breadth_first"]["oracle_share"]["mean"])
    assert shares == pytest.approx([0.6, 0.375])


def test_a_strategy_that_raises_is_told_and_the_rest_stands(lab: Path, tmp_path: Path) -> None:
    said = with_plugin(
        "compare", lab / "world", "--topics", lab / "topics", "--strategy", "grumpy", "--strategy", "best_first",
        "--max-pages", 30, "--out", tmp_path / "out", "--workers", 1,
    )  # fmt: skip
    assert said.status == 0, said.err
    assert "grumpy failed on" in said.err
    found = results(tmp_path / "out")
    assert all(topic["failed"] == {"grumpy": "RuntimeError: I have had enough of <this>"} for topic in found["topics"])
    assert found["strategies"]["grumpy"]["harvest"] == {"mean": None, "se": None, "n": 0}
    assert found["strategies"]["best_first"]["harvest"]["n"] == len(found["topics"])
    report = (tmp_path / "out" / "report.html").read_text()
    assert "enough of &lt;this&gt;" in report
    assert "<this>" not in report


@pytest.mark.parametrize(
    ("change", "word"),
    [
        ({"--topics": "empty"}, "holds no topic files"),
        ({"--strategy": "best_frist"}, "best_first"),
        ({"--strategy": "oracle"}, "oracle_share"),
        ({"--strategy": "best_n_first:m=3"}, "m"),
        ({"--strategy": "best_n_first:n"}, "KEY=VALUE"),
        ({"--judge": "cosinus"}, "cosine"),
        ({"--arrivals": "none"}, "roulette:100/50"),
        ({"--topics": None}, "--topics"),
        ({"--strategy": None}, "--strategy"),
        ({"--out": None}, "--out"),
        ({"WORLD": "nowhere"}, "nowhere"),
        ({"--out": "empty/file"}, "--out"),
    ],
    ids=str,
)
def test_a_mistake_gets_one_line(lab: Path, tmp_path: Path, change: dict[str, str | None], word: str) -> None:
    (tmp_path / "empty").mkdir()
    (tmp_path / "empty" / "file").touch()
    order: dict[str, str | None] = {
        "WORLD": str(lab / "world"), "--topics": str(lab / "topics"), "--strategy": "best_first",
        "--out": str(tmp_path / "o"),
    }  # fmt: skip
    for name, value in change.items():
        order[name] = str(tmp_path / value) if value in ("empty", "nowhere", "empty/file") else value
    world = order.pop("WORLD")
    options = [part for name, value in order.items() if value is not None for part in (name, value)]
    said = salticid("compare", str(world), *options)
    assert said.status == 2, said
    assert said.err.count("\n") == 1
    assert word in said.err


def test_a_world_without_labels_is_raced_with_topics_made_by_hand(tmp_path: Path) -> None:
    site = tmp_path / "site"
    site.mkdir()
    for n in range(12):
        (site / f"{n}.html").write_text(f"<title>{n}</title>spiders jump <a href={(n + 1) % 12}.html>on</a>")
    assert salticid("world", "build", tmp_path / "w", "--html", site, "--base-url", "http://s.example/").status == 0
    (tmp_path / "t").mkdir()
    (tmp_path / "t" / "t.toml").write_text(
        'name = "t"\nkeywords = "jumping spiders"\nseeds = ["http://s.example/0.html"]\n'
    )
    said = salticid(
        "compare",
        tmp_path / "w",
        "--topics",
        tmp_path / "t",
        "--strategy",
        "best_first",
        "--out",
        tmp_path / "o",
        "--workers",
        1,
    )
    assert said.status == 0, said.err
    scores = results(tmp_path / "o")["strategies"]["best_first"]
    assert scores["target_recall"]["n"] == scores["oracle_share"]["n"] == 0, "nobody said what is to be found"
    assert scores["est_recency"] == {"mean": None, "se": None, "n": 0}, "these pages have no dates"
    assert scores["smart_rank"]["n"] == 1
