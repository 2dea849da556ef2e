"""`salticid fit`: what the hunter believes before it starts, learned from recordings."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from salticid.cli.console import err, out, print_json, safe
from salticid.cli.options import Quiet
from salticid.cli.progress import Work
from salticid.errors import UserError


def fit(
    world: Annotated[Path, typer.Argument(metavar="WORLD", help="A recorded world.")],
    topics: Annotated[
        list[Path],
        typer.Option(help="A folder of topic files with targets; may be given again.", metavar="DIR"),
    ],
    out_file: Annotated[Path, typer.Option("--out", help="The strategy file to write.", metavar="FILE.toml")],
    max_pages: Annotated[int, typer.Option(min=1, help="Good pages of each crawl.")] = 300,
    rounds: Annotated[int, typer.Option(min=1, help="How often all topics are crawled.")] = 3,
    judge: Annotated[
        str | None,
        typer.Option(help="What scores pages [default: the hunter's].", metavar="NAME[:KEY=VALUE,...]"),
    ] = None,
    json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
    quiet: Quiet = False,
) -> None:
    """Learn the first weights of the strategy hunter from topics whose targets are known.

    Example: salticid fit world --topics topics --out mine.toml
    """
    from salticid.lab.prior_fitting import FitPlan, Source, fit_prior  # here: it takes its time to import
    from salticid.strategies.parts.hunter.prior import strategy_file

    if out_file.suffix != ".toml" or not out_file.parent.is_dir():
        raise UserError(
            f"{out_file} is no name for a strategy file; let it end in .toml, in a folder that exists"
        )
    files = [file for folder in topics for file in sorted(folder.glob("*.toml"))]
    plan = FitPlan(max_pages=max_pages, rounds=rounds)
    with Work("fitting", 0, err) as work:
        prior = fit_prior(
            [Source(world, files)], plan if judge is None else plan._replace(judge=judge), work.part
        )
    try:
        out_file.write_text(strategy_file(prior), encoding="utf-8")
    except OSError as error:
        raise UserError(f"cannot write {out_file}: {error.strerror}; name another file") from None
    if json:
        print_json({"file": str(out_file), "provenance": prior.provenance, "weights": prior.weights})
        return
    strongest = sorted(prior.weights, key=lambda name: -abs(prior.weights[name] * prior.spread[name]))[:8]
    for name in strongest:
        out.print(safe(f"{prior.weights[name] * prior.spread[name]:+.2f}  {name}"), highlight=False)
    out.print(
        f"Crawl with it: salticid crawl TOPIC.toml --strategy {out_file}", highlight=False, soft_wrap=True
    )
