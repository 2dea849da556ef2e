"""The options of commands that ask the live web, and what they mean."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, Literal

import typer

from salticid.cli.options import duration, size
from salticid.errors import UserError
from salticid.runs.contact import own_user_agent
from salticid.runs.live_settings import LiveSettings

MANNERS, SAFETY = "How politely", "How safely"
"""Titles of groups in the help of a command."""

Concurrency = Annotated[
    int, typer.Option(min=1, help="Live: requests under way at once.", rich_help_panel=MANNERS)
]
Delay = Annotated[
    float, typer.Option(min=0, help="Live: seconds between two requests to a host.", rich_help_panel=MANNERS)
]
Timeout = Annotated[
    float, typer.Option(min=0.1, help="Live: seconds a request may take.", rich_help_panel=MANNERS)
]
PerAddress = Annotated[
    int, typer.Option(min=1, help="Live: requests at once to one address.", rich_help_panel=MANNERS)
]
UserAgent = Annotated[
    str | None,
    typer.Option(
        help="Live: who we say we are [default: Salticid, and the contact of the settings file].",
        metavar="TEXT",
        rich_help_panel=MANNERS,
    ),
]
Patience = Annotated[
    str,
    typer.Option(
        help="Live: how long to wait for a network that is lost.", metavar="DURATION", rich_help_panel=MANNERS
    ),
]
MaxBytes = Annotated[int, typer.Option(min=1000, help="Live: bytes read of a page.", rich_help_panel=SAFETY)]
MaxDisk = Annotated[
    int | None,
    typer.Option(
        help="Live: pause when the folder takes so much, as in 10GB.",
        metavar="SIZE",
        parser=size,
        rich_help_panel=SAFETY,
    ),
]
NoWarc = Annotated[
    bool,
    typer.Option(
        "--no-warc",
        help="Live: keep no raw exchanges, only what was read from them.",
        rich_help_panel=SAFETY,
    ),
]
NoPdf = Annotated[bool, typer.Option("--no-pdf", help="Live: do not read PDFs.", rich_help_panel=SAFETY)]
Render = Annotated[
    Literal["auto", "never"],
    typer.Option(
        help="Live: render pages that are empty without a browser, where there is one; or never.",
        rich_help_panel=SAFETY,
    ),
]
Proxy = Annotated[
    str | None,
    typer.Option(
        help="Live: ask through this proxy.", metavar="URL", envvar="SALTICID_PROXY", rich_help_panel=SAFETY
    ),
]
AllowNet = Annotated[
    list[str] | None,
    typer.Option(help="Live: a private range it may reach.", metavar="CIDR", rich_help_panel=SAFETY),
]
Resolve = Annotated[
    list[str] | None,
    typer.Option(
        help="Live: where a host is, as HOST=ADDRESS[:PORT]; * for all.",
        metavar="RULE",
        rich_help_panel=SAFETY,
    ),
]
Dns = Annotated[
    str | None,
    typer.Option(help="Live: ask this name server.", metavar="ADDRESS[:PORT]", rich_help_panel=SAFETY),
]

Header = Annotated[
    list[str] | None,
    typer.Option(
        help='Live: a field for one host, as in "a.example: Authorization: Bearer TOKEN".',
        metavar="HOST: NAME: VALUE",
        rich_help_panel=SAFETY,
    ),
]
Cookies = Annotated[
    Path | None,
    typer.Option(
        help="Live: cookies in Netscape's form, for the hosts it names.",
        metavar="FILE",
        rich_help_panel=SAFETY,
    ),
]

_UNCHANGED = (
    "concurrency", "delay", "timeout", "max_bytes", "user_agent", "per_address", "sitemaps", "feeds", "proxy",
    "dns", "host_share", "max_disk", "render",
)  # fmt: skip
_UNLESS = {"no_warc": "warc", "no_pdf": "pdf", "no_traps": "traps"}
_LISTS = ("allow_net", "resolve", "header")
_MAX_COOKIES = 1 << 20
NAMES = (*_UNCHANGED, *_UNLESS, *_LISTS, "patience", "cookies")
"""The names of all these options, as keywords."""


def settings(options: Mapping[str, Any]) -> dict[str, Any]:
    """The settings of the live web among the options of a command, under the names of `LiveSettings`."""
    values = {name: options[name] for name in _UNCHANGED if name in options}
    if values.get("user_agent", "") is None:
        del values["user_agent"]
    values |= {name: tuple(options[name] or ()) for name in _LISTS if name in options}
    values |= {name: duration(str(options[name])) for name in ("patience",) if name in options}
    if "cookies" in options:
        values["cookies"] = _cookie_lines(options["cookies"])
    return values | {setting: not options[name] for name, setting in _UNLESS.items() if name in options}


def _cookie_lines(file: str | Path | None) -> tuple[str, ...]:
    if file is None:
        return ()
    try:
        with Path(file).open(encoding="utf-8") as opened:
            return tuple(opened.read(_MAX_COOKIES).splitlines())
    except (OSError, UnicodeDecodeError) as error:
        cause = error.strerror if isinstance(error, OSError) else "it is no text"
        raise UserError(f"cannot read {file}: {cause}; name a file of cookies with --cookies") from None


def live(options: Mapping[str, Any]) -> LiveSettings:
    """How the live web is to be asked, read and checked; parsers for all processors but one."""
    values = {
        "user_agent": own_user_agent(),
        "workers": max(1, (os.cpu_count() or 1) - 1),
        **settings(options),
    }
    return LiveSettings(**values).check()
