"""`salticid serve`: crawls in the browser."""

from __future__ import annotations

import os
import sys
import threading
import webbrowser
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext, suppress
from html import escape
from pathlib import Path
from tempfile import NamedTemporaryFile
from typing import Annotated, Any

import typer

from salticid.cli import options
from salticid.cli.console import err, out, print_json, safe
from salticid.runs import LiveSettings, values_of

# The browser of the person at this machine, if there is one.


def has_browser() -> bool:
    """Whether a window can be expected to open: one was named, or there is a screen to show it on."""
    named = any(os.environ.get(name) for name in ("BROWSER", "DISPLAY", "WAYLAND_DISPLAY"))
    if not (named or sys.platform in ("darwin", "win32")):
        return False
    with suppress(webbrowser.Error):
        return webbrowser.get() is not None
    return False


@contextmanager
def opening_page(folder: Path, address: str) -> Iterator[Path | None]:
    """A file that leads a browser to an address, while the context lasts; None if it cannot be written.

    The arguments of a program can be read by everybody at this machine, and the address holds a secret. So the browser
    is given the name of a file that only its owner can read.
    """
    try:
        stream = NamedTemporaryFile("w", encoding="utf-8", dir=folder, prefix=".open-", suffix=".html")  # noqa: SIM115
    except OSError:
        yield None
        return
    with stream:
        stream.write(
            "<!doctype html><meta charset=utf-8><meta name=referrer content=no-referrer><title>Salticid</title>"
            f'<meta http-equiv=refresh content="0; url={escape(address)}"><a href="{escape(address)}">Salticid</a>\n'
        )
        stream.flush()
        yield Path(stream.name)


def show(file: Path) -> None:
    """Open a file in the browser; one that takes its time keeps nobody waiting."""
    threading.Thread(target=webbrowser.open, args=(file.absolute().as_uri(),), daemon=True).start()


@options.spec_options("delay", "user_agent", "allow_net", "resolve", "dns", after="data", panel=False)
def serve(
    port: Annotated[int, typer.Option(min=0, max=65_535, help="Where to listen; 0: any free port.")] = 8765,
    data: Annotated[Path, typer.Option(help="A folder for crawls, reports and settings.", metavar="DIR")] = Path(
        "salticid-data"
    ),
    bind: options.Bind = None,
    host_name: options.HostName = None,
    no_open: Annotated[bool, typer.Option("--no-open", help="Open no browser; just print the address.")] = False,
    json: Annotated[bool, typer.Option("--json", help="Print the address as one JSON object; open nothing.")] = False,
    **fields: Any,
) -> None:
    """Crawl from a page in the browser until Ctrl-C. Only this machine reaches it unless --bind is given.

    It opens the browser where there is one, unless --no-open is given.

    Example: salticid serve --port 8765 --data my-crawls
    """
    import asyncio  # here, as what follows: it takes its time to import

    from salticid.runs import Binding
    from salticid.ui import Serving

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
