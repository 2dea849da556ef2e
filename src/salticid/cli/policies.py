"""`salticid policies`: rules for rounds of watching, raced on generated webs with days."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Annotated

import typer

from salticid.cli.console import err, out, print_json, print_table, safe
from salticid.cli.figure_marks import check_marks, put_figures
from salticid.cli.interrupts import INTERRUPTED
from salticid.cli.options import Quiet
from salticid.cli.progress import Work


def policies(
    out_dir: Annotated[
        Path, typer.Option("--out", help="A folder for webs, runs and figures.", metavar="DIR")
    ],
    pages: Annotated[int, typer.Option(min=1000, help="Pages of each web.")] = 5000,
    webs: Annotated[int, typer.Option(min=1, help="How many webs.")] = 1,
    seed: Annotated[int, typer.Option(min=0, help="Of the first web; the others follow.")] = 11,
    topics_per_web: Annotated[
        int | None, typer.Option(min=1, help="Topics of each web, evenly spread [default: all].")
    ] = None,
    days: Annotated[int, typer.Option(min=1, help="Rounds, a day each.")] = 30,
    first: Annotated[int, typer.Option(min=1, help="Fetches of the first hunt.")] = 300,
    fetches: Annotated[int, typer.Option(min=1, help="Fetches of each round.")] = 20,
    workers: Annotated[
        int | None, typer.Option(min=1, help="Processes at work [default: all cores].")
    ] = None,
    into: Annotated[
        Path | None,
        typer.Option(help="Put the figures between the marks of this page too.", metavar="FILE.md"),
    ] = None,
    json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
    quiet: Quiet = False,
) -> None:
    """Race the policy of `salticid watch` against simpler ones on generated webs with days.

    Example: salticid policies --topics-per-web 5 --out policies
    """
    from salticid.lab.rounds import race_tables  # here: it takes its time to import
    from salticid.lab.rounds.race import PolicyRace, race_policies

    check_marks(into)
    race = PolicyRace(pages, webs, seed, days, first, fetches, topics_per_web)
    try:
        with Work("racing", 0, err) as work:
            results = race_policies(race, out_dir, workers or os.cpu_count() or 1, work.part)
    except KeyboardInterrupt:
        err.print("Stopped; the same command goes on from there.")
        raise typer.Exit(INTERRUPTED) from None
    (out_dir / race_tables.FIGURE).write_text(race_tables.figure(results))
    if into is not None:
        images = into.parent / "images"
        images.mkdir(exist_ok=True)
        (images / race_tables.FIGURE).write_text(race_tables.figure(results))
        put_figures(into, race_tables.markdown(results, f"{images.name}/{race_tables.FIGURE}"))
    if json:
        print_json(results)
        return
    table = race_tables.table(results)
    print_table(table.title, table.head, table.rows)
    out.print(safe(race_tables.terms(results)), soft_wrap=True)
    out.print(f"The curves are in {out_dir / race_tables.FIGURE}", highlight=False, soft_wrap=True)
