"""The hunter on the encyclopedia, on subjects that had no part in its prior: a floor that only rises."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
from tests.test_hunter import share

from salticid.worlds.topics import TopicPlan, make_topics

FLOORS = json.loads((Path(__file__).parent / "floors.json").read_text())
HELD_OUT = slice(1, None, 8)
"""Odd places by file name: the prior was fitted to the even ones."""


def test_on_the_encyclopedia_it_keeps_its_floor(schools_world: Path, tmp_path: Path) -> None:
    made = make_topics(schools_world, tmp_path / "topics", TopicPlan(task="neighbours")).files
    files = sorted(made)[HELD_OUT]
    found, other = (
        float(np.mean([share(schools_world, file, name, 200) for file in files]))
        for name in ("hunter", "best_first")
    )
    assert found >= FLOORS["encyclopedia neighbours"], "the floor is never lowered"
    assert found > 1.2 * other
