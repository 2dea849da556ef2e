"""What a paper found, and what came out here."""

from __future__ import annotations

from collections.abc import Callable
from enum import StrEnum

import msgspec

from salticid.lab.results import Test

SURE = 0.05
"""A difference with a smaller p is one."""


class Verdict(StrEnum):
    """Whether a finding of a paper shows here."""

    HOLDS = "holds"
    DOES_NOT_HOLD = "does not hold"
    NOT_TESTABLE = "not testable here"


class Finding(msgspec.Struct, frozen=True):
    """One finding: the paper's word, what came out here in a sentence, and the verdict.

    `p` is that of the test behind the verdict, `low` and `high` bound the difference it is about (95 %); null
    where nothing was tested.
    """

    claim: str
    here: str
    verdict: Verdict
    p: float | None = None
    low: float | None = None
    high: float | None = None


def finding_of(
    claim: str, means: str, test: Test | None, holds: Callable[[float, float], bool], sign: int = 0
) -> Finding:
    """What a test says of a claim, which `holds` with a difference and its p.

    With a sign, a difference of the other sign is said to be the other way round.
    """
    if test is None or test.p is None:
        return Finding(claim, means, Verdict.NOT_TESTABLE)
    p = "p < 0.001" if sign and test.p < 0.001 else f"p = {test.p:.2g}"
    direction = ", the other way round" if sign and not test.diff * sign > 0 else ""
    verdict = Verdict.HOLDS if holds(test.diff, test.p) else Verdict.DOES_NOT_HOLD
    return Finding(claim, f"{means}; {p}{direction}", verdict, test.p, test.low, test.high)


class FigureTable(msgspec.Struct, frozen=True):
    """Figures that came out, for people: a title, the heads of the columns, rows of text."""

    title: str
    head: list[str]
    rows: list[list[str]]


class Reproduction(msgspec.Struct, frozen=True):
    """A paper's experiment, run again: on what, how, its tables and its findings.

    `caution` says why the verdicts may be none, where the experiment is not the paper's.
    """

    number: int
    paper: str
    data: str
    settings: dict[str, str]
    tables: list[FigureTable]
    findings: list[Finding]
    caution: str = ""


def markdown(paper: Reproduction) -> str:
    """A reproduction as the text of docs/systems/N.md shows it."""
    parts = [
        *([f"**{paper.caution}**"] if paper.caution else []),
        f"Data: {paper.data}.",
        "; ".join(f"{name}: {value}" for name, value in paper.settings.items()) + ".",
    ]
    parts.extend(map(markdown_table, paper.tables))
    head = "| the paper | here | verdict |\n|---|---|---|"
    findings = "\n".join(
        f"| {_cell(each.claim)} | {_cell(each.here)} | **{each.verdict.value}** |" for each in paper.findings
    )
    return "\n\n".join([*parts, f"{head}\n{findings}"]) + "\n"


def markdown_table(table: FigureTable) -> str:
    """A table under its title, as markdown.

    >>> print(markdown_table(FigureTable("Figures", ["a", "b"], [["1", "2"]])))
    **Figures**
    <BLANKLINE>
    | a | b |
    | --- | --- |
    | 1 | 2 |
    """
    rows = [table.head, ["---"] * len(table.head), *table.rows]
    body = "\n".join("| " + " | ".join(_cell(cell) for cell in row) + " |" for row in rows)
    return f"**{table.title}**\n\n{body}"


def too_few_pages(pages: int | None, asked_by_paper: int) -> str:
    """A caution for crawls that are shorter than the paper's; "" where they are not.

    >>> too_few_pages(100, 100), too_few_pages(None, 100)
    ('', '')
    >>> too_few_pages(10, 1000)
    "Crawls of 10 pages are too short, the paper's had 1,000: what holds or not below may be otherwise at that length."
    """
    if pages is None or pages >= asked_by_paper:
        return ""
    return (
        f"Crawls of {pages:,} pages are too short, the paper's had {asked_by_paper:,}: what holds or not below may be "
        "otherwise at that length."
    )


def _cell(text: str) -> str:
    """Text that cannot break a table."""
    return " ".join(text.replace("|", "\\|").split())
