"""What we say that papers say is what they say, and a verdict is what the numbers allow."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest
from msgspec.structs import replace

from salticid.lab.reproduce.findings import (
    SYSTEMS,
    Claim,
    Finding,
    Verdict,
    claim_tables,
    explanation,
    finding_of,
    judged,
    paper,
)
from salticid.lab.results import Test
from salticid.lab.statistics import p_of_equality

ROOT = Path(__file__).resolve().parents[2]
PAPERS = ("000_f2d858df38a2fd9e", "001_fcc52ec114147089", "002_b873f874b031793a", "003_2baf3a98cef431f5",
          "004_ebb65d225e7c752a")  # fmt: skip
CLAIM = Claim("more", "Figure 1", "more is more")


def plain(text: str) -> str:
    """A paper's text without markup, its spaces made one each."""
    return " ".join(re.sub(r"[*$]|<[^>]{1,300}>", "", text).split())


@pytest.mark.parametrize("system", SYSTEMS)
def test_every_sentence_we_quote_stands_in_the_paper(system: int, shared: Callable[[str], Path]) -> None:
    text = plain(shared(f"papers/{PAPERS[system - 1]}.txt").read_text())
    quotes = [claim.quote for claim in paper(system).claims.values()]
    quotes += [figure.quote for figure in paper(system).figures.values()]
    assert [quote for quote in quotes if plain(quote) not in text] == []


@pytest.mark.parametrize("system", SYSTEMS)
def test_every_finding_in_the_docs_is_one_that_the_paper_makes(system: int) -> None:
    """By its words, with the places in braces filled in, and by where it stands."""
    known = {
        (re.sub(r"\\\{\w+\\\}", ".+", re.escape(claim.finding)), claim.source)
        for claim in paper(system).claims.values()
    }
    text = (ROOT / "docs" / "systems" / f"{system}.md").read_text()
    tables = [part.split("\n\n")[0] for part in text.split("| claim | source |")[1:]]
    rows = [[cell.strip() for cell in line.split(" | ")] for part in tables for line in part.splitlines()[2:]]
    assert rows
    for finding, source, *_ in rows:
        words = finding.removeprefix("| ")
        assert any(source == place and re.fullmatch(pattern, words) for pattern, place in known), finding


@pytest.mark.parametrize("system", SYSTEMS)
def test_a_page_is_short_enough_to_be_read(system: int) -> None:
    assert len((ROOT / "docs" / "systems" / f"{system}.md").read_text().split()) < 2000


def outcome(p: float, diff: float = 0.2, where: str = "here", sign: int = 1, least: float = 0.01) -> Finding:
    test = Test("", "a", "b", diff, p, None, None, diff - 0.1, diff + 0.1, 9)
    return finding_of(CLAIM, where, "", test, least, sign)


def test_what_is_right_but_unsure_is_not_said_to_fail() -> None:
    alone = (outcome(0.001), outcome(0.08), outcome(0.08, -0.2), outcome(0.001, -0.2))
    sure, unsure, against, unlikely = (judged([each])[0] for each in alone)
    assert [each.verdict for each in (sure, unsure)] == [Verdict.HOLDS, Verdict.DIRECTION]
    assert [each.verdict for each in (against, unlikely)] == [Verdict.CONTRADICTED] * 2
    assert [judged([outcome(0.5, diff)])[0].verdict for diff in (0.09, -0.09)] == [Verdict.UNDECIDED] * 2
    assert [judged([outcome(0.001, diff, least=0.3)])[0].verdict for diff in (0.2, -0.2)] == [Verdict.UNDECIDED] * 2


def test_what_the_paper_only_supposes_stands_apart_and_is_corrected_apart() -> None:
    supposed = replace(outcome(0.04), finding="moreover", conjecture=True)
    found = judged([outcome(0.04), supposed, outcome(0.04, where="there")])
    assert [each.p for each in found] == pytest.approx([0.08, 0.04, 0.08])
    tables = claim_tables(found)
    assert [[(row.claim.finding, list(row.cells)) for row in rows] for rows in tables] == [
        [("more", ["here", "there"])],
        [("moreover", ["here"])],
    ]


def test_all_findings_of_a_paper_are_corrected_together_wherever_they_were_tested() -> None:
    """0.02 and 0.03 of two tests become 0.04 and 0.04; of three with 0.9 elsewhere they become 0.06 and 0.06."""
    two = judged([outcome(0.02), outcome(0.03), finding_of(CLAIM, "here", "", None, 0.0)])
    assert [each.p for each in two] == [pytest.approx(0.04), pytest.approx(0.04), None]
    assert [each.verdict for each in two[:2]] == [Verdict.HOLDS] * 2
    assert "for all 2 such tests (Holm)" in explanation(two)
    three = judged([outcome(0.02), outcome(0.03), outcome(0.9, where="elsewhere")])
    assert [each.p for each in three] == pytest.approx([0.06, 0.06, 0.9])
    assert [each.verdict for each in three] == [Verdict.DIRECTION] * 3
    assert "for all 3 such tests (Holm)" in explanation(three)


def test_an_effect_is_counted_in_the_direction_of_the_paper() -> None:
    found = outcome(0.01, diff=-0.2, sign=-1)
    assert (found.effect, found.low, found.high) == pytest.approx((0.2, 0.1, 0.3))
    assert judged([found])[0].verdict is Verdict.HOLDS


def test_two_that_should_be_equal_are_so_only_if_that_is_shown() -> None:
    """Differences of mean 0 and standard error 0.1 over 10 topics: equal within 1, not proven within 0.1."""
    spread = [0.3, -0.3] * 5
    near, a, b = 0.1, [1 + each for each in spread], [1.0] * 10
    wide, narrow = p_of_equality(a, b, 1.0), p_of_equality(a, b, 0.1)
    assert wide is not None
    assert narrow is not None
    assert wide < 0.001 < 0.05 < narrow
    test = Test("", "a", "b", 0.0, 1.0, None, None, -2 * near, 2 * near, 10)
    apart = Test("", "a", "b", 0.5, 0.001, None, None, 0.3, 0.7, 10)
    verdicts = [
        judged([finding_of(CLAIM, "", "", each, near, p_same=p)])[0].verdict
        for each, p in ((test, wide), (test, narrow), (apart, narrow))
    ]
    assert verdicts == [Verdict.HOLDS, Verdict.UNDECIDED, Verdict.CONTRADICTED]


def test_what_is_equal_everywhere_or_not_tested_decides_nothing() -> None:
    assert judged([outcome(1.0, diff=0.0)])[0].verdict is Verdict.UNDECIDED
    assert judged([finding_of(CLAIM, "", "", None, 0.0)])[0].verdict is Verdict.UNTESTABLE
