"""What a paper found, and what came out here: four verdicts, by tests that are corrected together."""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum

import msgspec
from msgspec.structs import replace

from salticid.lab.reproduce.paper import Claim
from salticid.lab.results import Test
from salticid.lab.statistics import holm

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
    return [
        replace(each, p=p, verdict=verdict_of(each, p)) for each, p in zip(findings, chances, strict=True)
    ]


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
