"""`salticid watch`: what is new since last time."""

from __future__ import annotations

import shlex
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any

import typer

from salticid.cli import live_options, options
from salticid.cli.console import err, out, print_json, safe
from salticid.cli.interrupts import INTERRUPTED, interruptible
from salticid.errors import UserError


def watch(
    context: typer.Context,
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="The folder of a crawl of the live web.")],
    max_fetches: Annotated[
        int | None,
        typer.Option(min=1, help="Requests of a round, looking again and hunting on together."),
    ] = None,
    every: Annotated[
        str | None,
        typer.Option(help="Stay, and make a round as often as that, as in 1d.", metavar="DURATION"),
    ] = None,
    json: Annotated[bool, typer.Option("--json", help="Print one JSON object a round.")] = False,
    quiet: options.Quiet = False,
    concurrency: live_options.Concurrency = 64,
    delay: live_options.Delay = 1.0,
    timeout: live_options.Timeout = 10.0,
    per_address: live_options.PerAddress = 8,
    user_agent: live_options.UserAgent = None,
    patience: live_options.Patience = "1h",
    max_bytes: live_options.MaxBytes = 1 << 20,
    max_disk: live_options.MaxDisk = None,
    no_warc: live_options.NoWarc = False,
    no_pdf: live_options.NoPdf = False,
    render: live_options.Render = "auto",
    proxy: live_options.Proxy = None,
    allow_net: live_options.AllowNet = None,
    resolve: live_options.Resolve = None,
    dns: live_options.Dns = None,
    header: live_options.Header = None,
    cookies: live_options.Cookies = None,
) -> int:
    """Look at the pages of a crawl again, hunt on from what is new, and tell what that brought.

    One round; with --every, rounds until it is stopped. What a round brought lies in DIR/rounds, as a page, as JSON and
    as a feed.

    Example: salticid watch crawls/ballooning-hunter --every 1d
    """
    typed = {
        name: value
        for name, value in context.params.items()
        if name in live_options.NAMES and options.is_typed(context, name)
    }
    seconds = None if every is None else options.duration(every)
    if seconds == 0:
        raise UserError("--every 0 leaves no time between rounds; say how long, as in --every 1d")
    return _rounds(folder, typed, max_fetches, seconds, json)


def _rounds(
    folder: Path, typed: Mapping[str, Any], fetches: int | None, every: float | None, json: bool
) -> int:
    while True:
        start = time.monotonic()
        status = _round(folder, typed, fetches, json)
        if status == INTERRUPTED or every is None:
            return status
        wait = max(start + every - time.monotonic(), 0.0)
        err.print(f"The next round begins in {_length(wait)}.", highlight=False)
        with interruptible() as interrupted:
            if interrupted.wait(wait):
                _say_how_to_go_on(folder)
                return INTERRUPTED


def _round(folder: Path, typed: Mapping[str, Any], fetches: int | None, json: bool) -> int:
    """One round, and what it brought; the exit status."""
    import asyncio  # here, as what follows: it takes its time to import

    from salticid.cli.hunt import Terminal
    from salticid.runs import watch as watching
    from salticid.runs.kept_order import kept_order
    from salticid.runs.refresh import last_settings
    from salticid.worlds.inlinks import backlinks_from

    settings = last_settings(folder, live_options.settings(typed))
    order = kept_order(folder, settings, backlinks_from)
    try:
        with Terminal(folder) as terminal:
            result = asyncio.run(watching.watch(order, settings, fetches, terminal))
    except KeyboardInterrupt:
        _say_how_to_go_on(folder)
        return INTERRUPTED
    told = {
        "round": result.news.round,
        **result.news.counts,
        "fetches": result.fetches,
        "stopped": result.stopped,
    }
    if json:
        print_json({**told, "out": str(folder)})
    else:
        out.print(", ".join(f"{value} {name}" for name, value in told.items()), highlight=False)
    if result.stopped == watching.INTERRUPTED:
        _say_how_to_go_on(folder)
        return INTERRUPTED
    return 0


def _say_how_to_go_on(folder: Path) -> None:
    err.print(
        safe(f"Interrupted. Go on with: salticid watch {shlex.quote(str(folder))}"),
        highlight=False,
        soft_wrap=True,
    )


def _length(seconds: float) -> str:
    """A stretch of time in words.

    >>> _length(90061), _length(59.6)
    ('1 d 1 h', '1 min')
    """
    minutes = round(seconds / 60)
    parts = ((minutes // 1440, "d"), (minutes // 60 % 24, "h"), (minutes % 60, "min"))
    told = [f"{many} {unit}" for many, unit in parts if many][:2]
    return " ".join(told) or f"{seconds:.0f} s"
