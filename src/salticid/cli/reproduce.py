"""`salticid reproduce`: a paper's experiment, run again."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import msgspec
import typer

from salticid.cli.console import Work, check_marks, err, out, print_json, print_table, put_figures, safe
from salticid.cli.options import Quiet
from salticid.errors import UserError

if TYPE_CHECKING:
    from salticid.lab.reproduce import Reproduction

FINDINGS, FINDINGS_DATA = "findings.md", "findings.json"


def reproduce(
    number: Annotated[int, typer.Argument(metavar="1|2|3|4|5", min=1, max=5, help="Which system.")],
    data: Annotated[Path | None, typer.Option(help="A folder with the public collections.", metavar="DIR")] = None,
    out_dir: Annotated[
        Path | None, typer.Option("--out", help="A folder for worlds, crawls and findings.", metavar="DIR")
    ] = None,
    workers: Annotated[int | None, typer.Option(min=1, help="Processes at work [default: all cores].")] = None,
    pages: Annotated[int | None, typer.Option(min=10, help="Pages of each crawl [default: the paper's].")] = None,
    letter: Annotated[
        bool, typer.Option("--letter", help="Set every switch as the paper does, beside our own settings.")
    ] = False,
    full: Annotated[
        bool, typer.Option("--full", help="Add what takes long: grids of settings, longer crawls.")
    ] = False,
    into: Annotated[
        Path | None,
        typer.Option(help="Put the figures between the marks of this page too.", metavar="FILE.md"),
    ] = None,
    json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
    quiet: Quiet = False,
) -> None:
    """Run a paper's experiment again, and say finding by finding whether it holds here.

    Example: salticid reproduce 1 --data shared/data --out reproductions/1
    """
    from salticid.lab import make_folder
    from salticid.lab.reproduce import (
        Setup,
        paper,  # here: it takes its time
        run,
    )

    check_marks(into)
    if data is not None and not data.is_dir():
        raise UserError(
            f"there is no folder {data}; name the one that holds the collections with --data, or fetch them there, "
            f"as in: salticid world get webkb {data / 'webkb'}"
        )
    if number == 2 and pages is not None:
        err.print("System 2 makes no crawls, so --pages changes nothing.", highlight=False)
    folder = out_dir or Path("reproductions") / str(number)
    make_folder(folder)
    with Work("reproducing", 0, err) as work:
        cores, length = workers or os.cpu_count() or 1, pages or paper(number).pages
        outcome = run(number, Setup(data, folder, cores, work.part, length, letter, full))
    _write(folder, outcome)
    if into is not None:
        _put_into(into, outcome)
    if json:
        print_json(msgspec.to_builtins(outcome))
    else:
        _tell(outcome, folder)


def _write(folder: Path, outcome: Reproduction) -> None:
    """Keep the findings, for people and for programs, and the page with all figures."""
    from salticid.lab.reproduce import REPORT, markdown, render

    (folder / FINDINGS).write_text(markdown(outcome))
    (folder / FINDINGS_DATA).write_bytes(msgspec.json.format(msgspec.json.encode(outcome.findings), indent=1) + b"\n")
    (folder / REPORT).write_text(render(outcome), encoding="utf-8")


def _tell(outcome: Reproduction, folder: Path) -> None:
    """Show the tables and the verdicts, and where to read on."""
    from salticid.lab.reproduce import REPORT, effect, verdict

    out.print(safe(f"System {outcome.number}: {outcome.paper}"), soft_wrap=True)
    if outcome.caution:
        out.print(safe(outcome.caution), soft_wrap=True)
    for figures in outcome.tables:
        print_table(figures.title, figures.head, figures.rows)
    for finding in outcome.findings:
        told = f"{verdict(finding):>36}  {finding.finding} ({finding.where}): {finding.here}; {effect(finding)}"
        out.print(safe(told.removesuffix("; ")), soft_wrap=True)
    out.print(f"Kept in {folder / FINDINGS}, with figures in {REPORT}", highlight=False, soft_wrap=True)


def _put_into(file: Path, outcome: Reproduction) -> None:
    """Write the findings between the marks of a page, and the main figures beside it."""
    from salticid.lab.plots import stand_alone
    from salticid.lab.reproduce import FIGURES, draw, file_of, markdown

    (file.parent / FIGURES).mkdir(exist_ok=True)
    for old in (file.parent / FIGURES).glob(f"{outcome.number}-*.svg"):
        old.unlink()
    for figure in outcome.figures:
        if figure.main:
            (file.parent / file_of(outcome.number, figure)).write_text(stand_alone(draw(figure)))
    put_figures(file, markdown(outcome, with_figures=True))
