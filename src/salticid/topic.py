"""What a person asks of a crawl - topic, scope and limits - and how the fields of a request are typed.

A field of a request says once, in its annotation, what it means, its bounds and how it is an option of a command:
`option` makes that annotation, and `salticid.runs.spec` reads it. This module loads no numpy: help comes at once.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, NamedTuple

from msgspec import Meta

from salticid.errors import UserError

WHAT, WHERE, MUCH = "What to look for, and how", "Where", "How much"
MANNERS, SAFETY = "How politely", "How safely"
"""Titles of groups of options in the help of a command."""

_SIZES = {"": 1, "kb": 10**3, "mb": 10**6, "gb": 10**9, "tb": 10**12}
_UNITS = {"d": 86400, "h": 3600, "m": 60, "s": 1, "": 1}


class Option(NamedTuple):
    """How a field is an option: its group, its name if it is another than the field's, and how it is typed.

    `reads` makes a value of what was typed, `shows` text of a default. `least` and `most` are bounds of what a person
    may type, where those of the field are wider. `own_default`: the program finds a default by itself. `again`: the
    option is one of `refresh` and `watch`, too. `path`: it names a file or a folder.
    """

    group: str
    name: str | None = None
    metavar: str | None = None
    reads: Callable[[Any], Any] | None = None
    shows: Callable[[Any], str] = str
    least: float | None = None
    most: float | None = None
    variable: str | None = None
    path: bool = False
    own_default: bool = False
    again: bool = False


def option(text: str, group: str, **how: Any) -> Meta:
    """The annotation of a field that is an option; `text` is its help, `how` are fields of `Option`."""
    return Meta(description=text, extra={"option": Option(group, **how)})


def duration(text: str) -> float:
    """Seconds from `90`, `90s`, `10m`, `1.5h` or `2d`.

    >>> duration("10m"), duration("1.5h")
    (600.0, 5400.0)
    """
    match = re.fullmatch(r"(\d+(?:\.\d+)?)([smhd]?)", text.strip())
    if not match:
        raise UserError(f"no duration {text!r}; write a number with s, m, h or d, as in 10m")
    return float(match[1]) * _UNITS[match[2]]


def duration_text(seconds: float) -> str:
    """Seconds in the largest unit that needs no fraction.

    >>> duration_text(3600.0), duration_text(30 * 86_400.0), duration_text(0.5)
    ('1h', '30d', '0.5s')
    """
    unit = next((unit for unit, length in _UNITS.items() if seconds % length == 0), "s")
    return f"{seconds / _UNITS[unit]:g}{unit}"


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


def pairs(texts: Iterable[str]) -> dict[str, str]:
    """KEY=VALUE texts as a dictionary.

    >>> pairs(["n=64", "score = linkage"])
    {'n': '64', 'score': 'linkage'}
    """
    values = {}
    for text in texts:
        key, equals, value = text.partition("=")
        if not equals:
            raise UserError(f"{text!r} is no KEY=VALUE; write a setting as in n=64")
        values[key.strip()] = value.strip()
    return values


def cookie_lines(file: str | Path, most: int = 1 << 20) -> tuple[str, ...]:
    """The lines of a file of cookies; UserError if it cannot be read."""
    try:
        with Path(file).open(encoding="utf-8") as opened:
            return tuple(opened.read(most).splitlines())
    except (OSError, UnicodeDecodeError) as error:
        cause = error.strerror if isinstance(error, OSError) else "it is no text"
        raise UserError(f"cannot read {file}: {cause}; name a file of cookies with --cookies") from None


DURATION: dict[str, Any] = {"metavar": "DURATION", "reads": duration, "shows": duration_text}
"""How a field of seconds is typed."""


@dataclass(frozen=True, slots=True)
class Scope:
    """Which URLs a crawl may fetch; `salticid.scope.Boundary` reads it."""

    include: Annotated[tuple[str, ...], option("Fetch only URLs that match; * is a wildcard.", WHERE)] = ()
    exclude: Annotated[tuple[str, ...], option("Never fetch URLs that match.", WHERE)] = ()
    same_site: Annotated[bool, option("Stay on the sites of the seeds.", WHERE)] = False
    max_depth: Annotated[int | None, option("Links away from a seed at the most.", WHERE, least=0)] = None
    hosts: tuple[str, ...] | None = None


@dataclass(frozen=True, slots=True)
class Topic:
    """What the crawler knows of a topic. What only a judge of crawls may know is `salticid.truth.Truth`."""

    name: str
    keywords: str
    seeds: tuple[str, ...]
    examples: tuple[str, ...] = ()
    negatives: tuple[str, ...] = ()
    language: Annotated[
        str | tuple[str, ...] | None,
        option(
            "Language of wanted pages, e.g. en; others are never relevant, and links to them come last [default: that "
            "of the keywords and the start pages comes first].",
            WHAT,
            metavar="CODE",
        ),
    ] = None
    scope: Scope = Scope()
    about: str | None = None

    def __post_init__(self) -> None:
        if self.language is not None:
            codes = self.languages
            object.__setattr__(self, "language", codes if len(codes) > 1 else next(iter(codes), None))
        for name in ("seeds", "examples", "negatives"):
            urls = getattr(self, name)
            object.__setattr__(self, name, (urls,) if isinstance(urls, str) else tuple(urls))

    @property
    def languages(self) -> tuple[str, ...]:
        """The languages that a person named, none where they named none."""
        return (self.language,) if isinstance(self.language, str) else tuple(self.language or ())


REQUEST_SECONDS = 10.0
"""Seconds a request may take, where nobody sets another time."""


@dataclass(frozen=True, slots=True)
class Limits:
    """The budget of a crawl: pages are good pages, fetches are attempts of any outcome.

    It also ends when fewer than `min_harvest` of the last pages are positive, or when fewer than `min_remaining`
    positive pages seem to be left (`salticid.outlook`).
    """

    max_pages: Annotated[int, option("Good pages to fetch.", MUCH, least=1)] = 1000
    max_fetches: Annotated[int | None, option("Attempts of any outcome [default: 10 x pages].", MUCH, least=1)] = None
    max_buffer: Annotated[
        int | None, option("Links the strategy may remember.", MUCH, metavar="N|none", reads=max_buffer)
    ] = 100_000
    max_seconds: Annotated[
        float | None, option("On the crawl's own clock, as in 10m.", MUCH, name="--max-time", **DURATION)
    ] = None
    min_harvest: float | None = None
    timeout: float = REQUEST_SECONDS
    min_remaining: float | None = None

    @property
    def fetches(self) -> int:
        """The bound on fetches: as set, else ten times the pages."""
        return 10 * self.max_pages if self.max_fetches is None else self.max_fetches
