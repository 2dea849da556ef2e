"""`salticid visits`: every visit of a crawl."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from salticid.cli.console import out, print_json, safe
from salticid.cli.crawl_reading import crawl_in


def visits(
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="The folder of a crawl.")],
    json: Annotated[bool, typer.Option("--json", help="One JSON object per line.")] = False,
    digest: Annotated[bool, typer.Option("--digest", help="Only a digest: equal for equal crawls.")] = False,
) -> None:
    """List every visit of a crawl, in order.

    Example: salticid visits crawls/ballooning-best_first --json | head
    """
    with crawl_in(folder) as crawl:
        if digest:
            typer.echo(crawl.digest())
            return
        for visit in crawl.visits():
            if json:
                print_json(visit.listing())
            else:
                mark = "+" if visit.positive else " "
                line = f"{visit.step:>6} {mark} {visit.score:.3f} {visit.outcome:<13} {visit.final_url}  "
                out.print(safe(line + (visit.title or "")), soft_wrap=True)
