"""The command line: one file per command."""

from __future__ import annotations

import os
import signal
import sys

import typer
from typer.exceptions import TyperException

from salticid.cli import (
    compare,
    crawl,
    demo,
    evolve,
    export,
    fit,
    links,
    refresh,
    reproduce,
    search,
    serve,
    strategies,
    visits,
    world_build,
    world_info,
    world_serve,
    world_topics,
)
from salticid.cli.grouped_help import GroupedCommand
from salticid.cli.interrupts import INTERRUPTED
from salticid.errors import SalticidError, UserError
from salticid.store.damage import UNREADABLE, Damaged
from salticid.version import __version__

FAILED, MISTAKE = 1, 2

app = typer.Typer(
    name="salticid",
    help="A focused web crawler, and the laboratory behind it.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"]},
)
world = typer.Typer(
    help="Recorded webs: build, look into, make topics from.", no_args_is_help=True, rich_markup_mode=None
)
app.add_typer(world, name="world")

app.command("crawl", cls=GroupedCommand)(crawl.crawl)
app.command("refresh", cls=GroupedCommand)(refresh.refresh)
app.command("visits")(visits.visits)
app.command("search")(search.search)
app.command("export")(export.export_pages)
app.command("compare")(compare.compare)
app.command("links")(links.links)
app.command("fit")(fit.fit)
app.command("evolve")(evolve.evolve)
app.command("reproduce")(reproduce.reproduce)
app.command("serve")(serve.serve)
app.command("strategies")(strategies.list_strategies)
app.command("demo")(demo.demo)
world.command("build")(world_build.build_world)
world.command("info")(world_info.info)
world.command("serve")(world_serve.serve_world)
world.command("topics")(world_topics.topics)


def _print_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"salticid {__version__}")
        raise typer.Exit


@app.callback()
def _options(
    version: bool = typer.Option(
        False, "--version", callback=_print_version, is_eager=True, help="Print it."
    ),
) -> None: ...


def main() -> None:
    """Run a command; every mistake is one line on stderr that says what to do next."""
    try:
        status = app(standalone_mode=False)
    except TyperException as error:
        status = _complain(error.format_message().rstrip(".") + f"; see '{_help_command()}'", MISTAKE)
    except UserError as error:
        status = _complain(str(error), MISTAKE)
    except SalticidError as error:
        status = _complain(str(error), FAILED)
    except UNREADABLE as error:
        status = _complain(str(Damaged(error)), FAILED)
    except (KeyboardInterrupt, typer.Abort):
        status = _complain("interrupted", INTERRUPTED)
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        status = 0
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # all is said and done: a Ctrl-C more changes nothing
    sys.exit(status if isinstance(status, int) else 0)


def _complain(line: str, status: int) -> int:
    sys.stderr.write(" ".join(f"salticid: {line}".split()) + "\n")
    return status


def _help_command() -> str:
    """How to ask for help on the command that was typed, as far as it is one."""
    known = {command.name for each in (app, world) for command in each.registered_commands} | {"world"}
    words = [word for word in sys.argv[1:3] if word in known]
    return " ".join(["salticid", *words, "--help"])
