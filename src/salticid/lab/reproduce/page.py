"""The page of a reproduction: one HTML file that needs nothing else, with the look of a comparison's report."""

from __future__ import annotations

from collections.abc import Sequence

from salticid.lab.report import report_templates
from salticid.lab.reproduce.findings import HEADS, counts, explanation, row
from salticid.lab.reproduce.reproduction import FigureTable, PaperFigure, Reproduction, draw
from salticid.text import content_hash

REPORT = "report.html"


def render(made: Reproduction) -> str:
    """The page as text, the same bytes for the same outcome. It allows its own style, by its hash, and nothing else."""
    environment = report_templates("salticid.lab.reproduce")
    return environment.get_template("page.html.j2").render(
        style_hash=content_hash(environment, "report.css"),
        made=made,
        counts=counts(made.findings),
        explanation=explanation(made.findings),
        heads=HEADS,
        findings=[(row(each), each) for each in made.findings],
        figures=[(each, draw(each)) for each in made.figures],
        tables=[(each, columns_of_words(each)) for each in made.tables],
    )


def columns_of_words(table: FigureTable) -> list[int]:
    """The first column, and those in which no cell has a figure.

    >>> columns_of_words(FigureTable("", ["where", "score", "right"], [["a", "anchor", "68.6"], ["b", "context", "—"]]))
    [0, 1]
    """
    columns = list(zip(*table.rows, strict=True))
    return [at for at, cells in enumerate(columns) if at == 0 or not any(map(_has_figure, cells))]


def _has_figure(cell: str) -> bool:
    return any(letter.isdigit() for letter in cell)


# A reproduction as the text of docs/systems/N.md shows it.

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
