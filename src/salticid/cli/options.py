"""Options that need reading: what a person types, as what the program means."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Annotated, Any

import typer

from salticid.cli.console import err
from salticid.errors import UserError

if TYPE_CHECKING:
    from salticid.model import Limits


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
_SIZES = {"": 1, "kb": 10**3, "mb": 10**6, "gb": 10**9, "tb": 10**12}
_UNITS = {"": 1, "s": 1, "m": 60, "h": 3600, "d": 86400}


def duration(text: str) -> float:
    """Seconds from `90`, `90s`, `10m`, `1.5h` or `2d`.

    >>> duration("10m"), duration("1.5h")
    (600.0, 5400.0)
    """
    match = re.fullmatch(r"(\d+(?:\.\d+)?)([smhd]?)", text.strip())
    if not match:
        raise UserError(f"no duration {text!r}; write a number with s, m, h or d, as in 10m")
    return float(match[1]) * _UNITS[match[2]]


def moment(text: str, day_ends: bool = True) -> float:
    """Seconds since 1970 from `2026-11-16T18:30` or `2026-11-16`, the end of that day, or its beginning.

    It is UTC unless it says.

    >>> moment("1970-01-02T00:00"), moment("1970-01-01"), moment("1970-01-02T01:00+01:00")
    (86400.0, 86400.0, 86400.0)
    """
    try:
        time = datetime.fromisoformat(text.strip())
    except ValueError:
        raise UserError(
            f"no date {text!r}; write 2026-11-16, or 2026-11-16T18:30 for a time in UTC"
        ) from None
    if day_ends and re.fullmatch(r"[^T: ]*", text.strip()):
        time += timedelta(days=1)
    return (time if time.tzinfo else time.replace(tzinfo=UTC)).timestamp()


At = Annotated[
    str | None,
    typer.Option(help="Pages as they were at the end of that day, or at a time of it.", metavar="DATE"),
]


Keep = Annotated[
    int | None,
    typer.Option(
        min=1, help="Keep so many versions of each page, the newest, and take older ones out.", metavar="N"
    ),
]


def size(text: str) -> int:
    """Bytes from `500MB`, `1.5GB` or a plain number.

    >>> size("1.5GB"), size("20 kb"), size("4096")
    (1500000000, 20000, 4096)
    """
    match = re.fullmatch(r"(\d+(?:\.\d+)?)\s*([kmgt]b|)", text.strip().lower())
    if not match:
        raise UserError(f"no size {text!r}; write a number with KB, MB, GB or TB, as in 10GB")
    return int(float(match[1]) * _SIZES[match[2]])


def max_buffer(text: str) -> int | None:
    """A number of links, or None for `none`."""
    if text == "none":
        return None
    if text.isdecimal() and int(text) > 0:
        return int(text)
    raise UserError(f"no --max-buffer {text!r}; write a number of at least 1, or none")


_CONDITIONS = {
    ("harvest", "<"): "min_harvest",
    ("remaining", "<"): "min_remaining",
    ("seconds", ">"): "max_seconds",
}


def with_condition(limits: Limits, text: str) -> Limits:
    """The limits with the one that a condition sets.

    >>> from salticid.model import Limits
    >>> with_condition(Limits(), "harvest < 0.05").min_harvest, with_condition(Limits(), "seconds > 60").max_seconds
    (0.05, 60.0)
    """
    match = re.fullmatch(r"(\w+)\s*([<>])\s*(\d*\.?\d+)", text.strip())
    limit = _CONDITIONS.get((match[1], match[2])) if match else None
    if not match or limit is None:
        raise UserError(f'no condition {text!r}; write "harvest < 0.05", "remaining < 10" or "seconds > 600"')
    change: dict[str, Any] = {limit: float(match[3])}
    return replace(limits, **change)


def is_typed(context: typer.Context, option: str) -> bool:
    """Whether a person wrote an option down."""
    source = context.get_parameter_source(option)
    return source is not None and source.name != "DEFAULT"


def check_untyped(context: typer.Context, options: Iterable[str], file: str) -> None:
    """UserError where an option was written down although a file says what is compared."""
    if typed := next((name for name in options if is_typed(context, name)), None):
        option = typed.replace("_", "-")
        raise UserError(f"{file} says what is compared; leave --{option} out, or write it there")
