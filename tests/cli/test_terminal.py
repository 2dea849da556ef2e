"""What a person meets at the terminal: help, quiet, tables that hold together, words that are understood."""

from __future__ import annotations

import io
import json
from pathlib import Path

import pytest
from rich.console import Console
from tests.support.running import Said, salticid, salticid_anew

from salticid.cli import console
from salticid.cli import terminal as shown_at
from salticid.judges import judges
from salticid.store.crawl_folder import CrawlFolder
from salticid.strategies import strategies

LONG = "http://a.example/" + "spiders-and-their-" * 8 + "eyes.html"
ESSAY = "Jumping spiders have four pairs of eyes, and the front pair sees almost as sharply as we do, say {}."


@pytest.fixture(scope="module")
def crawl(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a crawl of a small site, whose front page has two addresses; the world is beside it."""
    folder = tmp_path_factory.mktemp("terminal")
    html = folder / "html"
    html.mkdir()
    names = ["index.html", "copy/index.html", LONG.rpartition("/")[2], "new.html"]
    links = "".join(f"<a href='/{name}'>spiders</a>" for name in names)
    texts = [
        "all of them " * 9,
        "all of them " * 9,
        "those with long names " * 8,
        "Python 3.8 and the year 2024 " * 6,
    ]
    (html / "copy").mkdir()
    for name, text in zip(names, texts, strict=True):
        (html / name).write_text(f"<title>{text[:9]}</title><p>{ESSAY.format(text)} {links}")
    order = ("world", "build", folder / "w", "--html", html, "--base-url", "http://a.example/", "--quiet")
    said = salticid(*order)
    assert (said.status, said.err) == (0, "")
    assert hunt(folder).status == 0
    return folder / "c"


def hunt(folder: Path, *options: str, out: str = "c") -> Said:
    start = ("--query", "jumping spiders", "--web", folder / "w", "--seed-url", "http://a.example/index.html")
    return salticid("crawl", *start, "--out", folder / out, *options)


@pytest.mark.parametrize("words", [(), ("world",)])
def test_no_command_is_a_wish_for_help(words: tuple[str, ...]) -> None:
    alone = salticid(*words)
    assert alone == salticid(*words, "--help")
    assert (alone.status, alone.err, "Commands:" in alone.out) == (0, "", True)


def test_quiet_leaves_results_and_errors(crawl: Path, tmp_path: Path) -> None:
    folder = crawl.parent
    said = hunt(folder, "--quiet", out="quiet")
    assert (said.status, said.err) == (0, "")
    assert "Best pages" in said.out
    mistake = hunt(folder, "-q", "--max-pages", "1", out="quiet")
    assert (mistake.status, mistake.err.count("\n")) == (2, 1)
    order = ("crawl", "--query", "spiders", "--web", folder / "w", "--out", tmp_path / "n", "--quiet")
    nothing = salticid(*order, "--seed-url", "http://b.example/")
    assert (nothing.status, nothing.err.splitlines()[0]) == (1, "Nothing was read:")


def test_verbose_tells_of_every_visit(crawl: Path) -> None:
    said = hunt(crawl.parent, "--verbose", out="verbose")
    with_urls = [line for line in said.err.splitlines() if line.endswith(".html")]
    assert len(with_urls) == len(salticid("visits", crawl.parent / "verbose").out.splitlines())
    assert with_urls[0].split()[-2:] == ["ok", "http://a.example/index.html"]


def test_pages_of_one_text_are_shown_once(crawl: Path) -> None:
    shown = hunt(crawl.parent, out="again").out
    assert ("a.example/index.html" in shown, "a.example/copy/index.html" in shown) == (True, False)
    assert "3 of 4 pages on topic, and 1 that say the same, on 1 host\n" in shown


def test_no_url_is_broken_in_a_table(crawl: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    piped = hunt(crawl.parent, out="piped").out
    assert any(line.endswith(LONG) for line in piped.splitlines()), "whole where it is piped"
    file = io.StringIO()
    terminal = Console(file=file, width=60, force_terminal=True, color_system=None)
    for module in (console, shown_at):
        monkeypatch.setattr(module, "out", terminal)
    folder = CrawlFolder(crawl)
    best = folder.best(10)
    folder.close()
    console.show_table(shown_at.best_pages(best))
    lines = [line.rstrip() for line in file.getvalue().splitlines()]
    assert len(lines) == 2 + len(best), "a line each"
    assert max(map(len, lines)) <= 60
    assert sum(line.endswith("…") and "http://a.example/spiders" in line for line in lines) == 1


def test_judges_are_listed_beside_strategies() -> None:
    said = salticid("strategies").out
    assert all(f"\n{name}  " in said for name in judges.names())
    rows = [json.loads(line) for line in salticid("strategies", "--json").out.splitlines()]
    assert [row["name"] for row in rows] == strategies.names()
    rows = [json.loads(line) for line in salticid("strategies", "--json", "--judges").out.splitlines()]
    assert [row["name"] for row in rows] == judges.names()
    assert salticid("strategies", "cosine").out.startswith("cosine  ")
    assert not any(line.count("\n") for row in rows for line in row["text"].split("\n\n")), "wrapped nowhere"


def test_the_shell_completes_commands_and_options() -> None:
    def completed(line: str) -> list[str]:
        words = {"COMP_WORDS": line, "COMP_CWORD": str(len(line.split()) - 1)}
        return salticid_anew(environment={"_SALTICID_COMPLETE": "complete_bash", **words}).out.split()

    assert completed("salticid exp") == ["export"]
    assert completed("salticid export --on") == ["--on-topic"]


def test_numbers_can_be_searched_for(crawl: Path) -> None:
    def found(words: str) -> list[str]:
        said = salticid("search", crawl, words, "--json")
        return [json.loads(line)["url"] for line in said.out.splitlines()]

    assert found("2024") == found("3.8") == found("python 3.8") == ["http://a.example/new.html"]
    assert found("2023") == found("8.3") == found('"8 and 3"') == []
    assert "«2024»" in salticid("search", crawl, "2024").out


def test_a_query_of_filler_words_is_refused_before_anything_is_written(crawl: Path, tmp_path: Path) -> None:
    order = ("crawl", "--web", crawl.parent / "w", "--seed-url", "http://a.example/", "--query", "what is it")
    said = salticid(*order, cwd=tmp_path)
    assert (said.status, said.out, said.err.count("\n")) == (2, "", 1)
    assert "only words that are on pages about anything" in said.err
    assert list(tmp_path.iterdir()) == []


def test_a_crawl_taken_for_a_world_is_told_how_to_become_one(crawl: Path) -> None:
    said = salticid("crawl", "--query", "spiders", "--web", crawl, "--seed-url", "http://a.example/")
    assert (said.status, said.err.count("\n")) == (2, 1)
    command = f"salticid world build {crawl}-world --crawl {crawl}"
    assert f"'{command}'" in said.err
    assert salticid(*command.split()[1:]).status == 0
