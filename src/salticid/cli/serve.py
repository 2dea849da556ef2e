"""`salticid serve`: crawls in the browser; `salticid mcp` and `salticid skill`: hunts for agents."""

from __future__ import annotations

import os
import signal
import sys
import threading
import webbrowser
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext, suppress
from functools import partial
from html import escape
from importlib.resources import files
from pathlib import Path
from tempfile import NamedTemporaryFile
from typing import Annotated, Any

import typer

from salticid.cli import options
from salticid.cli.console import err, out, print_json, safe
from salticid.cli.interrupts import INTERRUPTED
from salticid.errors import UserError
from salticid.runs import LiveSettings, values_of
from salticid.topic import Limits, duration

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


_limit = partial(typer.Option, rich_help_panel="What no agent can have more of")


@options.spec_options("allow_net", "resolve", "dns", "delay", "user_agent", after="only_host", panel=False)
def mcp(
    data: Annotated[Path, typer.Option(help="A folder for hunts, worlds and settings.", metavar="DIR")] = Path(
        "salticid-data"
    ),
    http: Annotated[
        int | None,
        typer.Option(
            min=0,
            max=65_535,
            help="Serve HTTP on this machine; 0: any free port [default: stdio].",
            metavar="PORT",
        ),
    ] = None,
    max_pages: Annotated[int, _limit(min=1, help="Good pages of a hunt.")] = Limits().max_pages,
    max_time: Annotated[str, _limit(help="Of a hunt, on its own clock.", metavar="DURATION")] = "1h",
    max_hunts: Annotated[int, _limit(min=1, help="Hunts that run at once.")] = 4,
    only_host: Annotated[
        list[str] | None,
        _limit(help="Ask this host and those below it, and no others but further ones named so.", metavar="HOST"),
    ] = None,
    only_strategy: Annotated[
        list[str] | None, _limit(help="Allow this strategy, and no others but further ones named so.", metavar="NAME")
    ] = None,
    bind: options.Bind = None,
    host_name: options.HostName = None,
    json: Annotated[bool, typer.Option("--json", help="With --http: print the address as one JSON object.")] = False,
    **fields: Any,
) -> None:
    """Let agents hunt, over the Model Context Protocol, until the client goes or Ctrl-C; hunts go on by themselves.

    Example: salticid mcp --data my-hunts --max-pages 500 --max-time 30m
    """
    import asyncio  # here, as what follows: it takes its time to import

    from salticid.agents import Allowance, HttpServing, Hunts, HuntServer
    from salticid.runs import Binding

    live = LiveSettings.here(**values_of(fields, LiveSettings))
    hosts, names = (tuple(named) if named else None for named in (only_host, only_strategy))
    allowance = Allowance(max_pages, duration(max_time), max_hunts, hosts, names)
    binding = Binding.of(bind, host_name)
    if binding.is_named and http is None:
        raise UserError("--bind needs --http PORT; without it, the server speaks over stdin and stdout")
    server = HuntServer(data, Hunts(data, live, allowance))
    if http is None:
        # A thread waits for the client's next word; there is nothing else to wait for, and nothing to lose.
        signal.signal(signal.SIGINT, lambda *_: os._exit(INTERRUPTED))
        asyncio.run(server.run_stdio_async())
        return
    serving = HttpServing(server, data, http, binding)

    def ready() -> None:
        if json:
            print_json({"address": serving.address, "port": serving.port, "token": serving.token})
        else:
            says = f"Agents connect to {serving.address} with the token {serving.token} (Ctrl-C stops)."
            out.print(safe(says), soft_wrap=True)
        sys.stdout.flush()

    asyncio.run(serving.run(ready))


# `salticid skill`: the skill file.


def skill() -> None:
    """Print the skill file, which teaches an agent this command line.

    Example: salticid skill > skills/salticid/SKILL.md
    """
    print(files("salticid.agents").joinpath("skill.md").read_text(encoding="utf-8"), end="")
