"""System 2 again: which findings are asked about, and how a verdict comes about."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.lab.test_links import small_webkb

from salticid.lab.reproduce import link_scores as two
from salticid.lab.reproduce import reproduction
from salticid.lab.reproduce.findings import Verdict
from salticid.lab.reproduce.page import markdown
from salticid.lab.reproduce.reproduction import Reproduction, Setup
from salticid.lab.reproduce.systems import run


def made(data: Path | None, out: Path, letter: bool = False) -> Reproduction:
    return run(2, Setup(data, out, 1, lambda what, done, of: None, 0, letter))


def test_on_webkb_the_papers_figures_stand_beside_ours_under_both_splits(tmp_path: Path) -> None:
    small_webkb(tmp_path / "webkb")
    found = made(tmp_path, tmp_path / "out", letter=True)
    accuracy, recall = found.tables[:2]
    assert accuracy.head == [
        "score",
        "the paper",
        "by university, as the paper",
        "by university",
        "at random, as the paper",
        "at random",
    ]
    assert [row[:2] for row in accuracy.rows] == [
        ["neighbourhood", "28.91"],
        ["anchor", "68.60"],
        ["transition", "71.71"],
        ["transition, calibrated", "—"],
        ["context", "—"],
        ["anchor with path", "—"],
        ["transition with path", "—"],
        ["transition, calibrated with path", "—"],
        ["context with path", "—"],
        [two.WITH_CLASS, "—"],
    ]
    assert recall.rows[0] == ["the paper", "neighbourhood", "16.95", "0.13", "53.11", "27.84", "6.46"]
    assert len(found.findings) == 4 * 11
    assert {finding.where for finding in found.findings} == set(accuracy.head[2:])
    far, context = found.findings[0], found.findings[6]
    assert (far.here, far.verdict) == ("100.00 against 0.00 %", Verdict.UNTESTABLE)  # the same on all pages: no spread
    assert context.effect is not None
    assert context.verdict is Verdict.UNDECIDED
    assert found.findings[7].verdict is Verdict.UNTESTABLE
    assert "| undecided −0.01" in markdown(found)
    assert found.settings["what was chosen"].count("as the paper, cornell: function words left out") == 1


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("two")
    small_webkb(root / "webkb")
    return root


@pytest.fixture(scope="module")
def found(folder: Path) -> Reproduction:
    return made(folder, folder / "out")


def test_the_letter_of_the_paper_is_judged_only_when_asked_for(found: Reproduction) -> None:
    assert {finding.where for finding in found.findings} == {"by university", "at random"}
    assert [len(table.head) for table in found.tables[:1]] == [6]
    assert "How sure pages are" in found.tables[2].title
    drawn = found.figures[0]
    assert list(drawn.curves) == ["the paper", *found.tables[0].head[2:]]
    assert drawn.curves["the paper"].mean[:3] == [28.91, 68.60, 71.71]


def test_without_data_a_generated_web_is_said_to_be_another_question(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(two, "GENERATED_PAGES", 400)
    monkeypatch.setattr(reproduction, "LEAST_PAGES", 400)
    found = made(None, tmp_path / "out")
    assert "another question" in found.data
    assert found.tables[0].head == ["score", "the paper", "at random, as the paper", "at random"]
    assert len(found.findings) == 7
    assert [finding.verdict for finding in found.findings[4:]] == [Verdict.UNTESTABLE] * 3
    assert markdown(found) == markdown(made(None, tmp_path / "again"))
