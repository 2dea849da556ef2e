"""`salticid reproduce`: a paper's experiment, run again."""

from __future__ import annotations

import os
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import msgspec
import typer

from salticid.cli.console import Work, check_marks, err, out, print_json, put_figures, safe
from salticid.cli.options import Quiet
from salticid.errors import UserError
from salticid.version import __version__

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
    topics: Annotated[int | None, typer.Option(min=2, help="Most topics of a web [default: 100].")] = None,
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
        MOST_TOPICS,
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
        most = topics or MOST_TOPICS
        outcome = run(number, Setup(data, folder, cores, work.part, length, letter, full, most))
    _write(folder, outcome)
    if into is not None:
        given = {"--data DIR": data is not None, "--letter": letter, "--full": full}
        _put_into(into, outcome, _run_line(number, given, {"--pages": pages, "--topics": topics}))
    if json:
        print_json(msgspec.to_builtins(outcome))
    else:
        _tell(outcome, folder)


def _write(folder: Path, outcome: Reproduction) -> None:
    """Keep the findings, for people and for programs, and the page with all figures."""
    from salticid.lab.reproduce import REPORT, markdown, render

    (folder / FINDINGS).write_text(markdown(outcome))
    (folder / FINDINGS_DATA).write_bytes(_lines(outcome.findings))
    (folder / REPORT).write_text(render(outcome), encoding="utf-8")


def _lines(value: object) -> bytes:
    return msgspec.json.format(msgspec.json.encode(value), indent=1) + b"\n"


def _tell(outcome: Reproduction, folder: Path) -> None:
    """Show the verdicts, and where to read on."""
    from salticid.lab.reproduce import REPORT, counts, effect

    out.print(safe(f"System {outcome.number}: {outcome.paper}"), soft_wrap=True)
    if outcome.caution:
        out.print(safe(outcome.caution), soft_wrap=True)
    for finding in outcome.findings:
        told = f"{finding.verdict:>12}  {finding.finding} ({finding.where}): {finding.here}; {effect(finding)}"
        out.print(safe(told.removesuffix("; ")), soft_wrap=True)
    out.print(safe(counts(outcome.findings)), soft_wrap=True)
    out.print(f"Kept in {folder / FINDINGS}, with figures and tables in {REPORT}", highlight=False, soft_wrap=True)


def _put_into(file: Path, outcome: Reproduction, run: str) -> None:
    """Write the findings between the marks of a page; beside it the main figures, the verdicts, and all data."""
    from salticid.lab.plots import stand_alone
    from salticid.lab.reproduce import FIGURES, data_of, draw, file_of, markdown, strip_of, verdict_strip

    (file.parent / FIGURES).mkdir(exist_ok=True)
    for old in (file.parent / FIGURES).glob(f"{outcome.number}-*.svg"):
        old.unlink()
    for figure in outcome.figures:
        if figure.main and (plot := draw(figure)):
            (file.parent / file_of(outcome.number, figure)).write_text(stand_alone(plot))
    (file.parent / strip_of(outcome.number)).write_text(verdict_strip(outcome))
    data = {"run": run, **{name: getattr(outcome, name) for name in ("data", "settings", "tables", "findings")}}
    (file.parent / data_of(outcome.number)).write_bytes(_lines(data))
    put_figures(file, markdown(outcome, run))


def _run_line(number: int, given: Mapping[str, bool], sizes: Mapping[str, int | None]) -> str:
    """Which version made it when, and by which command."""
    options = [f" {option}" for option, is_given in given.items() if is_given]
    options += [f" {option} {size}" for option, size in sizes.items() if size is not None]
    command = f"salticid reproduce {number}{''.join(options)}"
    return f"Version {__version__}, {datetime.now(UTC).date()}, `{command}`."
