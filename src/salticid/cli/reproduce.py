"""`salticid reproduce`: a paper's experiment, run again."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Annotated

import msgspec
import typer

from salticid.cli.console import err, out, print_json, print_table, safe
from salticid.cli.figure_marks import check_marks, put_figures
from salticid.cli.options import Quiet
from salticid.cli.progress import Work
from salticid.errors import UserError

FINDINGS = "findings.md"


def reproduce(
    number: Annotated[int, typer.Argument(metavar="1|2|3|4|5", min=1, max=5, help="Which system.")],
    data: Annotated[
        Path | None, typer.Option(help="A folder with the public collections.", metavar="DIR")
    ] = None,
    out_dir: Annotated[
        Path | None, typer.Option("--out", help="A folder for worlds, crawls and findings.", metavar="DIR")
    ] = None,
    workers: Annotated[
        int | None, typer.Option(min=1, help="Processes at work [default: all cores].")
    ] = None,
    pages: Annotated[
        int | None, typer.Option(min=10, help="Pages of each crawl [default: the paper's].")
    ] = None,
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
    from salticid.lab.reproduce.findings import Finding, Reproduction, markdown  # here: it takes its time
    from salticid.lab.reproduce.systems import run

    check_marks(into)
    if data is not None and not data.is_dir():
        raise UserError(f"there is no folder {data}; name the one that holds the collections with --data")
    if number == 2 and pages is not None:
        err.print("System 2 makes no crawls, so --pages changes nothing.", highlight=False)
    folder = out_dir or Path("reproductions") / str(number)
    with Work("reproducing", 0, err) as work:
        outcome: Reproduction = run(number, data, folder, workers or os.cpu_count() or 1, work.part, pages)
    folder.mkdir(parents=True, exist_ok=True)
    (folder / FINDINGS).write_text(markdown(outcome))
    put_figures(into, markdown(outcome))
    if json:
        print_json(msgspec.to_builtins(outcome))
        return
    out.print(safe(f"System {outcome.number}: {outcome.paper}"), soft_wrap=True)
    if outcome.caution:
        out.print(safe(outcome.caution), soft_wrap=True)
    for figures in outcome.tables:
        print_table(figures.title, figures.head, figures.rows)
    finding: Finding
    for finding in outcome.findings:
        out.print(safe(f"{finding.verdict.value:>18}  {finding.claim}: {finding.here}"), soft_wrap=True)
    out.print(f"Kept in {folder / FINDINGS}", highlight=False, soft_wrap=True)
