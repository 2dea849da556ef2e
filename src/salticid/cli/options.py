"""Options that commands share: those of the fields of a `CrawlSpec`, and what needs reading."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Iterable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, get_origin

import typer

from salticid.cli.console import err
from salticid.errors import UserError

if TYPE_CHECKING:
    from salticid.runs import Field


def _hush(is_set: bool) -> bool:
    err.quiet = err.quiet or is_set
    return is_set


Quiet = Annotated[
    bool,
    typer.Option("--quiet", "-q", callback=_hush, help="No progress, no messages: results and errors alone."),
]
Bind = Annotated[
    str | None,
    typer.Option(
        help="Listen on this address, e.g. 0.0.0.0; requests need the token [default: 127.0.0.1].",
        metavar="ADDRESS",
    ),
]
HostName = Annotated[
    list[str] | None,
    typer.Option(help="With --bind: a host name by which clients reach it.", metavar="NAME"),
]


def moment(text: str, day_ends: bool = True) -> float:
    """Seconds since 1970 from `2026-11-16T18:30` or `2026-11-16`, the end of that day, or its beginning.

    It is UTC unless it says.

    >>> moment("1970-01-02T00:00"), moment("1970-01-01"), moment("1970-01-02T01:00+01:00")
    (86400.0, 86400.0, 86400.0)
    """
    try:
        time = datetime.fromisoformat(text.strip())
    except ValueError:
        raise UserError(f"no date {text!r}; write 2026-11-16, or 2026-11-16T18:30 for a time in UTC") from None
    if day_ends and re.fullmatch(r"[^T: ]*", text.strip()):
        time += timedelta(days=1)
    return (time if time.tzinfo else time.replace(tzinfo=UTC)).timestamp()


At = Annotated[
    str | None,
    typer.Option(help="Pages as they were at the end of that day, or at a time of it.", metavar="DATE"),
]


Keep = Annotated[
    int | None,
    typer.Option(min=1, help="Keep so many versions of each page, the newest, and take older ones out.", metavar="N"),
]


def spec_options(
    *names: str, again: bool = False, after: str = "", panel: bool = True
) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Give a command, in place of its `**fields`, the options of fields of `CrawlSpec`, behind those up to `after`.

    Without names it has all of them, or those of commands that ask `again`. Without a `panel` they are shown among the
    command's own.
    """
    from salticid.runs import fields  # here: few commands need it

    chosen = [fields()[name] for name in names] if names else [
        field for field in fields().values() if field.option and (field.option.again or not again)
    ]  # fmt: skip
    derived = [_parameter(field, panel) for field in chosen]

    def give(command: Callable[..., Any]) -> Callable[..., Any]:
        signature = inspect.signature(command, eval_str=True)
        given = signature.parameters.values()
        own = [each.replace(kind=each.KEYWORD_ONLY) for each in given if each.kind is not each.VAR_KEYWORD]
        at = next((at for at, each in enumerate(own, start=1) if each.name == after), len(own))
        command.__signature__ = signature.replace(  # type: ignore[attr-defined]
            parameters=[*own[:at], *derived, *own[at:]]
        )
        return command

    return give


def _parameter(field: Field, panel: bool) -> inspect.Parameter:
    """A field as a parameter from which typer makes an option."""
    from salticid.runs import plain_type

    how, kind, default = field.option, plain_type(field.type), field.default
    if how is None:
        raise TypeError(f"{field.name} is no option")
    if kind is bool:
        default = False
    elif isinstance(default, tuple | dict) or get_origin(kind) is tuple:
        one = Path if how.path else str
        kind, default = (one if how.reads and how.path else list[one]) | None, None  # type: ignore[valid-type]
    else:
        kind = Path if how.path else str if how.reads else kind
        default = None if how.own_default or default is None else how.shows(default) if how.reads else default
        kind = kind if default is not None else kind | None
    name = how.name or f"--{field.name.replace('_', '-')}"
    typed = typer.Option(
        name,
        help=field.help if panel else _sentence(field.help.removeprefix("Live: ")),
        metavar=how.metavar,
        min=how.least,
        max=how.most,
        envvar=how.variable,
        rich_help_panel=how.group if panel else None,
    )
    kinds = inspect.Parameter
    return kinds(field.keyword, kinds.KEYWORD_ONLY, default=default, annotation=Annotated[kind, typed])


def _sentence(text: str) -> str:
    return text[:1].upper() + text[1:]


def is_typed(context: typer.Context, option: str) -> bool:
    """Whether a person wrote an option down."""
    source = context.get_parameter_source(option)
    return source is not None and source.name != "DEFAULT"


def check_untyped(context: typer.Context, options: Iterable[str], file: str) -> None:
    """UserError where an option was written down although a file says what is compared."""
    if typed := next((name for name in options if is_typed(context, name)), None):
        option = typed.replace("_", "-")
        raise UserError(f"{file} says what is compared; leave --{option} out, or write it there")
