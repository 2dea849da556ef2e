"""The papers' experiments, small, through the real program."""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import cache
from typing import Any

import pytest
from tests.running import Said, salticid

from salticid.lab.reproduce.findings import FigureTable, Finding, Reproduction, Verdict, markdown

VERDICTS = {verdict.value for verdict in Verdict}
CLAIMS = {
    1: (
        "BestFirst before InfoSpiders by rocchio",
        "InfoSpiders before PageRank by mean similarity",
        "tie",
        "13 %",
    ),
    3: ("Agents are more precise early", "more recent"),
    4: ("Larger N covers more of the best pages, by words", "Breadth-First is worst", "N=256 recalls more"),
}


@pytest.fixture(scope="module")
def reproduced(tmp_path_factory: pytest.TempPathFactory) -> Callable[[int], tuple[Said, str]]:
    """What the program said of an experiment, and what it wrote; each is run once, and all share their world."""
    out = tmp_path_factory.mktemp("reproduced") / "out"

    @cache
    def run(number: int) -> tuple[Said, str]:
        said = salticid("reproduce", number, "--pages", 25, "--out", out, "--json")
        assert said.status == 0, said.err
        return said, (out / "findings.md").read_text()

    return run


@pytest.mark.parametrize("number", [1, 3, 4])
def test_it_says_finding_by_finding_what_came_out(
    number: int, reproduced: Callable[[int], tuple[Said, str]]
) -> None:
    said, written = reproduced(number)
    made: dict[str, Any] = json.loads(said.out)
    assert made["number"] == number
    assert all(table["rows"] for table in made["tables"])
    told = " / ".join(finding["claim"] for finding in made["findings"])
    for claim in CLAIMS[number]:
        assert claim in told
    for finding in made["findings"]:
        assert finding["verdict"] in VERDICTS
        if finding["p"] is not None:
            assert 0 <= finding["p"] <= 1
            assert finding["low"] <= finding["high"]
    assert all(finding["verdict"] in written for finding in made["findings"])


def test_a_verdict_follows_its_test(reproduced: Callable[[int], tuple[Said, str]]) -> None:
    said, _ = reproduced(4)
    for finding in json.loads(said.out)["findings"]:
        if finding["p"] is None:
            assert finding["verdict"] != "holds"
        elif finding["verdict"] == "holds":
            assert finding["p"] < 0.05
            assert "the other way round" not in finding["here"]
        else:
            assert finding["p"] >= 0.05 or "the other way round" in finding["here"]


def test_crawls_shorter_than_the_papers_are_said_to_be(
    reproduced: Callable[[int], tuple[Said, str]],
) -> None:
    said, findings = reproduced(4)
    caution = json.loads(said.out)["caution"]
    assert caution.startswith("Crawls of 25 pages are too short, the paper's had 2,000")
    assert findings.startswith(f"**{caution}**")


def test_what_cannot_be_is_said() -> None:
    said = salticid("reproduce", 6)
    assert (said.status, said.err.count("\n")) == (2, 1)
    said = salticid("reproduce", 1, "--data", "/nowhere/at/all")
    assert (said.status, "/nowhere/at/all" in said.err) == (2, True)


def test_markdown_cannot_be_broken_by_what_it_holds() -> None:
    made = Reproduction(
        1,
        "paper",
        "data",
        {"a": "b"},
        [FigureTable("t", ["x|y"], [["1|2\n3"]])],
        [Finding("a|b", "c\nd", Verdict.HOLDS)],
    )
    text = markdown(made)
    assert "| x\\|y |" in text
    assert "| 1\\|2 3 |" in text
    assert "| a\\|b | c d | **holds** |" in text
