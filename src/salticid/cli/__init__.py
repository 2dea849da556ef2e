"""The command line: one file per command."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Sequence
from importlib import import_module

import typer
from typer.exceptions import TyperException

from salticid.cli.grouped_help import GroupedCommand
from salticid.cli.interrupts import INTERRUPTED
from salticid.errors import SalticidError, UserError
from salticid.extras import not_installed
from salticid.store.damage import UNREADABLE, Damaged
from salticid.version import __version__

COMMANDS = {
    "crawl": "crawl:crawl",
    "refresh": "refresh:refresh",
    "visits": "visits:visits",
    "search": "search:search",
    "export": "export:export_pages",
    "compare": "compare:compare",
    "links": "links:links",
    "fit": "fit:fit",
    "evolve": "evolve:evolve",
    "reproduce": "reproduce:reproduce",
    "serve": "serve:serve",
    "strategies": "strategies:list_strategies",
    "demo": "demo:demo",
    "world build": "world_build:build_world",
    "world info": "world_info:info",
    "world serve": "world_serve:serve_world",
    "world topics": "world_topics:topics",
}
"""The file of each command, and the function in it."""

FAILURE, MISTAKE = 1, 2


def program(words: Sequence[str]) -> typer.Typer:
    """The program with the command that the words on its line begin with; if there is none, with all commands.

    Only the file of that command is imported: most of the time that a short command takes is spent on imports.
    """
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
    app.callback()(_options)
    app.add_typer(world, name="world")
    names = [name for name in COMMANDS if name.split() == list(words[: len(name.split())])]
    for name in names or ([] if words[:1] == ["--version"] else COMMANDS):
        file, function = COMMANDS[name].split(":")
        group = world if name.startswith("world ") else app
        group.command(name.split()[-1], cls=GroupedCommand)(
            getattr(import_module(f"salticid.cli.{file}"), function)
        )
    return app


def _print_version(is_set: bool) -> None:
    if is_set:
        typer.echo(f"salticid {__version__}")
        raise typer.Exit


def _options(
    version: bool = typer.Option(
        False, "--version", callback=_print_version, is_eager=True, help="Print it."
    ),
) -> None: ...


def main() -> None:
    """Run a command; every mistake is one line on stderr that says what to do next."""
    try:
        status = program(sys.argv[1:])(standalone_mode=False)
    except TyperException as error:
        status = _complain(error.format_message().rstrip(".") + f"; see '{_command()} --help'", MISTAKE)
    except UserError as error:
        status = _complain(str(error), MISTAKE)
    except SalticidError as error:
        status = _complain(str(error), FAILURE)
    except ModuleNotFoundError as error:
        mistake = not_installed(error, _command())
        if mistake is None:
            raise
        status = _complain(str(mistake), MISTAKE)
    except UNREADABLE as error:
        status = _complain(str(Damaged(error)), FAILURE)
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


def _command() -> str:
    """The program and the command that was typed, as far as it is one."""
    typed = sys.argv[1:3]
    known = [typed[:many] for many in (1, 2) if any(name.split()[:many] == typed[:many] for name in COMMANDS)]
    return " ".join(["salticid", *(known[-1] if known else [])])
