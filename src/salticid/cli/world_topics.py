"""`salticid world topics`: topic files from the labels of a world."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

import typer

from salticid.cli.console import out, print_json
from salticid.worlds.topics import TopicPlan, make_topics


def topics(
    world: Annotated[Path, typer.Argument(metavar="WORLD", help="The folder of a world with labels.")],
    out_dir: Annotated[Path, typer.Option("--out", help="A folder for the topic files.", metavar="DIR")],
    task: Annotated[
        Literal["examples", "neighbours"], typer.Option(help="Start from known pages, or near them.")
    ] = "examples",
    query: Annotated[
        Literal["path", "text"], typer.Option(help="Keywords: the label's words, or a long text.")
    ] = "path",
    min_pages: Annotated[int, typer.Option(min=1, help="Labels with fewer pages make no topic.")] = 20,
    seeds_per_topic: Annotated[
        int, typer.Option(min=1, help="Seeds drawn where examples are not the seeds.")
    ] = 10,
    examples_per_topic: Annotated[
        int, typer.Option(min=0, help="Known pages the crawler may learn from.")
    ] = 5,
    examples_share: Annotated[
        float, typer.Option(min=0.0, max=1.0, help="At most this share of the pages are examples.")
    ] = 1.0,
    seed: Annotated[int, typer.Option(min=0, help="Of the shuffling.")] = 0,
    json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
) -> None:
    """Write one topic file per label of a world.

    Example: salticid world topics world/ --out topics/ --task neighbours
    """
    plan = TopicPlan(task, query, min_pages, seeds_per_topic, examples_per_topic, seed, examples_share)
    result = make_topics(world, out_dir, plan)
    if json:
        print_json({"topics": [str(file) for file in result.files], "left_out": result.left_out})
        return
    out.print(f"{len(result.files)} topics in {out_dir}", highlight=False)
    for label, why in result.left_out.items():
        out.print(f"  left out: {label} ({why})", highlight=False, markup=False)
