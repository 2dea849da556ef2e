"""A paper's experiment, run again: how it is asked for, and what it is made of."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import msgspec

from salticid.lab.compare import Watch
from salticid.lab.reproduce.figures import PaperFigure
from salticid.lab.reproduce.findings import Finding


@dataclass(frozen=True, slots=True)
class Setup:
    """How an experiment is run again: on which collections, where its worlds and crawls are kept, how long crawls are.

    `letter` sets every switch as the paper does, beside our own settings; `full` adds what takes long.
    """

    data: Path | None
    out: Path
    workers: int
    watch: Watch
    pages: int
    letter: bool = False
    full: bool = False


class FigureTable(msgspec.Struct, frozen=True):
    """Figures that came out, for people: a title, the heads of the columns, rows of text."""

    title: str
    head: list[str]
    rows: list[list[str]]


class Reproduction(msgspec.Struct, frozen=True):
    """A paper's experiment, run again: on what, how, its figures, its tables and its findings.

    `caution` says why the verdicts may be none, where the experiment is not the paper's.
    """

    number: int
    paper: str
    data: str
    settings: dict[str, str]
    tables: list[FigureTable]
    findings: list[Finding]
    figures: list[PaperFigure] = []
    caution: str = ""


def too_few_pages(pages: int, asked_by_paper: int) -> str:
    """A caution for crawls that are shorter than the paper's; "" where they are not.

    >>> too_few_pages(100, 100)
    ''
    >>> too_few_pages(10, 1000)
    "Crawls of 10 pages are too short, the paper's had 1,000: what holds or not below may be otherwise at that length."
    """
    if pages >= asked_by_paper:
        return ""
    return (
        f"Crawls of {pages:,} pages are too short, the paper's had {asked_by_paper:,}: what holds or not below may be "
        "otherwise at that length."
    )
