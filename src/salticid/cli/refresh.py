"""`salticid refresh`: ask again for the good pages of a crawl."""

from __future__ import annotations

import shlex
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any

import typer

from salticid.cli import options
from salticid.cli.console import Work, err, out, print_json, warn
from salticid.cli.interrupts import INTERRUPTED
from salticid.errors import UserError
from salticid.runs import LiveSettings, keywords, values_of


@options.spec_options(again=True)
def refresh(
    context: typer.Context,
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="The folder of a crawl of the live web.")],
    json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
    quiet: options.Quiet = False,
    keep: options.Keep = None,
    **fields: Any,
) -> int:
    """Ask again for the good pages of a crawl: changed, gone, or the same.

    They are asked for as in the last run of the crawl, but for what is typed here.

    Example: salticid refresh crawls/ballooning-hunter
    """
    return _refresh(folder, _typed_options(context), json, keep)


def refresh_alias(context: typer.Context, folder: Path, json: bool) -> int:
    """`salticid crawl --refresh DIR`, which takes no option of a crawl but those of the live web."""
    params = _typed_options(context)
    live = {name for name, field in keywords().items() if field.home is LiveSettings}
    if odd := sorted(params.keys() - {*live, "refresh", "quiet"}):
        what = str(params["topic_file"]) if "topic_file" in odd else f"--{odd[0].replace('_', '-')}"
        raise UserError(f"{what} says nothing to --refresh, which asks again for what {folder} holds; leave it out")
    return _refresh(folder, params, json)


def _typed_options(context: typer.Context) -> dict[str, Any]:
    """The options that were typed."""
    own = ("folder", "json", "keep")
    return {
        name: value for name, value in context.params.items() if name not in own and options.is_typed(context, name)
    }


def _refresh(folder: Path, params: Mapping[str, Any], json: bool, keep: int | None = None) -> int:
    import asyncio  # here, as what follows: it takes its time to import

    from salticid.cli.terminal import Terminal
    from salticid.runs import PageFate, Refresh, last_settings
    from salticid.runs import refresh as ask_again
    from salticid.store.archive import thin_folder

    settings = last_settings(folder, values_of(params, LiveSettings), warn)
    start = time.monotonic()
    with Terminal(folder) as terminal, Work("reading the crawl", 0, err) as work:

        def watch(run: Refresh) -> None:
            work.part("asking again", run.fates.total(), run.pages)

        run = asyncio.run(ask_again(folder, settings, terminal, watch))
    thinned = None if keep is None or run.stopped else thin_folder(folder, keep)
    result = {
        "out": str(folder),
        "pages": run.pages,
        **{fate.value: run.fates[fate] for fate in PageFate},
        "thinned": thinned and thinned.versions,
        "stopped": "interrupted" if run.stopped else "done",
        "seconds": round(time.monotonic() - start, 3),
    }
    if json:
        print_json(result)
    else:
        counts = ", ".join(f"{run.fates[fate]} {fate.value}" for fate in PageFate)
        out.print(f"{run.pages} pages: {counts}.", highlight=False)
        if thinned is not None:
            out.print(
                f"{thinned.versions} old versions and {thinned.exchanges} exchanges taken out.",
                highlight=False,
            )
    if run.stopped:
        err.print(f"Interrupted. Go on with: salticid refresh {shlex.quote(str(folder))}", highlight=False)
    return INTERRUPTED if run.stopped else 0
