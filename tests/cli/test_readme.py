"""README, walked from top to bottom in an empty folder: every command line runs there, in its order."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.support.serving import served_world
from tests.support.walking import HOME, PAGES, ROOT, Walk, blocks, write_pages

from salticid.worlds.building import build
from salticid.worlds.sources import HtmlFolder

LINES = [line for block in blocks(ROOT / "README.md") for line in block.commands]


@pytest.fixture(scope="module")
def here(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder that holds nothing but pages."""
    folder = tmp_path_factory.mktemp("readme")
    write_pages(folder / "pages")
    return folder


@pytest.fixture(scope="module")
def port(here: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[int]:
    """Where these pages are served."""
    world = tmp_path_factory.mktemp("served") / "world"
    build(world, HtmlFolder(here / "pages", HOME))
    with served_world(world) as port:
        yield port


def test_every_line_of_the_readme_runs_in_its_order(here: Path, port: int) -> None:
    walk = Walk(here, port)
    walk.through(ROOT / "README.md")
    assert len((here / "spiders.jsonl").read_text().splitlines()) > 10
    assert "courtship" in (here / "spiders.jsonl").read_text()
    assert (here / "race" / "report.html").exists()
    assert 'judge = "' in (here / "evolved.toml").read_text()
    assert int(walk.run_python("print(len(hunt.to_pandas()))")) >= int(PAGES)


def test_there_is_something_to_walk() -> None:
    words = {line.split()[1] for line in LINES if line.startswith("salticid ")}
    assert words >= {"demo", "crawl", "search", "export", "watch", "serve", "compare", "evolve", "world"}


def test_what_is_installed_can_be_installed() -> None:
    """The extras exist, and both ways to install name the same."""
    installs = [line for line in LINES if line.startswith(("pip ", "uv "))]
    extras = [re.findall(r"^(?:pip|uv tool) install '\.\[([\w,]+)\]'$", line) for line in installs]
    assert extras == [["lab,ui,export"]] * 2
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    assert set(extras[0][0].split(",")) <= project["optional-dependencies"].keys()
