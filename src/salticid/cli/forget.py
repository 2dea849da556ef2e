"""`salticid forget`: take pages out of a crawl for good."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from salticid.cli.console import err, out, print_json, safe
from salticid.cli.options import Quiet

_MOST_SHOWN = 20


def forget_pages(
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="The folder of a crawl.")],
    names: Annotated[
        list[str] | None,
        typer.Argument(metavar="URL|HOST...", help="Pages by their URLs, or all pages of hosts."),
    ] = None,
    json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
    quiet: Quiet = False,
) -> None:
    """Take pages out of a crawl for good: log, text, index, raw exchanges, digests. They are never asked for again.

    This cannot be undone. Without names, a forgetting that was interrupted is brought to its end.

    Example: salticid forget crawls/spiders-hunter http://example.org/about-me example.com
    """
    from salticid.store.forgetting import forget  # here: it takes its time to import

    done = forget(folder, names or [])
    for name in done.not_found:
        err.print(safe(f"{name} is not in the crawl; it will not be asked for"), soft_wrap=True)
    if json:
        print_json(
            {"out": str(folder), "pages": len(done.urls), "urls": done.urls, "not_found": done.not_found}
        )
        return
    out.print(f"{len(done.urls)} pages forgotten.", highlight=False)
    for url in done.urls[:_MOST_SHOWN]:
        out.print(safe(f"  {url}"), highlight=False, soft_wrap=True)
    if len(done.urls) > _MOST_SHOWN:
        out.print(f"  and {len(done.urls) - _MOST_SHOWN} more", highlight=False)
