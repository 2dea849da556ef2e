"""The page of a reproduction: one HTML file that needs nothing else, with the look of a comparison's report."""

from __future__ import annotations

from salticid.lab.report import report_templates
from salticid.lab.reproduce.figures import draw
from salticid.lab.reproduce.finding_texts import HEADS, counts, explanation, row
from salticid.lab.reproduce.reproduction import FigureTable, Reproduction
from salticid.text.templates import content_hash

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
