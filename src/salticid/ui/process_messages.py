"""What the server and the process of a crawl say to each other: lines of JSON, each with a name.

First the order goes in, then commands; out come reports on what is not in the log. When the input ends, the server is
gone, unless it is a file.
"""

from __future__ import annotations

from dataclasses import asdict
from typing import Any, Literal

import msgspec
from msgspec import Struct

from salticid.runs.gauges import Gauges
from salticid.runs.live_settings import LiveSettings
from salticid.ui.order_form import Wish


class Begin(Struct, frozen=True):
    """The first line of the input."""

    folder: str
    wish: Wish
    live: LiveSettings

    def line(self) -> bytes:
        """How it is sent."""
        return msgspec.json.encode({**msgspec.structs.asdict(self), "live": asdict(self.live)}) + b"\n"


class Do(Struct, frozen=True, tag="do"):
    """Let the crawl rest, let it run again, end it cleanly, have it say what it is doing now, or tell its numbers."""

    what: Literal["pause", "continue", "stop", "look", "measure"]


class Extend(Struct, frozen=True, tag="extend"):
    """It may read so many pages in all, and make so many fetches."""

    max_pages: int
    max_fetches: int | None


class Hear(Struct, frozen=True, tag="hear"):
    """A person likes a page (+1), or does not (-1)."""

    url: str
    liking: int


Command = Do | Extend | Hear


class Playing(Struct, frozen=True, tag="playing"):
    """An earlier run is played again, and has come to a step of so many."""

    step: int
    visits: int


class Looking(Struct, frozen=True, tag="looking"):
    """A round of watching has asked again for so many pages of those it wants to see."""

    pages: int
    of: int


class CrawlState(Struct, frozen=True, tag="state"):
    """It is ready, or something changed."""

    paused: bool
    line: float


class Now(Struct, frozen=True, tag="now"):
    """The answer to a look: what is being fetched, what waits, who is left alone."""

    fetching: list[dict[str, Any]]
    waiting: dict[str, Any]
    parked: list[dict[str, Any]]


class Moves(Struct, frozen=True, tag="moved"):
    """How many waiting links rose and fell after a person's word on a page, which did most, how long that took."""

    url: str
    liking: int
    rose: int
    fell: int
    up: list[dict[str, Any]]
    down: list[dict[str, Any]]
    seconds: float


class Advice(Struct, frozen=True, tag="advice"):
    """What seems to be left to find; None where that cannot be told."""

    remaining: dict[str, Any] | None
    harvest: dict[str, Any] | None


class Measured(Struct, frozen=True, tag="measured"):
    """The numbers of the run, as they stand now."""

    gauges: Gauges


class Notice(Struct, frozen=True, tag="warned"):
    """A sentence for the person."""

    line: str


class End(Struct, frozen=True, tag="ended"):
    """The last report: the crawl ended, for this reason."""

    stopped: str


class CrawlFailure(Struct, frozen=True, tag="failed"):
    """The last report: the crawl failed."""

    error: str


RelayedReport = Now | Moves | Advice | Notice
"""Reports that the page gets as they are."""
ProcessReport = Playing | Looking | CrawlState | Now | Moves | Advice | Measured | Notice | End | CrawlFailure
