"""`salticid mcp`: hunts for agents, over the Model Context Protocol."""

from __future__ import annotations

import os
import signal
import sys
from functools import partial
from importlib.resources import files
from pathlib import Path
from typing import Annotated, Any

import typer

from salticid.cli import options
from salticid.cli.console import out, print_json, safe
from salticid.cli.interrupts import INTERRUPTED
from salticid.errors import UserError
from salticid.runs import LiveSettings, values_of
from salticid.topic import Limits, duration

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
