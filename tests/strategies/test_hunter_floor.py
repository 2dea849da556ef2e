"""The hunter on webs and subjects that had no part in its prior: floors that only rise."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Literal

import numpy as np
import pytest
from tests.strategies.test_hunter import share

from salticid.worlds.generating.building import WebEdition, build_generated
from salticid.worlds.topics import TopicPlan, make_topics

FLOORS = json.loads((Path(__file__).parents[1] / "floors.json").read_text())
HELD_OUT = slice(1, None, 8)
"""Odd places by file name: the prior was fitted to the even ones."""

Task = Literal["examples", "neighbours"]


def shares(world: Path, files: Iterable[Path], pages: int) -> tuple[float, float]:
    """The mean oracle share of the hunter and of best-first."""
    hunter, best_first = (
        float(np.mean([share(world, file, name, pages) for file in files])) for name in ("hunter", "best_first")
    )
    return hunter, best_first


def test_on_the_encyclopedia_it_keeps_its_floor(schools_world: Path, tmp_path: Path) -> None:
    made = make_topics(schools_world, tmp_path / "topics", TopicPlan(task="neighbours")).files
    found, other = shares(schools_world, sorted(made)[HELD_OUT], 200)
    assert found >= FLOORS["encyclopedia neighbours"], "the floor is never lowered"
    assert found > 1.2 * other


def test_at_the_universities_it_keeps_its_floor(webkb_world: Path, tmp_path: Path) -> None:
    made = make_topics(webkb_world, tmp_path / "topics", TopicPlan(task="neighbours")).files
    found, other = shares(webkb_world, sorted(made)[::2], 200)
    assert found >= FLOORS["universities neighbours"], "the floor is never lowered"
    assert found > other


@pytest.fixture(scope="module")
def menus(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A generated web whose sites have heavy menus."""
    world = tmp_path_factory.mktemp("menus") / "world"
    build_generated(world, WebEdition(4000, seed=11, menus=True))
    return world


@pytest.mark.parametrize("task", ["examples", "neighbours"])
def test_among_heavy_menus_it_keeps_its_floor(task: Task, menus: Path) -> None:
    made = make_topics(menus, menus.parent / task, TopicPlan(task=task)).files
    found, other = shares(menus, sorted(made)[HELD_OUT], 150)
    assert found >= FLOORS[f"heavy menus {task}"], "the floor is never lowered"
    assert found > 1.2 * other
