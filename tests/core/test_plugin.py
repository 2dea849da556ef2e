"""What others bring is like ours: a strategy is listed, set, crawled with and held to the contract, a measure is
measured by; whether in a package of their own, in one file beside ours, or in one file anywhere.
"""

from __future__ import annotations

import importlib
import json
import shutil
from pathlib import Path

import pytest
from tests.support.running import PLUGIN, running_from, salticid, with_plugin

import salticid as package
from salticid.errors import UserError
from salticid.judges import judges
from salticid.metrics import metrics
from salticid.registry import Room
from salticid.strategies import strategies
from salticid.testing.checks import check_strategy
from salticid.worlds.generating.building import WebEdition, build_generated
from salticid.worlds.topics import TopicPlan, make_topics

STRATEGY = """
from salticid.model import Ints, Visit
from salticid.strategies import QueueStrategy

class LastFirst(QueueStrategy):
    '''The links of the last page first.'''

    def score_links(self, visit: Visit, fresh: Ints) -> float:
        return float(visit.step)
"""
MEASURE = """
def first_score(crawl):
    '''What the judge gave the first page.'''
    return crawl.scores[0]
"""


@pytest.fixture(scope="module")
def lab(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A world and its topics."""
    folder = tmp_path_factory.mktemp("lab")
    build_generated(folder / "w", WebEdition(60))
    make_topics(folder / "w", folder / "topics", TopicPlan(min_pages=1))
    return folder


def race(lab: Path, out: Path, strategy: str | Path, *options: str) -> tuple[str | int | Path, ...]:
    return (
        "compare", lab / "w", "--topics", lab / "topics", "--strategy", strategy, "--max-pages", 20, "--out", out,
        *options,
    )  # fmt: skip


def scores(out: Path, strategy: str) -> dict[str, dict[str, float]]:
    results = json.loads((out / "results.json").read_text())
    found: dict[str, dict[str, float]] = results["strategies"][strategy]
    return found


def test_it_is_listed_with_its_settings() -> None:
    listed = [json.loads(line) for line in with_plugin("strategies", "--json").out.splitlines()]
    magpie = next(strategy for strategy in listed if strategy["name"] == "magpie")
    assert magpie["summary"] == "Goes for pages with a short title, because they glitter."
    assert magpie["settings"] == [{"name": "glitter", "default": 20, "allowed": "int, 1 to 80"}]
    assert "best_first" in [strategy["name"] for strategy in listed]


def test_it_crawls_and_a_wrong_setting_is_named(lab: Path, tmp_path: Path) -> None:
    topic = min((lab / "topics").glob("*.toml"))
    order = ("crawl", topic, "--web", lab / "w", "--strategy", "magpie", "--max-pages", "20", "--json")
    said = with_plugin(*order, "--set", "glitter=5", "--out", tmp_path / "c")
    assert json.loads(said.out)["pages"] == 20, said.err
    wrong = with_plugin(*order, "--set", "glitter=500", "--out", tmp_path / "d")
    assert wrong.status == 2
    assert "glitter" in wrong.err


def test_it_keeps_the_contract(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(PLUGIN))
    check_strategy(importlib.import_module("salticid_magpie").Magpie)


def test_a_measure_of_another_package_is_measured_by(lab: Path, tmp_path: Path) -> None:
    said = with_plugin(*race(lab, tmp_path / "all", "magpie", "--workers", "1"))
    assert said.status == 0, said.err
    measured = scores(tmp_path / "all", "magpie")
    assert "harvest" in measured
    assert 0 < measured["short_urls"]["mean"] <= 1
    report = (tmp_path / "all" / "report.html").read_text()
    assert "short addresses" in report
    assert "On things that glitter" in report


def test_a_format_of_another_package_is_offered_and_written(lab: Path, tmp_path: Path) -> None:
    topic, crawl = min((lab / "topics").glob("*.toml")), tmp_path / "c"
    assert salticid("crawl", topic, "--web", lab / "w", "--max-pages", "5", "--out", crawl).status == 0
    assert "|shiny|" in with_plugin("export", "--help").out
    said = with_plugin("export", crawl, "--to", "shiny", "--out", "-", "--order", "visits")
    assert (said.status, len(said.out.splitlines())) == (0, 5), said.err
    assert all(line.startswith("* ") for line in said.out.splitlines())
    without = salticid("export", crawl, "--to", "shiny", "--out", "-")
    assert (without.status, "no format 'shiny'" in without.err) == (2, True)


def test_a_world_is_built_from_a_source_of_another_package(tmp_path: Path) -> None:
    (tmp_path / "titles.txt").write_text("portia\nphidippus\nsaltiscus\n")
    order = (
        "world",
        "build",
        tmp_path / "w",
        "--nest",
        tmp_path / "titles.txt",
        "--nest-host",
        "birds.example",
    )
    said = with_plugin(*order, "--context-paths", "--json")
    assert (said.status, json.loads(said.out)["pages"]) == (0, 3), said.err
    assert (tmp_path / "w" / "context_paths.jsonl").read_text().count("http://birds.example/") >= 3
    dated = with_plugin(*order, "--at", "3")
    assert (dated.status, "--at says nothing to this source" in dated.err) == (2, True)
    assert "--nest," in with_plugin("world", "build", tmp_path / "v").err
    assert salticid(*order).status == 2


def test_one_file_adds_a_strategy_and_one_file_a_measure(lab: Path, tmp_path: Path) -> None:
    shutil.copytree(Path(package.__file__).parent, tmp_path / "salticid")
    (tmp_path / "salticid" / "strategies" / "last_first.py").write_text(STRATEGY)
    (tmp_path / "salticid" / "metrics" / "first_score.py").write_text(MEASURE)
    listed = running_from(tmp_path, "strategies", "last_first", "--json")
    assert json.loads(listed.out)["summary"] == "The links of the last page first."
    said = running_from(tmp_path, *race(lab, tmp_path / "race", "last_first", "--workers", "1"))
    assert said.status == 0, said.err
    assert {"first_score", "harvest"} <= scores(tmp_path / "race", "last_first").keys()
    assert "What the judge gave the first page." in (tmp_path / "race" / "report.html").read_text()


@pytest.mark.parametrize(
    ("room", "file", "text", "missing"),
    [
        (strategies, "strategies/late_first.py", STRATEGY, "'LateFirst'; did you mean 'LastFirst'"),
        (judges, "judges/strict.py", "class Severe:\n    def score(self): ...", "'Strict'; there is: Severe"),
        (metrics, "metrics/last_score.py", MEASURE, "'last_score'; did you mean 'first_score'"),
    ],
)
def test_a_file_whose_content_has_another_name_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, room: Room[object], file: str, text: str, missing: str
) -> None:
    wrong = tmp_path / file
    wrong.parent.mkdir()
    wrong.write_text(text)
    package_of_room = importlib.import_module(f"salticid.{wrong.parent.name}")
    monkeypatch.setattr(package_of_room, "__path__", [*package_of_room.__path__, str(wrong.parent)])
    importlib.invalidate_caches()
    assert wrong.stem in room.names()
    with pytest.raises(UserError, match=f"no {room.kind} in {wrong} {missing}"):
        room.find(wrong.stem)


def test_a_class_that_lacks_what_it_takes_is_named(tmp_path: Path) -> None:
    (tmp_path / "idle.py").write_text("class Idle: ...")
    with pytest.raises(UserError, match=r"no strategy in .*idle.py 'Idle'; there is: none"):
        strategies.find_code(f"{tmp_path}/idle.py:Idle")


def test_a_measure_may_be_a_function_of_any_file(lab: Path, tmp_path: Path) -> None:
    file = tmp_path / "mine.py"
    file.write_text(MEASURE)
    order = race(lab, tmp_path / "race", "best_first", "--measures", f"harvest, {file}:first_score")
    said = salticid(*order, "--workers", 2)
    assert said.status == 0, said.err
    assert "first_score 0" in said.out
    assert scores(tmp_path / "race", "best_first").keys() == {"harvest", "first_score"}
