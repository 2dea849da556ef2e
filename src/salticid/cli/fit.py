"""`salticid fit`: what the hunter believes before it starts, learned from recordings."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from salticid.cli.console import err, out, print_json, safe
from salticid.cli.options import Quiet
from salticid.cli.progress import Work
from salticid.errors import UserError

if TYPE_CHECKING:
    from salticid.strategies.parts.hunter.prior import Prior


def fit(
    world: Annotated[Path, typer.Argument(metavar="WORLD", help="A recorded world.")],
    topics: Annotated[
        list[Path],
        typer.Option(help="A folder of topic files with targets; may be given again.", metavar="DIR"),
    ],
    out_file: Annotated[Path, typer.Option("--out", help="The strategy file to write.", metavar="FILE.toml")],
    also: Annotated[
        list[str] | None,
        typer.Option(
            help="One more world and a folder of its topics; may be given again.", metavar="WORLD=DIR"
        ),
    ] = None,
    max_pages: Annotated[int, typer.Option(min=1, help="Good pages of each crawl.")] = 300,
    rounds: Annotated[int, typer.Option(min=1, help="How often all topics are crawled.")] = 3,
    judge: Annotated[
        str | None,
        typer.Option(help="What scores pages [default: the hunter's].", metavar="NAME[:KEY=VALUE,...]"),
    ] = None,
    workers: Annotated[
        int | None,
        typer.Option(min=1, help="Processes that crawl [default: one a core].", show_default=False),
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
    sources = [Source(world, [file for folder in topics for file in _topic_files(folder)])]
    sources += [Source(other, _topic_files(folder)) for other, folder in map(_world_and_topics, also or [])]
    plan = FitPlan(max_pages=max_pages, rounds=rounds, workers=workers or os.cpu_count() or 1)
    with Work("fitting", 0, err) as work:
        prior = fit_prior(sources, plan if judge is None else plan._replace(judge=judge), work.part)
    try:
        out_file.write_text(strategy_file(prior), encoding="utf-8")
    except OSError as error:
        raise UserError(f"cannot write {out_file}: {error.strerror}; name another file") from None
    if json:
        weights = {"texts": prior.texts, "menus": prior.menus}
        print_json({"file": str(out_file), "provenance": prior.provenance, **weights})
    else:
        _tell(prior, out_file)


def _world_and_topics(pair: str) -> tuple[Path, Path]:
    """What `--also` names."""
    world, _, folder = pair.partition("=")
    if not folder:
        raise UserError(f"--also {pair} names no topics; write it as WORLD=DIR")
    return Path(world), Path(folder)


def _topic_files(folder: Path) -> list[Path]:
    files = sorted(folder.glob("*.toml"))
    if not files:
        raise UserError(f"no topic file in {folder}; make some with: salticid world topics WORLD --out DIR")
    return files


def _tell(prior: Prior, file: Path) -> None:
    """Show what weighs most, and how to crawl with it."""
    for title, weights in (("on webs of texts", prior.texts), ("on webs of menus", prior.menus)):
        out.print(title, highlight=False)
        strongest = sorted(weights, key=lambda name: -abs(weights[name] * prior.spread[name]))[:8]
        for name in strongest:
            out.print(safe(f"  {weights[name] * prior.spread[name]:+.2f}  {name}"), highlight=False)
    out.print(f"Crawl with it: salticid crawl TOPIC.toml --strategy {file}", highlight=False, soft_wrap=True)
