"""Going on by the command line: what is printed can be typed, and the same command finds its folder again."""

from __future__ import annotations

import json
import shlex
from pathlib import Path
from typing import Any

import pytest
from tests.support.running import Said, salticid

TEXT = "<title>Spider {0}</title><p>{1} spiders {0}. <a href=p{2}.html>more spiders</a>"
PAGES = 30


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Thirty pages in a row, all on topic, no two alike."""
    folder = tmp_path_factory.mktemp("row")
    (folder / "html").mkdir()
    for number in range(PAGES):
        words = " ".join(f"{word}{number}x" for word in ("jumping", "eye", "silk", "leg", "prey") * 5)
        (folder / "html" / f"p{number}.html").write_text(TEXT.format(number, words, number + 1))
    order = ("world", "build", folder / "w", "--html", folder / "html", "--base-url", "http://a.example/")
    assert salticid(*order).status == 0
    return folder / "w"


def hunt(world: Path, cwd: Path, *options: str | int, start: str = "p0.html") -> Said:
    where = ("--web", world, "--seed-url", f"http://a.example/{start}", "--strategy", "best_first")
    return salticid("crawl", "--query", "spiders", *where, *options, cwd=cwd)


def result(said: Said) -> dict[str, Any]:
    assert said.status == 0, said.err
    found: dict[str, Any] = json.loads(said.out)
    return found


def test_what_is_printed_can_be_typed(world: Path, tmp_path: Path) -> None:
    for options, more in (
        (("--max-pages", 5), 10),
        (("--max-pages=6", "--new"), 12),
        (("--max-pages", 9, "--max-fetches", 4, "--new"), 8),
    ):
        said = hunt(world, tmp_path, *options)
        line = next(line for line in said.out.splitlines() if line.startswith("Go on with: "))
        program, *words = shlex.split(line.removeprefix("Go on with: "))
        assert (program, "--new" in words) == ("salticid", False)
        again = result(salticid(*words, "--json", cwd=tmp_path))
        assert again["pages"] == more if "--max-fetches" not in options else again["fetches"] == more


def test_the_same_command_goes_on_in_the_same_folder(world: Path, tmp_path: Path) -> None:
    first = result(hunt(world, tmp_path, "--max-pages", 5, "--json"))
    assert first["out"] == "crawls/spiders-best_first"
    for pages in (5, 8):
        again = result(hunt(world, tmp_path, "--max-pages", pages, "--json"))
        assert (again["out"], again["pages"]) == (first["out"], pages)
    assert result(hunt(world, tmp_path, "--max-pages", 5, "--json", "--new"))["out"] == f"{first['out']}-2"
    for _ in range(2):
        other = hunt(world, tmp_path, "--max-pages", 5, "--json", "--seed", 3)
        assert result(other)["out"] == f"{first['out']}-3", "another crawl, but the same twice"
        elsewhere = hunt(world, tmp_path, "--max-pages", 5, "--json", start="p9.html")
        assert result(elsewhere)["out"] == f"{first['out']}-4", "from another page"
    fewer = hunt(world, tmp_path, "--max-pages", 3)
    assert (fewer.status, fewer.err.count("\n")) == (2, 1)
    assert "its max pages is 8, not 3" in fewer.err
    both = hunt(world, tmp_path, "--new", "--out", "there")
    assert (both.status, "leave one of them out" in both.err) == (2, True)


def test_a_folder_of_other_things_is_refused(world: Path, tmp_path: Path) -> None:
    (tmp_path / "letters").mkdir()
    (tmp_path / "letters" / "dear.txt").write_text("Dear Ann")
    said = hunt(world, tmp_path, "--out", "letters")
    assert (said.status, said.err.count("\n")) == (2, 1)
    assert "letters holds 'dear.txt', and no crawl; name a new or an empty folder with --out" in said.err
    assert [path.name for path in (tmp_path / "letters").iterdir()] == ["dear.txt"]
    (tmp_path / "empty").mkdir()
    (tmp_path / "empty" / ".keep").touch()
    assert result(hunt(world, tmp_path, "--out", "empty", "--max-pages", 2, "--json"))["pages"] == 2


def test_nothing_is_foretold_when_no_link_is_left(world: Path, tmp_path: Path) -> None:
    said = hunt(world, tmp_path)
    assert "Stopped: frontier empty" in said.out
    assert "Outlook: no link is left to follow, so what else there is cannot be known from here." in said.out
