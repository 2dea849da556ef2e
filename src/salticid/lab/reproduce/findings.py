"""What a paper found, and what came out here: four verdicts, by tests that are corrected together."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from enum import StrEnum
from functools import cache
from importlib.resources import files

import msgspec
from msgspec.structs import replace

from salticid.errors import UserError
from salticid.lab.plots import MINUS, decimals, number, p_value
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
    CONTRADICTED = "contradicted"
    UNTESTABLE = "untestable"

    @property
    def words(self) -> str:
        """As people read it."""
        return {
            Verdict.DIRECTION: "in the paper's direction, not proven",
            Verdict.UNTESTABLE: "cannot be tested here",
        }.get(self, self.value)


class Finding(msgspec.Struct, frozen=True):
    """One finding: the paper's word and where it stands there, what came out here in a sentence, and the verdict.

    `quote` is what the paper says, `conjecture` whether it only supposes so.

    `effect` is the difference that was tested, counted so that more than 0 is what the paper says, `low` and `high`
    bound it (95 %); `p` is corrected for all findings of the paper that were tested (Holm), `p_alone` is not. They are
    null where nothing was tested. `same`: the paper says that two are equal, so `effect` should be near 0, and `p` is
    of the claim that it is.
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


def finding_of(
    claim: Claim, where: str, here: str, test: Test | None, sign: int = 1, p_same: float | None = None
) -> Finding:
    """What a test says of a claim, before the verdict; `sign` is -1 where the paper says that a is below b.

    With `p_same`, the paper says that there is none.
    """
    same = p_same is not None
    p = p_same if same else test.p if test is not None else None
    if test is None or p is None or (test.p == 1.0 and not same):
        return untestable(claim, where, f"{here}; no difference in the mean" if test is not None else here)
    low, high = sorted((sign * test.low, sign * test.high))
    return replace(
        untestable(claim, where, here),
        effect=sign * test.diff,
        low=low,
        high=high,
        p_alone=p,
        n=test.n,
        same=same,
    )


def untestable(claim: Claim, where: str, why: str) -> Finding:
    """A finding that nothing here can decide."""
    return Finding(claim.finding, claim.source, where, why, quote=claim.quote, conjecture=claim.conjecture)


def judged(findings: Sequence[Finding]) -> list[Finding]:
    """The findings of a paper with their verdicts, each p corrected for all that were tested, wherever they were."""
    chances = holm([each.p_alone for each in findings])
    return [replace(each, p=p, verdict=verdict_of(each, p)) for each, p in zip(findings, chances, strict=True)]


def verdict_of(finding: Finding, p: float | None) -> Verdict:
    """What the effect and its corrected p say.

    >>> tested = Finding("more", "Figure 1", "here", "", effect=0.2, low=-0.1, high=0.5)
    >>> verdict_of(tested, 0.01).value, verdict_of(tested, 0.08).value, verdict_of(tested, None).value
    ('holds', 'direction', 'untestable')
    >>> verdict_of(replace(tested, effect=-0.2), 0.08).value
    'contradicted'
    """
    if p is None or finding.effect is None or finding.low is None or finding.high is None:
        return Verdict.UNTESTABLE
    if finding.same:
        apart = finding.low > 0 or finding.high < 0
        return Verdict.HOLDS if p < SURE else Verdict.CONTRADICTED if apart else Verdict.DIRECTION
    if finding.effect <= 0:
        return Verdict.CONTRADICTED
    return Verdict.HOLDS if p < SURE else Verdict.DIRECTION


# Findings as people read them: the same words in the docs, on the page and on the terminal.

HEADS = ("the paper", "source", "where", "here", "effect (95 %)", "p", "n", "verdict")


def explanation(findings: Sequence[Finding]) -> str:
    """What effect and p are, and for how many tests p is corrected.

    >>> explanation([Finding("", "", "", "", p=0.01)] * 3 + [Finding("", "", "", "")])[-58:]
    'p is corrected for all 3 findings that were tested (Holm).'
    """
    tested = sum(each.p is not None for each in findings)
    return (
        "The effect is the difference that was tested, more than 0 where it is as the paper says, with its 95 % "
        "interval; where the paper says that two are equal, it should be near 0, and p is of two one-sided tests. p is "
        f"corrected for all {tested} findings that were tested (Holm)."
    )


def row(finding: Finding) -> list[str]:
    """The cells of a finding, under HEADS."""
    return [
        finding.finding + (" (supposed, not tried)" if finding.conjecture else ""),
        finding.source,
        finding.where,
        finding.here,
        effect(finding),
        p_value(finding.p) if finding.p is not None else "",
        str(finding.n) if finding.n else "",
        verdict(finding),
    ]


def verdict(finding: Finding) -> str:
    """The verdict, and of an effect the other way round whether it could be chance.

    >>> verdict(Finding("", "", "", "", Verdict.CONTRADICTED, effect=-0.1, p=0.6))
    'contradicted, not proven'
    """
    chance = finding.verdict is Verdict.CONTRADICTED and not finding.same and (finding.p or 0.0) >= SURE
    return f"{finding.verdict.words}, not proven" if chance else finding.verdict.words


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


def counts(findings: Sequence[Finding]) -> str:
    """How many findings have which verdict.

    >>> counts([Finding("", "", "", "", Verdict.HOLDS)] * 2)
    '2 findings: 2 hold.'
    """
    number_of = Counter(each.verdict for each in findings)
    parts = [_many(number_of[verdict], verdict) for verdict in Verdict if number_of[verdict]]
    return f"{len(findings)} findings: {'; '.join(parts)}." if parts else "No findings."


def _many(count: int, verdict: Verdict) -> str:
    words = "hold" if verdict is Verdict.HOLDS and count > 1 else verdict.words
    return f"{count} {words}"


def _signed(value: float, digits: int) -> str:
    text = number(value, digits)
    return text if text.startswith(MINUS) else f"+{text}"
