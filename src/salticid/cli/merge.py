"""`salticid merge`: make one collection of several crawls."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from salticid.cli.console import err, out, print_json, safe
from salticid.cli.progress import Work


def merge(
    folders: Annotated[list[Path], typer.Argument(metavar="DIR DIR...", help="The folders of crawls.")],
    out_dir: Annotated[Path, typer.Option("--out", metavar="DIR", help="A new folder for the whole.")],
    json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
) -> None:
    """Make one collection of several crawls of a subject, to search, export, and build worlds from.

    Example: salticid merge crawls/spiders-hunter crawls/spiders-2 --out crawls/all-spiders
    """
    from salticid.store.crawl_folder import CrawlFolder  # here: it takes its time to import
    from salticid.store.merged_crawls import merge_crawls

    visits = 0
    for folder in folders:
        crawl = CrawlFolder(folder)
        visits += len(crawl)
        crawl.close()
    with Work("merging", visits, err) as work:
        tally = merge_crawls(folders, out_dir, lambda done: work.part("merging", done, visits))
    if json:
        print_json(
            {
                "out": str(out_dir),
                "crawls": len(folders),
                "visits": tally.visits,
                "pages": tally.pages,
                "shared": tally.shared,
            }
        )
    else:
        again = f", {tally.shared} of them in more than one" if tally.shared else ""
        out.print(safe(f"{tally.pages} pages of {len(folders)} crawls{again}, in {out_dir}"), highlight=False)
