"""A reproduction as the text of docs/systems/N.md shows it."""

from __future__ import annotations

from collections.abc import Sequence

from salticid.lab.reproduce.figures import PaperFigure
from salticid.lab.reproduce.finding_texts import HEADS, counts, explanation, row
from salticid.lab.reproduce.reproduction import FigureTable, Reproduction

FIGURES = "figures"
"""The folder beside the page in which its figures are."""


def markdown(paper: Reproduction, with_figures: bool = False) -> str:
    """The text, with the main figures if they are beside it."""
    parts = [
        *([f"**{paper.caution}**"] if paper.caution else []),
        f"Data: {paper.data}.",
        "; ".join(f"{name}: {value}" for name, value in paper.settings.items()) + ".",
        counts(paper.findings),
        _table(HEADS, [row(each) for each in paper.findings]),
        explanation(paper.findings),
    ]
    if with_figures:
        parts += [_figure(paper.number, each) for each in paper.figures if each.main]
    parts.extend(map(markdown_table, paper.tables))
    return "\n\n".join(parts) + "\n"


def markdown_table(table: FigureTable) -> str:
    """A table under its title, as markdown.

    >>> print(markdown_table(FigureTable("Figures", ["a", "b"], [["1", "2"]])))
    **Figures**
    <BLANKLINE>
    | a | b |
    | --- | --- |
    | 1 | 2 |
    """
    return f"**{table.title}**\n\n{_table(table.head, table.rows)}"


def file_of(number: int, figure: PaperFigure) -> str:
    """Where a figure is, beside the page of its system."""
    return f"{FIGURES}/{number}-{figure.name}.svg"


def _figure(number: int, figure: PaperFigure) -> str:
    title = _cell(f"{figure.number}, {figure.where}: {figure.title}")
    return f'![{title}]({file_of(number, figure)})\n\n{title}. The paper: "{_cell(figure.quote)}"'


def _table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join("| " + " | ".join(_cell(cell) for cell in line) + " |" for line in lines)


def _cell(text: str) -> str:
    """Text that cannot break a table."""
    return " ".join(text.replace("|", "\\|").split())
