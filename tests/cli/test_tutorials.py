"""The tutorials, each walked from top to bottom in a folder of its own."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.support.serving import served_world
from tests.support.walking import HOME, ROOT, Walk, write_pages

from salticid.worlds.building import build
from salticid.worlds.sources import HtmlFolder

TUTORIALS = sorted((ROOT / "docs" / "tutorials").glob("*.md"))


@pytest.fixture(scope="module")
def port(tmp_path_factory: pytest.TempPathFactory) -> Iterator[int]:
    """Where pages about spiders and cattle are served."""
    folder = tmp_path_factory.mktemp("served")
    write_pages(folder / "pages")
    build(folder / "world", HtmlFolder(folder / "pages", HOME))
    with served_world(folder / "world") as port:
        yield port


def test_there_is_a_tutorial_for_each_thing_that_people_need() -> None:
    assert {file.stem for file in TUTORIALS} == {
        "first-hunt", "collection-for-rag", "race-strategies", "write-a-strategy", "watch-a-subject", "many-machines",
    }  # fmt: skip


@pytest.mark.parametrize("tutorial", TUTORIALS, ids=lambda file: file.stem)
def test_every_line_of_a_tutorial_runs_in_its_order(tutorial: Path, port: int, tmp_path: Path) -> None:
    Walk(tmp_path, port).through(tutorial)
