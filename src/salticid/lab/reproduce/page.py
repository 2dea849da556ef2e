"""What a reproduction shows: one HTML file that needs nothing else, and the part of a page of the docs."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TypeVar

from salticid.lab.plots import p_value, stand_alone, strip_plot
from salticid.lab.report import report_templates
from salticid.lab.reproduce.findings import (
    ClaimRow,
    Finding,
    claim_tables,
    counts,
    effect,
    explanation,
    places_of,
    verdict_counts,
)
from salticid.lab.reproduce.reproduction import FigureTable, PaperFigure, Reproduction, draw
from salticid.text import content_hash

REPORT = "report.html"
T = TypeVar("T")


def render(made: Reproduction) -> str:
    """The page as text, the same bytes for the same outcome. It allows its own style, by its hash, and nothing else."""
    environment = report_templates("salticid.lab.reproduce")
    environment.filters |= {"effect": effect, "p_value": p_value}
    drawn = [(each, plot) for each in made.figures if (plot := draw(each))]
    filled = [table for each in made.tables if (table := without_gaps(each)) is not None]
    return environment.get_template("page.html.j2").render(
        style_hash=content_hash(environment, "report.css"),
        made=made,
        counts=counts(made.findings),
        explanation=explanation(made.findings),
        verdicts={verdict.value: count for verdict, count in verdict_counts(made.findings).items()},
        claims=[
            (rows, places_of(rows), _by(lambda row: row.claim.source, rows)) for rows in claim_tables(made.findings)
        ],
        figures=_by(lambda pair: pair[0].number, drawn),
        tables=[(table, columns_of_words(table)) for table in filled],
    )


def _by(key: Callable[[T], str], each: Iterable[T]) -> list[tuple[str, list[T]]]:
    """In groups, in the order in which their keys turn up."""
    groups: dict[str, list[T]] = {}
    for one in each:
        groups.setdefault(key(one), []).append(one)
    return list(groups.items())


def without_gaps(table: FigureTable) -> FigureTable | None:
    """The table without columns in which nothing stands; None where no figure is left.

    >>> without_gaps(FigureTable("", ["who", "a", "b"], [["x", "none", "1"], ["y", "", "2"]])).head
    ['who', 'b']
    """
    columns = [
        column
        for column in zip(table.head, *table.rows, strict=True)
        if any(cell not in ("", "none", "—") for cell in column[1:])
    ]
    if len(columns) < 2:
        return None
    head, *rows = map(list, zip(*columns, strict=True))
    return FigureTable(table.title, head, rows)


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
"""The folder beside the page in which its figures and its data are."""


def markdown(made: Reproduction, run: str = "") -> str:
    """How it was run, and the claims in tables; before them the main figures, if they are beside the page."""
    caution = [f"**{made.caution}**"] if made.caution else []
    said = counts(made.findings)
    parts = [*caution, f"Data: {made.data}.", said]
    if run:
        rest = f"Settings, tables, means and p-values: [data]({data_of(made.number)})."
        pictures = [_figure(made.number, each) for each in made.figures if each.main and draw(each)]
        parts = [*caution, f"{run} Data: {made.data}. {rest}", f"![{said}]({strip_of(made.number)})", *pictures]
    parts += map(_claims, claim_tables(made.findings))
    return "\n\n".join([*parts, explanation(made.findings)]) + "\n"


def verdict_strip(made: Reproduction) -> str:
    """The verdicts as a bar in parts, as a file of its own."""
    counted = {verdict.value: count for verdict, count in verdict_counts(made.findings).items()}
    return stand_alone(strip_plot(counted, counts(made.findings)))


def file_of(number: int, figure: PaperFigure) -> str:
    """Where a figure is, beside the page of its system."""
    return f"{FIGURES}/{number}-{figure.name}.svg"


def strip_of(number: int) -> str:
    """Where the strip of verdicts is."""
    return f"{FIGURES}/{number}-verdicts.svg"


def data_of(number: int) -> str:
    """Where the rest of what came out is."""
    return f"{FIGURES}/{number}-findings.json"


def markdown_table(table: FigureTable) -> str:
    """A table under its title, as markdown.

    >>> print(markdown_table(FigureTable("Figures", ["a", "b"], [["1", "2"]])))
    **Figures**
    <BLANKLINE>
    | a | b |
    | --- | --- |
    | 1 | 2 |
    """
    lines = [table.head, ["---"] * len(table.head), *table.rows]
    return f"**{table.title}**\n\n" + "\n".join("| " + " | ".join(map(_cell, line)) + " |" for line in lines)


def _claims(rows: Sequence[ClaimRow]) -> str:
    """A row for each claim, a column for each collection."""
    places = places_of(rows)
    title = "What the paper supposes and did not try" if rows[0].claim.conjecture else "What the paper found"
    cells = [
        [row.claim.finding, row.claim.source, *(_verdict(row.cells.get(place)) for place in places)] for row in rows
    ]
    return markdown_table(FigureTable(title, ["claim", "source", *places], cells))


def _verdict(finding: Finding | None) -> str:
    return f"{finding.verdict.value} {effect(finding)}".rstrip() if finding else ""


def _figure(number: int, figure: PaperFigure) -> str:
    return f"![{_cell(f'{figure.number}, {figure.where}: {figure.title}')}]({file_of(number, figure)})"


def _cell(text: str) -> str:
    """Text that cannot break a table."""
    return " ".join(text.replace("|", "\\|").split())
