"""The command line: one file per command."""

from __future__ import annotations

import ast
import os
import signal
import sys
from collections.abc import Callable, Sequence
from importlib import import_module
from pathlib import Path

import typer
from typer.exceptions import TyperException

from salticid.cli.interrupts import INTERRUPTED, GroupedCommand
from salticid.errors import SalticidError, UserError, not_installed
from salticid.version import __version__

__all__ = ["main"]

COMMANDS = {
    "crawl": "crawl:crawl",
    "refresh": "watch:refresh",
    "like": "ask:like",
    "dislike": "ask:dislike",
    "ask": "ask:ask",
    "forget": "forget:forget_pages",
    "watch": "watch:watch",
    "visits": "visits:visits",
    "search": "visits:search",
    "export": "visits:export_pages",
    "merge": "forget:merge",
    "compare": "compare:compare",
    "league": "compare:league",
    "policies": "compare:policies",
    "links": "fit:links",
    "fit": "fit:fit",
    "evolve": "evolve:evolve",
    "reproduce": "reproduce:reproduce",
    "serve": "serve:serve",
    "mcp": "serve:mcp",
    "skill": "serve:skill",
    "strategies": "strategies:list_strategies",
    "demo": "crawl:demo",
    "model get": "world_build:get_model",
    "world build": "world_build:build_world",
    "world get": "world_build:get_world",
    "world info": "world:info",
    "world serve": "world:serve_world",
    "world topics": "world:topics",
}
"""The file of each command, and the function in it."""

FAILURE, MISTAKE = 1, 2


def program(words: Sequence[str]) -> typer.Typer:
    """The program with the command that the words on its line begin with.

    If there is none, it has all commands, but only as they are listed. So no file is imported that is not needed:
    most of the time that a short command takes is spent on imports.
    """
    app = typer.Typer(
        name="salticid",
        help="A focused web crawler, and the laboratory behind it.",
        add_completion=True,
        pretty_exceptions_enable=False,
        rich_markup_mode=None,
        context_settings={"help_option_names": ["-h", "--help"]},
    )
    world = typer.Typer(help="Recorded webs: build, get, look into, make topics from.", rich_markup_mode=None)
    app.callback(invoke_without_command=True)(_options)
    model = typer.Typer(help="Sentence encoders: get one for the strategy hunter.", rich_markup_mode=None)
    groups = {"world": world, "model": model}
    for name, group in groups.items():
        group.callback(invoke_without_command=True)(_help_if_alone)
        app.add_typer(group, name=name)
    names = [name for name in COMMANDS if name.split() == list(words[: len(name.split())])]
    for name in names or COMMANDS:
        file, function = COMMANDS[name].split(":")
        groups.get(name.split()[0], app).command(name.split()[-1], cls=GroupedCommand)(
            getattr(import_module(f"salticid.cli.{file}"), function) if names else _listed(file, function)
        )
    return app


def _listed(file: str, function: str) -> Callable[[], None]:
    """What stands for a command that is only listed: its description, read from its file."""
    tree = ast.parse((Path(__file__).parent / f"{file}.py").read_bytes())
    found = (node for node in tree.body if isinstance(node, ast.FunctionDef) and node.name == function)

    def command() -> None: ...

    command.__doc__ = ast.get_docstring(next(found))
    return command


def _print_version(is_set: bool) -> None:
    if is_set:
        typer.echo(f"salticid {__version__}")
        raise typer.Exit


def _options(
    context: typer.Context,
    version: bool = typer.Option(False, "--version", callback=_print_version, is_eager=True, help="Print it."),
) -> None:
    _help_if_alone(context)


def _help_if_alone(context: typer.Context) -> None:
    """Who types no command gets the help, as if it had been asked for."""
    if context.invoked_subcommand is None:
        typer.echo(context.get_help())


def _words() -> list[str]:
    """What was typed after the name of the program; what is being typed, when a shell wants it completed."""
    if "_SALTICID_COMPLETE" in os.environ:
        return os.environ.get("_TYPER_COMPLETE_ARGS", os.environ.get("COMP_WORDS", "")).split()[1:]
    return sys.argv[1:]


def main() -> None:
    """Run a command; every mistake is one line on stderr that says what to do next."""
    try:
        status = program(_words())(prog_name="salticid", standalone_mode=False)
    except TyperException as error:
        said = error.format_message().rstrip(".")
        status = _complain(f"{said}{' See' if said.endswith('?') else '; see'} '{_command()} --help'", MISTAKE)
    except UserError as error:
        status = _complain(str(error), MISTAKE)
    except SalticidError as error:
        status = _complain(str(error), FAILURE)
    except ModuleNotFoundError as error:
        mistake = not_installed(error, _command())
        if mistake is None:
            raise
        status = _complain(str(mistake), MISTAKE)
    except (KeyboardInterrupt, typer.Abort):
        status = _complain("interrupted", INTERRUPTED)
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        status = 0
    except Exception as error:
        from salticid.store import UNREADABLE, Damaged  # here: it takes its time to import

        if not isinstance(error, UNREADABLE):
            raise
        status = _complain(str(Damaged(error)), FAILURE)
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
