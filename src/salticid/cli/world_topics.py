"""`salticid world topics`: topic files from what is known about the pages of a world."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

import typer

from salticid.cli.console import err, out, print_json, safe
from salticid.errors import UserError

_BASIS = {
    "labels": "from the labels of the world",
    "belief": "from what the crawl believed, which may be wrong",
    "words": "from the words that pages hold",
    "directory": "from the leaves of the directory",
}


def topics(
    world: Annotated[Path, typer.Argument(metavar="WORLD", help="The folder of a world.")],
    out_dir: Annotated[Path, typer.Option("--out", help="A folder for the topic files.", metavar="DIR")],
    search: Annotated[
        list[str] | None,
        typer.Option(help="A topic of the pages that hold these words; may be given again.", metavar="WORDS"),
    ] = None,
    directory: Annotated[
        Path | None,
        typer.Option(help="Topics from the leaves of a web directory: RDF dump or HTML.", metavar="PATH"),
    ] = None,
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
    targets: Annotated[
        Literal["rest", "examples"],
        typer.Option(help="What is to be found: the other pages, or the examples."),
    ] = "rest",
    on_topic: Annotated[
        bool, typer.Option("--on-topic", help="Neighbours may be pages of the topic.")
    ] = False,
    description: Annotated[
        Literal["beginnings", "editor"],
        typer.Option(help="The long text: first words of pages, or telling words as an editor has them."),
    ] = "beginnings",
    seed: Annotated[int, typer.Option(min=0, help="Of the shuffling.")] = 0,
    json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
) -> None:
    """Write one topic file per label of a world, or for what a crawl believed, or for words.

    Example: salticid world topics world/ --out topics/ --task neighbours
    """
    from salticid.worlds.topics import TopicPlan, make_topics  # here: it takes its time to import

    if targets == "examples" and task == "examples":
        raise UserError(
            "a crawl that starts from the examples has them; --targets examples goes with --task neighbours"
        )
    plan = TopicPlan(
        task,
        query,
        min_pages,
        seeds_per_topic,
        examples_per_topic,
        seed,
        examples_share,
        targets=targets,
        on_topic=on_topic,
        description=description,
    )
    if search and directory is not None:
        raise UserError("--search and --directory both say what topics are about; leave one of them out")
    result = make_topics(world, out_dir, plan, search or (), directory)
    files, left_out = [str(file) for file in result.files], result.left_out
    if json:
        print_json({"topics": files, "left_out": left_out, "basis": result.basis})
        return
    topics = "1 topic" if len(files) == 1 else f"{len(files)} topics"
    out.print(safe(f"{topics} in {out_dir}, {_BASIS[result.basis]}"), highlight=False, soft_wrap=True)
    for name, why in left_out.items():
        out.print(safe(f"  left out: {name} ({why})"), highlight=False, soft_wrap=True)
    if not files:
        err.print(
            "A topic needs fewer pages with a smaller --min-pages and --examples-per-topic.", highlight=False
        )
