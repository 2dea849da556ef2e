"""A crawl decides alike on every processor: no last bit of a logarithm comes from what a processor can do."""

from __future__ import annotations

import ast
import math
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest
from tests.support.generated_site import GeneratedSource

import salticid
from salticid import exact
from salticid.model import Floats
from salticid.worlds.building import build
from salticid.worlds.topics import TopicPlan, make_topics

ROOMS = (
    "crawl.py",
    "drivers",
    "exact.py",
    "judges",
    "learning",
    "outlook.py",
    "strategies",
    "tables",
    "text",
    "webs",
)
"""Where it is decided what a crawl does."""
ALLOWED = {
    "math": {"ceil", "factorial", "floor", "frexp", "fsum", "inf", "isnan", "ldexp", "sqrt"},
    "strategies/pagerank.py": {"log10"},  # of a setting, to count its digits
}
LESS_THAN_EXACT = {
    "exp", "exp2", "expm1", "log", "log2", "log10", "log1p", "logaddexp", "power", "float_power", "cbrt", "hypot",
    "sin", "cos", "tan", "sinh", "cosh", "tanh", "arctan", "geomspace", "logspace",
}  # fmt: skip
"""Of numpy."""

_CRAWLS = """
import sys
from pathlib import Path
from salticid.model import Limits
from salticid.truth import load_topic
from tests.support.running import crawl_in_memory

world, file = map(Path, sys.argv[1:3])
for strategy in sys.argv[3:]:
    web, visits = crawl_in_memory(world, load_topic(file)[0], strategy, Limits(max_pages=60), "window:4")
    for visit in visits:
        print(strategy, visit.url, visit.score.hex(), visit.seconds.hex(), visit.choice.score.hex(), visit.choice.why)
"""
OLD_PROCESSOR = {
    "NPY_DISABLE_CPU_FEATURES": "X86_V3",
    "GLIBC_TUNABLES": "glibc.cpu.hwcaps=-AVX2,-FMA,-AVX2_Usable,-FMA_Usable",
    "OPENBLAS_CORETYPE": "Nehalem",
}
"""What numpy, the C library and OpenBLAS heed; elsewhere they change nothing."""


def test_nothing_that_decides_takes_a_logarithm_from_a_library() -> None:
    found = {
        f"{room}: {name}"
        for room, tree in _modules()
        for name in _inexact(tree, ALLOWED["math"] | ALLOWED.get(room, set()))
    }
    assert found == set()


def _modules() -> Iterator[tuple[str, ast.Module]]:
    home = Path(salticid.__file__).parent
    for room in ROOMS:
        files = sorted((home / room).rglob("*.py")) if (home / room).is_dir() else [home / room]
        for file in files:
            yield file.relative_to(home).as_posix(), ast.parse(file.read_text())


def _inexact(tree: ast.Module, allowed: set[str]) -> Iterator[str]:
    """The functions that a module takes from numpy or the C library and that may differ in their last bit."""
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.module == "math":
            yield from (name.name for name in node.names if name.name not in allowed)
        elif isinstance(node, ast.Attribute):
            name = ast.unparse(node)
            room, _, function = name.partition(".")
            if (room == "np" and function in LESS_THAN_EXACT) or (room == "math" and function not in allowed):
                yield name


def test_agents_walk_alike_on_a_processor_that_can_do_less(tmp_path: Path) -> None:
    build(tmp_path / "world", GeneratedSource(500, seed=5))
    topic = make_topics(tmp_path / "world", tmp_path / "topics", TopicPlan(min_pages=25)).files[0]
    order = (tmp_path / "world", topic, "infospiders", "myspiders", "hunter")
    here, there = _crawled(*order), _crawled(*order, environment=OLD_PROCESSOR)
    assert len(here) > 180
    assert here == there


def _crawled(*order: Path | str, environment: dict[str, str] | None = None) -> list[str]:
    command = [sys.executable, "-W", "ignore", "-c", _CRAWLS, *map(str, order)]
    path = os.pathsep.join([str(Path(__file__).parents[2]), os.environ.get("PYTHONPATH", "")])
    env = {**os.environ, "PYTHONPATH": path, **(environment or {})}
    return subprocess.run(command, capture_output=True, text=True, env=env, timeout=240, check=True).stdout.splitlines()


@pytest.mark.parametrize(
    ("one", "many", "known", "low", "high"),
    [
        (exact.exp, exact.exps, math.exp, -700.0, 700.0),
        (exact.exp, exact.exps, math.exp, -1.0, 1.0),
        (exact.log, exact.logs, math.log, 1e-300, 1e300),
        (exact.log, exact.logs, math.log, 0.5, 2.0),
        (exact.tanh, exact.tanhs, math.tanh, -3.0, 3.0),
        (exact.tanh, exact.tanhs, math.tanh, -1e-6, 1e-6),
        (exact.tanh, exact.tanhs, math.tanh, -50.0, 50.0),
        (None, exact.expm1s, math.expm1, -50.0, 50.0),
    ],
)
def test_they_are_right_but_for_the_last_two_bits_and_agree_one_by_one(
    one: Callable[[float], float] | None,
    many: Callable[[Floats], Floats],
    known: Callable[[float], float],
    low: float,
    high: float,
) -> None:
    numbers = np.random.default_rng(0).uniform(low, high, 5000)
    expected = np.array([known(number) for number in numbers.tolist()])
    assert (np.abs(many(numbers) - expected) <= 3 * np.spacing(np.abs(expected))).all()
    if one is not None:
        assert many(numbers).tolist() == [one(number) for number in numbers.tolist()]
        assert many(numbers[:5]).tolist() == many(numbers)[:5].tolist()
