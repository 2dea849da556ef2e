"""`salticid league`: the same strategies on several webs, and who wins where."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from salticid.cli import options
from salticid.cli.console import err, out, print_json, print_table, safe
from salticid.cli.figure_marks import check_marks, put_figures
from salticid.cli.interrupts import INTERRUPTED
from salticid.cli.options import Quiet
from salticid.cli.progress import Work
from salticid.errors import UserError
from salticid.topic import Limits
from salticid.topic import max_buffer as read_max_buffer

if TYPE_CHECKING:
    from salticid.lab.league import League, MatchResult

_OF_A_LEAGUE = ("strategy", "max_pages", "max_buffer", "judge", "topics_per_web", "seed")


def league(
    context: typer.Context,
    worlds: Annotated[
        list[str],
        typer.Argument(metavar="WORLD...|LEAGUE.toml", help="Recorded worlds with labels, or a league."),
    ],
    strategy: Annotated[
        list[str] | None,
        typer.Option(
            help="Who plays; may be given again [default: all].", metavar="NAME[:KEY=VALUE,...]|FILE"
        ),
    ] = None,
    max_pages: Annotated[int, typer.Option(min=1, help="Good pages of each crawl.")] = 300,
    max_buffer: Annotated[str, typer.Option(help="Links a strategy may remember.", metavar="N|none")] = str(
        Limits().max_buffer
    ),
    judge: Annotated[
        str, typer.Option(help="What scores pages, the same for all.", metavar="NAME[:KEY=VALUE,...]")
    ] = "profile",
    topics_per_web: Annotated[
        int | None, typer.Option(min=1, help="Topics of each web, evenly spread [default: all].")
    ] = None,
    seed: Annotated[int, typer.Option(min=0, help="Of all that is left to chance.")] = 0,
    workers: Annotated[
        int | None, typer.Option(min=1, help="Processes at work [default: all cores].")
    ] = None,
    out_dir: Annotated[
        Path | None,
        typer.Option("--out", help="A folder for topics, crawls, reports and tables.", metavar="DIR"),
    ] = None,
    into: Annotated[
        Path | None,
        typer.Option(help="Put the tables between the marks of this page too.", metavar="FILE.md"),
    ] = None,
    shares: Annotated[
        Path | None,
        typer.Option(help="Write the oracle shares that the page shows to this file.", metavar="FILE.json"),
    ] = None,
    json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
    quiet: Quiet = False,
) -> None:
    """Race strategies on several worlds, and say who wins where.

    Example: salticid league schools webkb --strategy hunter --strategy best_first --out league
    """
    from salticid.lab.league import League, Web  # here, as what follows: it takes its time to import
    from salticid.lab.plan_file import read_plan

    if out_dir is None:
        raise UserError("nowhere to write to; name a folder with --out, as in --out league")
    check_marks(into)
    if len(worlds) == 1 and worlds[0].endswith(".toml"):
        options.check_untyped(context, _OF_A_LEAGUE, worlds[0])
        played = read_plan(Path(worlds[0]), League)
    else:
        webs = tuple(Web(Path(world).resolve().name, world, most=topics_per_web) for world in worlds)
        played = League(webs, tuple(strategy or ()), max_pages, read_max_buffer(max_buffer), judge, seed)
    results = _play(played, out_dir, workers)
    report = _write(played, results, out_dir, into)
    if shares is not None:
        _write_shares(results, shares)
    if json:
        print_json({"matches": results, "out": str(out_dir)})
    else:
        _tell(played, results, report)


def _play(league: League, out_dir: Path, workers: int | None) -> list[MatchResult]:
    """Play what is not played yet; whoever stops it may go on later."""
    from salticid.lab.league import play

    try:
        with Work("playing", 0, err) as work:
            return play(league, out_dir, workers or os.cpu_count() or 1, work.part)
    except KeyboardInterrupt:
        err.print("Stopped; the same command goes on from there.")
        raise typer.Exit(INTERRUPTED) from None


def _write(league: League, results: list[MatchResult], out_dir: Path, into: Path | None) -> Path:
    """Write the report, and the tables into a page that has room for them; the report's file."""
    from salticid.lab import league_tables
    from salticid.lab.league import REPORT

    report = out_dir / REPORT
    report.write_text(league_tables.render(league, results, REPORT), encoding="utf-8", newline="\n")
    put_figures(into, league_tables.markdown(league, results))
    return report


def _write_shares(results: list[MatchResult], file: Path) -> None:
    import msgspec

    from salticid.lab.league import shares

    try:
        file.write_bytes(msgspec.json.format(msgspec.json.encode(shares(results)), indent=1) + b"\n")
    except OSError as error:
        raise UserError(f"cannot write {file}: {error.strerror}; name another file with --shares") from None


def _tell(league: League, results: list[MatchResult], report: Path) -> None:
    """Show who won where, and where to read on."""
    from salticid.lab import league_tables

    for table in league_tables.tables(results):
        print_table(table.title, table.head, table.rows)
    out.print(safe(league_tables.terms(league)), soft_wrap=True)
    out.print(f"The report is in {report}", highlight=False, soft_wrap=True)
