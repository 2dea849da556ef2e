"""`salticid demo`: see a hunt in a few seconds, without a network."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from salticid.cli.console import Work, err, even_sample, out, show_table, sparkline
from salticid.cli.options import Quiet
from salticid.errors import UserError

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
