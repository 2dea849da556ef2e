"""The hunter on the encyclopedia, on subjects that had no part in its prior: a floor that only rises."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from tests.test_hunter import share

from salticid.worlds.build import build
from salticid.worlds.folder import HtmlFolder
from salticid.worlds.topics import TopicPlan, make_topics

FLOORS = json.loads((Path(__file__).parent / "floors.json").read_text())
HELD_OUT = slice(1, None, 8)
"""Odd places by file name: the prior was fitted to the even ones."""


@pytest.fixture(scope="module")
def schools(
    schools_dir: Path, shared: Callable[[str], Path], tmp_path_factory: pytest.TempPathFactory
) -> Path:
    world = tmp_path_factory.mktemp("schools") / "world"
    build(
        world,
        HtmlFolder(schools_dir, "http://schools-wikipedia.org/"),
        shared("data/schools-wikipedia.labels.tsv"),
    )
    return world


def test_on_the_encyclopedia_it_keeps_its_floor(schools: Path) -> None:
    made = make_topics(schools, schools.parent / "topics", TopicPlan(task="neighbours")).files
    files = sorted(made)[HELD_OUT]
    found, other = (
        float(np.mean([share(schools, file, name, 200) for file in files]))
        for name in ("hunter", "best_first")
    )
    assert found >= FLOORS["encyclopedia neighbours"], "the floor is never lowered"
    assert found > 1.2 * other
