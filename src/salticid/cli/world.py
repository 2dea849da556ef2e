"""`salticid world info`, `serve` and `topics`: look into a recorded world, serve it, make topics."""

from __future__ import annotations

import signal
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from salticid.cli.console import err, out, print_json, safe
from salticid.errors import UserError

if TYPE_CHECKING:
    from salticid.webs import RecordedWeb


def info(
    world: Annotated[Path, typer.Argument(metavar="WORLD", help="The folder of a world.")],
    json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
) -> None:
    """Tell what a recorded world holds.

    Example: salticid world info world/
    """
    import numpy as np  # here, as what follows: it takes its time to import

    from salticid.webs import LINK, PAGE, ROW, URL, RecordedWeb
    from salticid.worlds import labels_of

    web = RecordedWeb(world)
    labels = labels_of(world)
    row_of = web.arrays[URL.row]
    recorded_links = int(np.count_nonzero(row_of[web.arrays[LINK.url]] >= 0))
    facts = {
        "pages": web.pages,
        "links": web.links,
        "links_recorded": recorded_links,
        "urls": len(web.urls),
        "hosts": len(np.unique(web.arrays[URL.host][web.arrays[PAGE.url]])),
        "redirects": int(np.count_nonzero(web.arrays[ROW.target] >= 0)),
        "labels": {label: len(urls) for label, urls in labels.items()},
        "bytes": sum(file.stat().st_size for file in world.iterdir()),
        "built_from": web.arrays.manifest.built_from,
        "left_out": web.arrays.manifest.left_out,
        "digest": web.digest,
    }
    if json:
        print_json(facts)
        return
    for name, value in facts.items():
        text = f"{len(labels)}" if name == "labels" else f"{value:,}" if isinstance(value, int) else str(value)
        out.print(f"{name:>15}  {text}", highlight=False, markup=False, soft_wrap=True)
    for label, urls in labels.items():
        out.print(f"{'':>17}{len(urls):>6}  {label}", highlight=False, markup=False)


# `salticid world serve`: a recorded world over real HTTP.


def serve_world(
    world: Annotated[Path, typer.Argument(metavar="WORLD", help="The folder of a world.")],
    port: Annotated[int, typer.Option(min=0, max=65_535, help="Where to listen; 0: any free port.")] = 8000,
    gzip: Annotated[bool, typer.Option("--gzip", help="Compress pages for clients that take it.")] = False,
    warm: Annotated[bool, typer.Option("--warm", help="Render pages ahead, up to 256 MB of them.")] = False,
    json: Annotated[bool, typer.Option("--json", help="Print the address as one JSON object.")] = False,
) -> None:
    """Serve a recorded world over HTTP on this machine, every host by its Host header, until Ctrl-C.

    Example: salticid world serve world/ --port 8000
    """
    import asyncio  # here, as what follows: it takes its time to import

    from salticid.webs import RecordedWeb

    asyncio.run(_serve(RecordedWeb(world), port, gzip, warm, json))


async def _serve(web: RecordedWeb, port: int, gzip: bool, warm: bool, json: bool) -> None:
    import asyncio

    import numpy as np

    from salticid.webs import ADDRESS, PAGE, URL, serve

    stop = asyncio.Event()
    asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, stop.set)
    server = await serve(web, port, gzip)
    try:
        if warm:
            await server.warm()
        address = f"http://{ADDRESS}:{server.port}/"
        if json:
            hosts = len(np.unique(web.arrays[URL.host][web.arrays[PAGE.url]]))
            print_json({"address": address, "port": server.port, "pages": web.pages, "hosts": hosts})
            sys.stdout.flush()
        else:
            sentence = f"Serving {web.folder} on {address} (every host by its Host header; Ctrl-C stops)"
            out.print(safe(sentence), highlight=False, soft_wrap=True)
        await stop.wait()
    finally:
        await server.close()


# `salticid world topics`: topic files from what is known about the pages of a world.

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
    seeds_per_topic: Annotated[int, typer.Option(min=1, help="Seeds drawn where examples are not the seeds.")] = 10,
    examples_per_topic: Annotated[int, typer.Option(min=0, help="Known pages the crawler may learn from.")] = 5,
    examples_share: Annotated[
        float, typer.Option(min=0.0, max=1.0, help="At most this share of the pages are examples.")
    ] = 1.0,
    targets: Annotated[
        Literal["rest", "examples"],
        typer.Option(help="What is to be found: the other pages, or the examples."),
    ] = "rest",
    on_topic: Annotated[bool, typer.Option("--on-topic", help="Neighbours may be pages of the topic.")] = False,
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
    from salticid.worlds import TopicPlan, make_topics  # here: it takes its time to import

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
        err.print("A topic needs fewer pages with a smaller --min-pages and --examples-per-topic.", highlight=False)
