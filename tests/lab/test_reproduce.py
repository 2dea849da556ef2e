"""The papers' experiments, small, through the real program."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple
from xml.etree import ElementTree

import pytest
from msgspec.structs import replace
from tests.support.running import salticid

from salticid.lab.reproduce.findings import Finding, Verdict
from salticid.lab.reproduce.page import markdown, markdown_table, render
from salticid.lab.reproduce.reproduction import FigureTable, Reproduction

VERDICTS = {verdict.value for verdict in Verdict}
CLAIMS = {
    1: ("BestFirst before InfoSpiders by Rocchio", "InfoSpiders get more of the 100 best-ranked pages"),
    3: (
        "Agents are more precise than the engine early",
        "Agents and engine are equally precise",
        "more recent",
    ),
    4: (
        "From examples, N=256 covers more of the best pages than N=1, by words",
        "From examples, N=256 pays early by links",
        "Breadth-First is behind N=1 by linkage rank",
        "N=256 recalls more of the examples than N=1",
    ),
}
FIGURES = {
    1: ["5", "6", "7"],
    3: ["5", "6", "7", "8", "9", "10"],
    4: ["2a", "2b", "2c", "2d", "3a", "3b", "3c", "3d", "4"],
}


class Outcome(NamedTuple):
    """What the program said, and the files it wrote."""

    said: dict[str, Any]
    markdown: str
    findings: str
    page: str
    into: Path


Reproduced = Callable[[int], Outcome]


@pytest.fixture(scope="module")
def reproduced(tmp_path_factory: pytest.TempPathFactory) -> Reproduced:
    """What the program said of an experiment, and what it wrote; each is run once, and all share their world."""
    out = tmp_path_factory.mktemp("reproduced") / "out"

    @cache
    def run(number: int) -> Outcome:
        into = out.parent / f"{number}.md"
        into.write_text("before\n<!-- figures -->\nold\n<!-- /figures -->\nafter\n")
        said = salticid("reproduce", number, "--pages", 15, "--out", out, "--into", into, "--json")
        assert said.status == 0, said.err
        names = ("findings.md", "findings.json", "report.html")
        written, findings, page = ((out / name).read_text() for name in names)
        return Outcome(json.loads(said.out), written, findings, page, into)

    return run


@pytest.mark.parametrize("number", [1, 3, 4])
def test_it_says_finding_by_finding_what_came_out(number: int, reproduced: Reproduced) -> None:
    made = reproduced(number)
    assert made.said["number"] == number
    assert all(table["rows"] for table in made.said["tables"])
    told = " / ".join(finding["finding"] for finding in made.said["findings"])
    for claim in CLAIMS[number]:
        assert claim in told
    assert json.loads(made.findings) == made.said["findings"]
    assert all(finding["verdict"] in made.markdown for finding in made.said["findings"])


@pytest.mark.parametrize("number", [1, 3, 4])
def test_a_verdict_follows_its_test(number: int, reproduced: Reproduced) -> None:
    for finding in reproduced(number).said["findings"]:
        assert finding["source"]
        if finding["effect"] is None:
            assert finding["verdict"] == "untestable"
            continue
        assert finding["low"] <= finding["effect"] <= finding["high"]
        assert 0 <= finding["p_alone"] <= finding["p"] <= 1
        assert finding["n"] > 1
        if finding["same"]:
            assert (finding["verdict"] == "holds") == (finding["p"] < 0.05)
        elif finding["low"] <= 0 <= finding["high"] or abs(finding["effect"]) < finding["least"]:
            assert finding["verdict"] == "undecided"
        elif finding["effect"] > 0:
            assert finding["verdict"] == ("holds" if finding["p"] < 0.05 else "direction")
        else:
            assert finding["verdict"] == "contradicted"


@pytest.mark.parametrize("number", [1, 3, 4])
def test_every_figure_of_the_paper_is_drawn_with_its_errors_in_a_page_that_needs_nothing_else(
    number: int, reproduced: Reproduced
) -> None:
    made = reproduced(number)
    figures = {figure["number"]: figure for figure in made.said["figures"]}
    assert list(figures) == [f"Figure {name}" for name in FIGURES[number]]
    for figure in figures.values():
        assert len(figure["curves"]) > 1
        assert all(any(curve["se"]) for curve in figure["curves"].values() if curve["mean"][-1] not in (0, 1))
    assert made.page.count("<figure>") == made.page.count('<svg class="plot"') == len(figures)
    assert made.page.count('class="band') + made.page.count('class="bar"') >= 2 * len(figures)
    assert not re.search(r"(?:src|href)=\"(?!#|data:)", made.page)


def test_findings_and_main_figures_are_put_between_the_marks_of_a_page(reproduced: Reproduced) -> None:
    made = reproduced(4)
    text = made.into.read_text()
    assert text.startswith("before\n<!-- figures -->\n")
    assert text.endswith("<!-- /figures -->\nafter\n")
    assert "old" not in text.split()
    drawings = re.findall(r"\]\((figures/[^)]+\.svg)\)", text)
    assert drawings[0] == "figures/4-verdicts.svg"
    assert len(drawings) == 1 + len(FIGURES[4])
    assert "`salticid reproduce 4 --pages 15`" in text
    data = json.loads((made.into.parent / "figures/4-findings.json").read_text())
    assert data["findings"] == made.said["findings"]
    for drawing in drawings:
        tree = ElementTree.fromstring((made.into.parent / drawing).read_text())
        assert tree.tag == "{http://www.w3.org/2000/svg}svg"
        assert "--c0:" in (tree.findtext("{http://www.w3.org/2000/svg}style") or "")


def test_crawls_shorter_than_the_papers_are_said_to_be(reproduced: Reproduced) -> None:
    made = reproduced(4)
    caution = made.said["caution"]
    assert caution.startswith("Crawls of 15 pages are too short, the paper's had 2,000")
    assert made.markdown.startswith(f"**{caution}**")


def test_what_cannot_be_is_said(tmp_path: Path) -> None:
    said = salticid("reproduce", 6)
    assert (said.status, said.err.count("\n")) == (2, 1)
    said = salticid("reproduce", 1, "--data", "/nowhere/at/all")
    assert (said.status, "/nowhere/at/all" in said.err) == (2, True)
    (tmp_path / "file").touch()
    for out in ("file", "file/folder"):
        said = salticid("reproduce", 2, "--out", tmp_path / out)
        assert (said.status, said.err.count("\n"), "--out" in said.err) == (2, 1, True)


def test_markdown_cannot_be_broken_by_what_it_holds() -> None:
    made = Reproduction(
        1,
        "paper",
        "data",
        {"a": "b"},
        [FigureTable("t", ["x|y"], [["1|2\n3"]])],
        [Finding("a|b", "Figure 1", "e", "c\nd", Verdict.HOLDS)],
    )
    assert "| a\\|b | Figure 1 | holds |" in markdown(made)
    assert "| x\\|y |\n| --- |\n| 1\\|2 3 |" in markdown_table(made.tables[0])


def test_a_page_has_no_empty_tables_and_its_verdicts_can_be_filtered() -> None:
    held = Finding("more", "Figure 1", "here", "", Verdict.HOLDS, quote="more & more")
    tables = [FigureTable("full", ["a", "b", "c"], [["x", "1", "none"]]), FigureTable("gaps", ["a", "b"], [["x", ""]])]
    page = render(Reproduction(1, "paper", "data", {}, tables, [held, replace(held, where="there")]))
    assert "gaps" not in page
    assert re.findall(r"<th scope=\"col\"[^>]*>([abc])</th>", page) == ["a", "b"]
    assert page.count('class="v holds"') == 3
    assert 'id="show-holds"' in page
    assert "#show-holds:checked" in page
    assert "<cite>“more &amp; more”</cite>" in page
