"""`salticid serve`: crawls in the browser."""

from __future__ import annotations

import sys
from contextlib import nullcontext
from pathlib import Path
from typing import Annotated, Any

import typer

from salticid.cli import options
from salticid.cli.console import err, out, print_json, safe
from salticid.cli.web_browser import has_browser, opening_page, show
from salticid.runs.live_settings import LiveSettings
from salticid.runs.spec import values_of


@options.spec_options("delay", "user_agent", "allow_net", "resolve", "dns", after="data", panel=False)
def serve(
    port: Annotated[int, typer.Option(min=0, max=65_535, help="Where to listen; 0: any free port.")] = 8765,
    data: Annotated[
        Path, typer.Option(help="A folder for crawls, reports and settings.", metavar="DIR")
    ] = Path("salticid-data"),
    bind: options.Bind = None,
    host_name: options.HostName = None,
    no_open: Annotated[
        bool, typer.Option("--no-open", help="Open no browser; just print the address.")
    ] = False,
    json: Annotated[
        bool, typer.Option("--json", help="Print the address as one JSON object; open nothing.")
    ] = False,
    **fields: Any,
) -> None:
    """Crawl from a page in the browser until Ctrl-C. Only this machine reaches it unless --bind is given.

    It opens the browser where there is one, unless --no-open is given.

    Example: salticid serve --port 8765 --data my-crawls
    """
    import asyncio  # here, as what follows: it takes its time to import

    from salticid.runs.local_port import Binding
    from salticid.ui.server import Serving

    live = LiveSettings.here(**values_of(fields, LiveSettings))
    serving = Serving(data, port, live, Binding.of(bind, host_name))
    opens = not (json or no_open) and has_browser()

    def ready(going_on: int) -> None:
        if json:
            print_json({"address": serving.address, "port": serving.port, "token": serving.token})
        else:
            says = "Open {} in your browser (Ctrl-C stops)."
            if page is not None:
                show(page)
                says = "Your browser opens {} (Ctrl-C stops)."
            out.print(safe(says.format(serving.address)), soft_wrap=True)
        sys.stdout.flush()
        if going_on:
            goes = "1 crawl goes" if going_on == 1 else f"{going_on} crawls go"
            err.print(f"{goes} on.", highlight=False)

    with opening_page(data, serving.address) if opens else nullcontext() as page:
        crawls = asyncio.run(serving.run(ready))
    if crawls:
        sentence = "1 crawl was stopped; it goes" if crawls == 1 else f"{crawls} crawls were stopped; they go"
        err.print(f"{sentence} on when the server runs again.", highlight=False)
