"""Findings as people read them: the same words in the docs, on the page and on the terminal."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from salticid.lab.plots.numbers import MINUS, decimals, number, p_value
from salticid.lab.reproduce.findings import SURE, Finding, Verdict

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
