"""Nothing that crawls can reach the truth: not by import, not by holding on to it, not by looking around."""

from __future__ import annotations

import gc
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from tests.support.generated_site import GeneratedSource

from salticid.judges import judges
from salticid.lab import experiment
from salticid.lab.crawl_record import crawl_once
from salticid.lab.experiment import Case, Experiment
from salticid.model import Choice
from salticid.runs.order import Recipe
from salticid.runs.recorded import MemoryLog, RecordedCrawl
from salticid.strategies import strategies
from salticid.strategies.best_first import BestFirst
from salticid.topic import Limits
from salticid.truth import Truth, load_topic
from salticid.webs.recorded import RecordedWeb
from salticid.worlds.building import build
from salticid.worlds.topics import TopicPlan, make_topics

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def lab(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    folder = tmp_path_factory.mktemp("apart")
    build(folder / "world", GeneratedSource(120, seed=2))
    made = make_topics(folder / "world", folder / "topics", TopicPlan(min_pages=12, examples_per_topic=2))
    return folder / "world", made.files[0]


@pytest.mark.parametrize("room", ["strategies", "judges", "learning", "drivers"])
def test_a_file_that_imports_the_truth_does_not_pass(room: str, tmp_path: Path) -> None:
    shutil.copytree(ROOT / "src", tmp_path / "src", ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(ROOT / "pyproject.toml", tmp_path)
    shutil.copytree(ROOT / "tools", tmp_path / "tools", ignore=shutil.ignore_patterns("__pycache__"))
    cheat = tmp_path / "src" / "salticid" / room / "cheat.py"
    cheat.write_text('"""Cheats."""\n\nfrom salticid.truth import load_topic\n\nSEE = load_topic\n')
    check = "from importlinter.cli import lint_imports_command as check; check()"
    done = subprocess.run(
        [sys.executable, "-c", f"import sys; sys.path.insert(0, 'src'); {check}", "--no-cache"],
        cwd=tmp_path, capture_output=True, text=True, timeout=120,
    )  # fmt: skip
    assert done.returncode == 1, done.stdout + done.stderr
    assert f"salticid.{room}.cheat" in done.stdout


def test_a_crawl_holds_on_to_no_truth(lab: tuple[Path, Path]) -> None:
    world, file = lab
    topic, truth = load_topic(file)
    assert truth.targets
    recipe = Recipe(strategies.make("best_first"), judges.make("cosine"), Limits(max_pages=20))
    run = RecordedCrawl(topic, RecordedWeb(world), recipe, MemoryLog())
    run.run()
    seen: set[int] = set()
    reachable: list[object] = [run]
    while reachable:
        found = reachable.pop()
        if id(found) in seen or isinstance(found, type) or type(found).__name__ in ("module", "function"):
            continue
        seen.add(id(found))
        assert not isinstance(found, Truth)
        reachable += gc.get_referents(found)
    assert len(seen) > 100


class Snoop(BestFirst):
    """A cheat: looks for the truth about its topic, known by a target, among all objects there are."""

    found: list[Truth]
    wanted: str

    def choose(self, n: int, busy: frozenset[int]) -> list[Choice]:
        there = [each for each in gc.get_objects() if isinstance(each, Truth)]
        self.found += [each for each in there if self.wanted in each.targets]
        return super().choose(n, busy)


def test_a_strategy_of_the_lab_that_looks_around_finds_no_truth(
    lab: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    world, file = lab
    snoop = Snoop()
    snoop.found, snoop.wanted = [], experiment.truth_of(str(file)).targets[0]
    monkeypatch.setattr(Experiment, "strategy", lambda plan, spec: snoop)
    plan = Experiment(str(world), str(file.parent), ("best_first",), max_pages=20)
    record = crawl_once(plan, Case(str(file), "best_first", 0, 100))
    assert (record.failed, len(record.pages)) == (None, 20)
    assert snoop.found == []
    kept = experiment.truth_of(str(file))
    assert [each for each in gc.get_objects() if each is kept], "the snoop would have seen it"
