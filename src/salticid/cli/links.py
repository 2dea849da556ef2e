"""`salticid links`: what class of page a link leads to, said before the page is fetched."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

import typer

from salticid.cli.console import err, out, print_json, print_table
from salticid.cli.progress import Work
from salticid.errors import UserError


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
    from salticid.lab.links import link_table_file as saving
    from salticid.lab.links import splits  # here: it takes its time to import
    from salticid.lab.links.context import Context
    from salticid.lab.links.examples import labelled_links, with_paths
    from salticid.lab.links.table import link_table
    from salticid.lab.links.trial import beside_paths, run_trial
    from salticid.lab.links.trial_tables import figures

    if save is not None and save.suffix != ".toml":
        raise UserError(f"{save} is no name for a strategy file; let it end in .toml")
    if save is not None and not save.parent.is_dir():
        raise UserError(f"there is no folder {save.parent} to write {save.name} to; name one that exists")
    if target is not None and save is None:
        raise UserError("--target is for the strategy file; name one with --save FILE.toml")
    examples = labelled_links(world)
    target_class = saving.checked_target(examples, target) if save is not None else ""
    parts = splits.by_university(examples) if split == "university" else splits.at_random(examples, seed)
    pathed = with_paths(examples, world) if context_paths else None
    with Work("links", 0, err) as work:
        trial = run_trial(parts, work.part, Context(examples))
        if pathed is not None:
            trial = beside_paths(trial, run_trial(parts, work.part, Context(pathed)))
    if save is not None:
        file_of = saving.context_file if score == "context" else saving.strategy_file
        _write(save, file_of(examples, target_class))
    if json:
        print_json(link_table(trial))
        return
    for each in figures(trial):
        print_table(each.title, each.head, each.rows, right=True)
        out.print()
    if save is not None:
        out.print(
            f"Crawl with it: salticid crawl TOPIC.toml --strategy {save}", highlight=False, soft_wrap=True
        )


def _write(file: Path, text: str) -> None:
    try:
        file.write_text(text, encoding="utf-8")
    except OSError as error:
        raise UserError(
            f"cannot write {file}: {error.strerror}; name a file in a folder that exists"
        ) from None
