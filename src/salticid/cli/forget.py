"""`salticid forget` and `salticid merge`: delete pages from a crawl; make one collection of several crawls."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from salticid.cli.console import Work, err, out, print_json, safe, warn
from salticid.cli.options import Quiet

_MOST_SHOWN = 20


def forget_pages(
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="The folder of a crawl.")],
    names: Annotated[
        list[str] | None,
        typer.Argument(metavar="URL|HOST...", help="Pages by their URLs, or all pages of hosts."),
    ] = None,
    block: Annotated[
        bool,
        typer.Option("--block", help="Never fetch the named pages and hosts, even if the crawl has none."),
    ] = False,
    json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
    quiet: Quiet = False,
) -> int:
    """Permanently delete pages from a crawl: log, text, index, WARC, digests. They are never fetched again.

    This cannot be undone. Without names, a deletion that was interrupted is completed. The exit status is 1 if the
    crawl does not hold one of the names, unless --block is given.

    Example: salticid forget crawls/spiders-hunter http://example.org/about-me example.com
    """
    from salticid.store.archive import forget  # here: it takes its time to import

    done = forget(folder, names or [], block)
    status = 1 if done.not_found and not block else 0
    for name in done.not_found:
        what = "it is blocked" if block else "add --block to never fetch it"
        warn(f"{name} is not in the crawl; {what}")
    if done.other_files:
        shown = ", ".join(done.other_files[:_MOST_SHOWN]) + " and more" * (len(done.other_files) > _MOST_SHOWN)
        warn(f"Not part of the crawl, and not changed: {shown}. Delete these files in {folder} if they hold the pages.")
    if json:
        facts = {"pages": len(done.urls), "urls": done.urls, "not_found": done.not_found}
        print_json({"out": str(folder), **facts, "raw_copies": done.raw_copies, "other_files": done.other_files})
        return status
    out.print(f"{len(done.urls)} pages forgotten.", highlight=False)
    for url in done.urls[:_MOST_SHOWN]:
        out.print(safe(f"  {url}"), highlight=False, soft_wrap=True)
    if len(done.urls) > _MOST_SHOWN:
        out.print(f"  and {len(done.urls) - _MOST_SHOWN} more", highlight=False)
    if done.raw_copies:
        out.print(
            f"{done.raw_copies} raw copies of other pages were removed from the WARC, because they name these URLs. "
            "The text and scores of those pages stay.",
            highlight=False,
            soft_wrap=True,
        )
    return status


# `salticid merge`: make one collection of several crawls.


def merge(
    folders: Annotated[list[Path], typer.Argument(metavar="DIR DIR...", help="The folders of crawls.")],
    out_dir: Annotated[Path, typer.Option("--out", metavar="DIR", help="A new folder for the whole.")],
    json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
) -> None:
    """Make one collection of several crawls of a subject, to search, export, and build worlds from.

    Example: salticid merge crawls/spiders-hunter crawls/spiders-2 --out crawls/all-spiders
    """
    from salticid.store import (
        CrawlFolder,  # here: it takes its time to import
        merge_crawls,
    )

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
