"""System 2 again: which findings are asked about, and how a verdict comes about."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.test_links import small_webkb

from salticid.lab.links.significance import Difference
from salticid.lab.reproduce import link_scores as two
from salticid.lab.reproduce import worlds
from salticid.lab.reproduce.findings import Reproduction, Verdict, markdown


def made(data: Path | None, out: Path) -> Reproduction:
    return two.reproduce(data, out, lambda what, done, of: None)


def test_on_webkb_the_papers_figures_stand_beside_ours_under_both_splits(tmp_path: Path) -> None:
    small_webkb(tmp_path / "webkb")
    found = made(tmp_path, tmp_path / "out")
    accuracy, recall = found.tables[:2]
    assert accuracy.head == ["score", "the paper", "by university", "at random"]
    assert [row[:2] for row in accuracy.rows] == [
        ["neighbourhood", "28.91"],
        ["anchor", "68.60"],
        ["transition", "71.71"],
        ["context", "—"],
        [two.WITH_CLASS, "—"],
    ]
    assert recall.rows[0] == ["the paper", "neighbourhood", "16.95", "0.13", "53.11", "27.84", "6.46"]
    assert len(found.findings) == 2 * 9
    far = found.findings[0]
    assert far.verdict is Verdict.HOLDS
    assert far.low is not None
    assert far.low >= two.FAR
    assert found.findings[8].verdict is Verdict.NOT_TESTABLE
    assert "| **holds** |" in markdown(found)


def test_without_data_a_generated_web_is_said_to_be_another_question(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(two, "GENERATED_PAGES", 400)
    monkeypatch.setattr(worlds, "LEAST_PAGES", 400)
    found = made(None, tmp_path / "out")
    assert "another question" in found.data
    assert found.tables[0].head == ["score", "the paper", "at random"]
    assert len(found.findings) == 5
    assert markdown(found) == markdown(made(None, tmp_path / "again"))


def test_a_small_lead_is_a_lead_but_not_a_far_one() -> None:
    small = Difference(0.018, 0.003, 0.034, 0.018)
    assert two._ahead(small)
    assert not two._far_ahead(small)
    assert not two._behind(small)
