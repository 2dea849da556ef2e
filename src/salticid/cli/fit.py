"""`salticid fit` and `salticid links`: what recorded worlds teach about links."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from salticid.cli.console import Work, err, out, print_json, print_table, safe
from salticid.cli.options import Quiet
from salticid.errors import UserError

if TYPE_CHECKING:
    from salticid.strategies.hunter import Prior


def fit(
    world: Annotated[Path, typer.Argument(metavar="WORLD", help="A recorded world.")],
    topics: Annotated[
        list[Path],
        typer.Option(help="A folder of topic files with targets; may be given again.", metavar="DIR"),
    ],
    out_file: Annotated[Path, typer.Option("--out", help="The strategy file to write.", metavar="FILE.toml")],
    also: Annotated[
        list[str] | None,
        typer.Option(help="One more world and a folder of its topics; may be given again.", metavar="WORLD=DIR"),
    ] = None,
    max_pages: Annotated[int, typer.Option(min=1, help="Good pages of each crawl.")] = 300,
    rounds: Annotated[int, typer.Option(min=1, help="How often all topics are crawled.")] = 3,
    judge: Annotated[
        str | None,
        typer.Option(help="What scores pages [default: the hunter's].", metavar="NAME[:KEY=VALUE,...]"),
    ] = None,
    base: Annotated[
        Path | None,
        typer.Option(help="A strategy file whose weights to keep; those of meaning are fitted.", metavar="FILE.toml"),
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
    from salticid.lab import FitPlan, Source, fit_prior  # here: it takes its time to import
    from salticid.runs import strategy_of
    from salticid.strategies.hunter import Hunter, strategy_file

    if out_file.suffix != ".toml" or not out_file.parent.is_dir():
        raise UserError(f"{out_file} is no name for a strategy file; let it end in .toml, in a folder that exists")
    sources = [Source(world, [file for folder in topics for file in _topic_files(folder)])]
    sources += [Source(other, _topic_files(folder)) for other, folder in map(_world_and_topics, also or [])]
    known = None if base is None else strategy_of(str(base), files=True)[1]
    if base is not None and (not isinstance(known, Hunter) or known.prior is None):
        raise UserError(f"{base} has no prior of the hunter; name a file that salticid fit wrote")
    prior_before = known.prior if isinstance(known, Hunter) else None
    plan = FitPlan(max_pages=max_pages, rounds=rounds, workers=workers or os.cpu_count() or 1, base=prior_before)
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


# `salticid links`: what class of page a link leads to, said before the page is fetched.


def links(
    world: Annotated[Path, typer.Argument(metavar="WORLD", help="The folder of a world with labels.")],
    split: Annotated[
        Literal["university", "random"], typer.Option(help="Leave a university out, or links by chance.")
    ] = "university",
    seed: Annotated[int, typer.Option(min=0, help="Of the split by chance.")] = 0,
    context_paths: Annotated[
        bool, typer.Option("--context-paths", help="Read the headings and list items above links too.")
    ] = False,
    save: Annotated[
        Path | None, typer.Option(help="Write a strategy file learned from all links.", metavar="FILE.toml")
    ] = None,
    score: Annotated[
        Literal["transition", "context"], typer.Option(help="By which score its crawls go.")
    ] = "transition",
    target: Annotated[
        str | None, typer.Option(help="The class its crawls are after [default: homepage].", metavar="CLASS")
    ] = None,
    json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
) -> None:
    """Compare four ways to tell from a link what class of page it leads to.

    Example: salticid links webkb --split university --save homepages.toml
    """
    from salticid.lab.links import (  # here: it takes its time to import
        Context,
        at_random,
        beside_paths,
        by_university,
        checked_target,
        context_file,
        figures,
        labelled_links,
        link_strategy_file,
        link_table,
        run_trial,
        with_paths,
    )

    if save is not None and save.suffix != ".toml":
        raise UserError(f"{save} is no name for a strategy file; let it end in .toml")
    if save is not None and not save.parent.is_dir():
        raise UserError(f"there is no folder {save.parent} to write {save.name} to; name one that exists")
    if target is not None and save is None:
        raise UserError("--target is for the strategy file; name one with --save FILE.toml")
    examples = labelled_links(world)
    target_class = checked_target(examples, target) if save is not None else ""
    parts = by_university(examples) if split == "university" else at_random(examples, seed)
    pathed = with_paths(examples, world) if context_paths else None
    with Work("links", 0, err) as work:
        trial = run_trial(parts, work.part, Context(examples))
        if pathed is not None:
            trial = beside_paths(trial, run_trial(parts, work.part, Context(pathed)))
    if save is not None:
        file_of = context_file if score == "context" else link_strategy_file
        _write(save, file_of(examples, target_class))
    if json:
        print_json(link_table(trial))
        return
    for each in figures(trial):
        print_table(each.title, each.head, each.rows, right=True)
        out.print()
    if save is not None:
        out.print(f"Crawl with it: salticid crawl TOPIC.toml --strategy {save}", highlight=False, soft_wrap=True)


def _write(file: Path, text: str) -> None:
    try:
        file.write_text(text, encoding="utf-8")
    except OSError as error:
        raise UserError(f"cannot write {file}: {error.strerror}; name a file in a folder that exists") from None
