"""What a paper found, and what came out here: five verdicts, by tests that are corrected together."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from enum import StrEnum
from functools import cache
from importlib.resources import files
from typing import NamedTuple

import msgspec
from msgspec.structs import replace

from salticid.errors import UserError
from salticid.lab.plots import MINUS, decimals, number
from salticid.lab.results import Test
from salticid.lab.statistics import holm

# What a paper says, as data: its findings with the sentence each comes from, its figures, its numbers.

SYSTEMS = range(1, 6)


class Claim(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A finding of a paper in our words, the place it comes from, and the paper's own words there.

    `conjecture`: the paper supposes it and did not try.
    """

    finding: str
    source: str
    quote: str
    conjecture: bool = False

    def about(self, **parts: object) -> Claim:
        """The claim with the places in braces filled in.

        >>> Claim("{first} before PageRank", "Figure 5", "").about(first="BestFirst").finding
        'BestFirst before PageRank'
        """
        return replace(self, finding=self.finding.format(**parts))


class PrintedFigure(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A figure or table of a paper: its title in our words, and what the paper says of it."""

    title: str
    quote: str


class Paper(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A paper: `claims` by the names that experiments use, `figures` by their numbers, `numbers` that it prints.

    `pages` is how many a crawl of it has; 0 where it makes none.
    """

    title: str
    pages: int
    claims: dict[str, Claim]
    figures: dict[str, PrintedFigure]
    numbers: dict[str, dict[str, float]] = {}


@cache
def paper(system: int) -> Paper:
    """The paper behind a system."""
    if system not in SYSTEMS:
        raise UserError(f"there is no system {system}; choose 1 to 5")
    text = files("salticid.lab.reproduce").joinpath("papers", f"{system}.toml").read_bytes()
    return msgspec.toml.decode(text, type=Paper)


SURE = 0.05
"""A difference with a smaller p is one."""


class Verdict(StrEnum):
    """Whether a finding of a paper shows here."""

    HOLDS = "holds"
    DIRECTION = "direction"
    UNDECIDED = "undecided"
    CONTRADICTED = "contradicted"
    UNTESTABLE = "untestable"


class Finding(msgspec.Struct, frozen=True):
    """One finding: the paper's word and where it stands there, what came out here in a sentence, and the verdict.

    `quote` is what the paper says, `conjecture` whether it only supposes so.

    `effect` is the difference that was tested, counted so that more than 0 is what the paper says, `low` and `high`
    bound it (95 %), `least` is the smallest effect that matters; `p` is corrected for all findings of the paper that
    were tested (Holm), conjectures apart, `p_alone` is not. They are null where nothing was tested. `same`: the paper
    says that two are equal, so `effect` should be near 0, and `p` is of the claim that it is.
    """

    finding: str
    source: str
    where: str
    here: str
    verdict: Verdict = Verdict.UNTESTABLE
    effect: float | None = None
    low: float | None = None
    high: float | None = None
    p: float | None = None
    p_alone: float | None = None
    n: int = 0
    same: bool = False
    quote: str = ""
    conjecture: bool = False
    least: float | None = None


def finding_of(
    claim: Claim, where: str, here: str, test: Test | None, least: float, sign: int = 1, p_same: float | None = None
) -> Finding:
    """What a test says of a claim, before the verdict; `least` is the smallest effect that matters.

    `sign` is -1 where the paper says that a is below b. With `p_same`, the paper says that there is no difference.
    """
    same = p_same is not None
    p = p_same if same else test.p if test is not None else None
    if test is None or p is None or test.low is None or test.high is None:
        return untestable(claim, where, here)
    low, high = sorted((sign * test.low, sign * test.high))
    return replace(
        untestable(claim, where, here),
        effect=sign * test.diff,
        low=low,
        high=high,
        p_alone=p,
        n=test.n,
        same=same,
        least=least,
    )


def untestable(claim: Claim, where: str, why: str) -> Finding:
    """A finding that nothing here can decide."""
    return Finding(claim.finding, claim.source, where, why, quote=claim.quote, conjecture=claim.conjecture)


def judged(findings: Sequence[Finding]) -> list[Finding]:
    """The findings of a paper with their verdicts, each p corrected for all that were tested, wherever they were.

    What the paper only supposes is corrected apart.
    """
    p_of: dict[int, float | None] = {}
    for supposed in (False, True):
        family = [at for at, each in enumerate(findings) if each.conjecture is supposed]
        p_of |= dict(zip(family, holm([findings[at].p_alone for at in family]), strict=True))
    return [replace(each, p=p_of[at], verdict=verdict_of(each, p_of[at])) for at, each in enumerate(findings)]


def verdict_of(finding: Finding, p: float | None) -> Verdict:
    """What the effect and its corrected p say.

    >>> tested = Finding("more", "Figure 1", "here", "", effect=0.2, low=0.1, high=0.3, least=0.01)
    >>> verdict_of(tested, 0.01).value, verdict_of(tested, 0.08).value, verdict_of(tested, None).value
    ('holds', 'direction', 'untestable')
    >>> verdict_of(replace(tested, effect=-0.2, low=-0.3, high=-0.1), 0.08).value
    'contradicted'
    >>> verdict_of(replace(tested, low=-0.1), 0.08).value, verdict_of(replace(tested, least=0.25), 0.01).value
    ('undecided', 'undecided')
    """
    if p is None or finding.effect is None or finding.low is None or finding.high is None or finding.least is None:
        return Verdict.UNTESTABLE
    if finding.same and p < SURE:
        return Verdict.HOLDS
    if finding.low <= 0 <= finding.high or abs(finding.effect) < finding.least:
        return Verdict.UNDECIDED
    if finding.same or finding.effect < 0:
        return Verdict.CONTRADICTED
    return Verdict.HOLDS if p < SURE else Verdict.DIRECTION


# Findings as people read them: a row for each claim, a column for each collection.


class ClaimRow(NamedTuple):
    """A claim of a paper, and what came out of it on each collection."""

    claim: Finding
    cells: Mapping[str, Finding]


def claim_tables(findings: Sequence[Finding]) -> list[list[ClaimRow]]:
    """The rows of what the paper found, then of what it supposes and did not try; a table that has none is left out.

    >>> found = [Finding("more", "1", "here", ""), Finding("more", "1", "there", ""), Finding("less", "2", "here", "")]
    >>> [[(row.claim.finding, list(row.cells)) for row in table] for table in claim_tables(found)]
    [[('more', ['here', 'there']), ('less', ['here'])]]
    """
    tables = []
    for supposed in (False, True):
        rows: dict[tuple[str, str], dict[str, Finding]] = {}
        for each in findings:
            if each.conjecture is supposed:
                rows.setdefault((each.finding, each.source), {})[each.where] = each
        if rows:
            tables.append([ClaimRow(next(iter(cells.values())), cells) for cells in rows.values()])
    return tables


def places_of(rows: Sequence[ClaimRow]) -> list[str]:
    """The collections of a table."""
    return list(dict.fromkeys(where for row in rows for where in row.cells))


def explanation(findings: Sequence[Finding]) -> str:
    """What effect and p are, and for how many tests p is corrected.

    >>> explanation([Finding("", "", "", "", p=0.01)] * 3 + [Finding("", "", "", "")])[-43:]
    'p is corrected for all 3 such tests (Holm).'
    """
    tested = sum(each.p is not None and not each.conjecture for each in findings)
    return (
        "The effect is the difference that was tested, with its 95 % interval; more than 0 is as the paper says. Where "
        "the paper says that two are equal, it should be near 0. Undecided: the interval contains 0, or the effect is "
        f"smaller than what matters. Direction: not proven, for p is corrected for all {tested} such tests (Holm)."
    )


def effect(finding: Finding) -> str:
    """The effect with its interval; "" where nothing was tested.

    >>> effect(Finding("", "", "", "", effect=0.1234, low=0.05, high=0.21))
    '+0.12 (+0.05 to +0.21)'
    """
    if finding.effect is None or finding.low is None or finding.high is None:
        return ""
    digits = decimals([(finding.high - finding.low) / 4], 1, otherwise=3)
    value, low, high = (_signed(each, digits) for each in (finding.effect, finding.low, finding.high))
    return f"{value} ({low} to {high})"


def verdict_counts(findings: Sequence[Finding]) -> dict[Verdict, int]:
    """How many of the paper's own findings have which verdict; what it only supposes is not counted."""
    number_of = Counter(each.verdict for each in findings if not each.conjecture)
    return {verdict: number_of[verdict] for verdict in Verdict}


def counts(findings: Sequence[Finding]) -> str:
    """The same in a sentence.

    >>> counts([Finding("", "", "", "", Verdict.HOLDS)] * 2)
    '2 tests of what the paper found: 2 holds.'
    """
    number_of = verdict_counts(findings)
    parts = [f"{count} {verdict.value}" for verdict, count in number_of.items() if count]
    return f"{sum(number_of.values())} tests of what the paper found: {', '.join(parts)}." if parts else "No findings."


def _signed(value: float, digits: int) -> str:
    text = number(value, digits)
    return text if text.startswith(MINUS) else f"+{text}"
