"""`salticid crawl`: hunt for the pages of a topic; `salticid demo`: see it done, without a network."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Annotated, Any

import typer

from salticid.cli import options
from salticid.cli.console import Work, err, even_sample, out, show_table, sparkline
from salticid.cli.options import Quiet
from salticid.errors import UserError
from salticid.topic import MUCH, WHAT, WHERE

_where = partial(typer.Option, rich_help_panel=WHERE)
_cluster = partial(typer.Option, rich_help_panel="On a cluster")


@dataclass(frozen=True, slots=True)
class Start:
    """What to look for, and where to start, as typed."""

    topic_file: Path | None
    query: str | None
    urls: tuple[str, ...]
    bookmarks: Path | None
    search: str | None
    crawls: tuple[Path, ...]


@dataclass(frozen=True, slots=True)
class Running:
    """Where a run of a crawl goes, who is told of it, and on which machines it runs."""

    out: Path | None
    new: bool
    json: bool
    verbose: bool
    metrics_port: int | None
    bind: str | None
    host_names: list[str] | None
    ray: str | None
    shards: int


@options.spec_options(after="from_crawl")
def crawl(
    context: typer.Context,
    topic_file: Annotated[
        Path | None, typer.Argument(metavar="TOPIC.toml", help="What to look for, and where to start.")
    ] = None,
    query: Annotated[
        str | None,
        typer.Option(help="What to look for, instead of a topic file.", metavar="WORDS", rich_help_panel=WHAT),
    ] = None,
    seed_url: Annotated[list[str] | None, _where(help="With --query: a page to start from.", metavar="URL")] = None,
    bookmarks: Annotated[
        Path | None, _where(help="With --query: start from a browser's bookmarks.", metavar="FILE")
    ] = None,
    search: Annotated[
        str | None,
        _where(help="With --query: start from what an engine finds.", metavar="searxng:URL|brave"),
    ] = None,
    from_crawl: Annotated[
        list[Path] | None, _where(help="With --query: start from what a crawl found.", metavar="DIR")
    ] = None,
    stop_when: Annotated[
        str | None,
        typer.Option(help='As in "harvest < 0.05", "remaining < 10".', metavar="CONDITION", rich_help_panel=MUCH),
    ] = None,
    out_dir: Annotated[
        Path | None,
        _where("--out", help="A folder for the crawl; one that it began in goes on.", metavar="DIR"),
    ] = None,
    new: Annotated[bool, _where("--new", help="Without --out: begin anew where the same command would go on.")] = False,
    refresh: Annotated[Path | None, typer.Option(help="As salticid refresh DIR.", metavar="DIR", hidden=True)] = None,
    json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
    quiet: options.Quiet = False,
    verbose: Annotated[bool, typer.Option("--verbose", "-v", help="Tell of every visit, on stderr.")] = False,
    metrics_port: Annotated[
        int | None,
        typer.Option(min=0, max=65_535, help="Serve OpenMetrics on this port; 0: any free port.", metavar="N"),
    ] = None,
    bind: options.Bind = None,
    host_name: options.HostName = None,
    ray: Annotated[str | None, _cluster(help="Live: crawl on a Ray cluster.", metavar="ADDRESS|local")] = None,
    shards: Annotated[int, _cluster(min=1, help="With --ray: parts of the crawl.")] = 4,
    **fields: Any,
) -> int:
    """Hunt for the pages of a topic.

    Example: salticid crawl ballooning.toml --web world/ --strategy best_first --max-pages 300
    """
    if refresh is not None:
        from salticid.cli.watch import refresh_alias

        return refresh_alias(context, refresh, json)
    from salticid.cli.ordered_crawl import crawl_as_ordered  # here: it takes its time to import

    start = Start(topic_file, query, tuple(seed_url or ()), bookmarks, search, tuple(from_crawl or ()))
    running = Running(out_dir, new, json, verbose and not quiet, metrics_port, bind, host_name, ray, shards)
    return crawl_as_ordered(start, {**fields, "stop_when": stop_when}, running)


_WIDTH = 40


def demo(
    out_dir: Annotated[Path, typer.Option("--out", help="A folder for what it makes.", metavar="DIR")] = Path(
        "salticid-demo"
    ),
    quiet: Quiet = False,
) -> None:
    """Hunt for one topic of a generated web, once knowing nothing, once by score.

    Example: salticid demo
    """
    from salticid.cli.terminal import best_pages  # here: it takes its time to import
    from salticid.lab import LIMITS, PAGES, STRATEGIES, TOPIC, demo_crawl, make_world, write_page

    if out_dir.exists() and not (out_dir / "world").exists() and any(out_dir.iterdir()):
        raise UserError(f"{out_dir} holds something else; name a new folder with --out")
    with Work("generating a web", PAGES, err) as work:
        world, topic, targets = make_world(out_dir, lambda crawl, pages: work.at(crawl, f"{pages} pages"))
    out.print(
        f"A generated web of {PAGES} pages, served over HTTP on this machine; {targets} of them are about "
        f"[bold]{TOPIC}[/bold]. Three crawlers start two links away and may fetch {LIMITS.max_pages} pages "
        "each.\n",
        highlight=False,
    )
    crawls = []
    for strategy in STRATEGIES:
        with Work(strategy, LIMITS.max_pages, err) as work:
            crawl = demo_crawl(
                world,
                topic,
                strategy,
                out_dir / strategy,
                lambda pages, harvest: work.at(pages, f"harvest {harvest:.0%}"),
            )
        crawls.append(crawl)
    show_table(best_pages(crawls[-1].best[:10]))
    heading = "\nShare of the fetched pages that are truly on topic, from the first page to the last:"
    out.print(heading, soft_wrap=True)
    for each in crawls:
        curve = sparkline(even_sample(each.curve, _WIDTH), 1.0)
        out.print(
            f"  {each.strategy:>13} {curve} {each.curve[-1]:.0%}, {each.targets} of {targets} found; "
            f"stopped: {each.stopped.value}",
            highlight=False,
            soft_wrap=True,
        )
    page = out_dir / "demo.html"
    write_page(page, crawls, targets)
    out.print(f"\nThe plot is in {page}. Next, a crawl of your own:", highlight=False)
    out.print(f"  salticid crawl {topic} --web {world} --max-pages 500", highlight=False, soft_wrap=True)
