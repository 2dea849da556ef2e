"""What a source of a world yields: one answer of the web at a time."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path, PurePath
from typing import Protocol, runtime_checkable

from salticid.model import Outcome, Page, Wall
from salticid.protocols import Table, UrlTable


@dataclass(frozen=True, slots=True)
class Answer:
    """A server's answer to one URL, as a recording kept it.

    `outcome` is known where a crawler found it out, else it follows from the rest; `wall` where a crawler met one, or
    its head gives one away, and `may_be_wall` where nobody chose it for a page. `location` is where a redirect leads.
    `seconds` and `modified` (seconds since 1970) are None where nobody noted them. `pdf` stands in for `html` where it
    is a PDF, and `page` where a page is parsed already: it gives the page in the ids of the tables it is handed.
    `labels` is what the source itself says the page is about.
    """

    url: str
    status: int = 200
    html: bytes | None = None
    charset: str | None = None
    location: str | None = None
    seconds: float | None = None
    modified: float | None = None
    page: Callable[[UrlTable, Table], Page] | None = None
    size: int = 0
    labels: tuple[str, ...] = ()
    outcome: Outcome | None = None
    wall: Wall | None = None
    may_be_wall: bool = False
    pdf: bytes | None = None


@dataclass(frozen=True, slots=True)
class Unread:
    """Something in a source that could not be used: what kind of thing, and which one."""

    why: str
    what: str


class WorldSource(Protocol):
    """A collection of pages that can be read once, as a stream."""

    name: str
    """Where it comes from, for the world's manifest."""
    size: int
    """How much there is to read, in units of `done`; 0 when nobody knows."""
    done: int
    """How much of it has been read."""

    def __iter__(self) -> Iterator[Answer | Unread]: ...


@runtime_checkable
class WritesBeside(Protocol):
    """A source that knows more than a world keeps."""

    def write_beside(self, world: Path) -> None:
        """Put what else is known of the pages into the folder of the world."""


def path_text(path: PurePath) -> str:
    r"""A path with slashes as text that can be printed and stored, bytes that are no UTF-8 written as escapes.

    >>> path_text(PurePath("caf\udce9", "x.htm"))
    'caf\\xe9/x.htm'
    """
    return os.fsencode(path.as_posix()).decode("utf-8", "backslashreplace")
