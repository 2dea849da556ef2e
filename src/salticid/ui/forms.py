"""The forms of what comes and goes: what a request may hold, and what a crawl looks like."""

from __future__ import annotations

from typing import Annotated, Literal

import msgspec

from salticid.parse.bookmarks import LARGEST as LARGEST_BOOKMARKS
from salticid.runs.spec import fields
from salticid.runs.start_pages import LONGEST_QUERY, MOST_URLS

DEFAULT_PAGES = 200
LONGEST_NUMBER = 12
"""Digits of a step; there will not be more."""

Pages = Annotated[int, msgspec.Meta(ge=1, le=1_000_000, description=fields()["max_pages"].help)]
Url = Annotated[str, msgspec.Meta(max_length=8000)]


class NewCrawl(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The order of a crawl: what to look for, and where to start; at least one source has to be named.

    `salticid.ui.new_wish` makes a `CrawlSpec` of it. With a `world`, one of those the session names, it hunts there
    instead of on the live web.
    """

    query: Annotated[
        str,
        msgspec.Meta(min_length=1, max_length=LONGEST_QUERY, description="What to look for, in a few words."),
    ]
    max_pages: Pages = DEFAULT_PAGES
    strategy: Annotated[str | None, msgspec.Meta(description="The name of a strategy; best left out.")] = None
    urls: Annotated[
        list[Url],
        msgspec.Meta(
            max_length=2 * MOST_URLS, description="Pages to start from; the nearer to the topic the better."
        ),
    ] = []
    bookmarks: Annotated[str, msgspec.Meta(max_length=LARGEST_BOOKMARKS)] | None = None
    search: Annotated[
        str | None, msgspec.Meta(description="A search engine set up here to ask for pages to start from.")
    ] = None
    from_crawls: Annotated[bool, msgspec.Meta(description="Start from what earlier hunts found, too.")] = (
        False
    )
    judge: Annotated[str | None, msgspec.Meta(description="The name of a judge; best left out.")] = None
    world: Annotated[
        str | None, msgspec.Meta(description="A recorded world to hunt in, instead of the live web.")
    ] = None


class Error(msgspec.Struct, frozen=True):
    """Why something is not as asked."""

    error: Annotated[str, msgspec.Meta(description="A sentence for a person.")]


class NewEngine(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A search engine to set up: SearXNG by its address, Brave by its key."""

    name: Annotated[str, msgspec.Meta(pattern=r"^[A-Za-z0-9][A-Za-z0-9.:_-]{0,59}$")]
    kind: Literal["searxng", "brave"]
    address: Annotated[str, msgspec.Meta(max_length=2000)] = ""
    key: Annotated[str, msgspec.Meta(max_length=500, pattern=r"^[!-~]*$")] = ""


class GoOn(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """How a crawl goes on: with so many `more` pages than it has read, or with `max_pages` in all, else as it was.

    A larger budget is needed where the old one is used up.
    """

    max_pages: Pages | None = None
    more: Pages | None = None


class KeepWatching(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A round of watching begins, unless it is not wanted `now`; others follow by themselves, if they are to.

    They do as long as the server runs, and when it runs again.
    """

    every: Literal["day", "week"] | None = None
    now: bool = True


class Nothing(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A request that brings nothing."""


class Opinion(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A person's word about a page: more like this (1), not this (-1), or neither after all (0)."""

    step: Annotated[int, msgspec.Meta(ge=0, le=10**LONGEST_NUMBER)]
    liking: Literal[1, -1, 0]


class ReplayProgress(msgspec.Struct, frozen=True):
    """How much of an earlier run has been played again."""

    step: int
    visits: int


class LookProgress(msgspec.Struct, frozen=True):
    """How many pages a round of watching has asked for again, of those it wants to see."""

    pages: int
    of: int


class Summary(msgspec.Struct, frozen=True):
    """A crawl at one glance.

    `stopped` is why it ended, if it has; `stopped_line` says the same as a sentence. `positive` counts the pages that
    are on topic by now: those that a person liked, and those whose current score reaches the judge's `line`, less what
    the person rejected, and of those all but the same one. `harvest` is their share among the last 100,
    `hosts_on_topic` says on how many of the `hosts` they are. `feedback_line` says what a person's word will not change
    here, if anything. `seconds` are on the crawl's clock, which stands still in a pause. `agents`: whether its strategy
    is made of them. `world` is the recorded one it hunts in, if it does. `round` is the number of its last round of
    watching, `watching` whether one is being made, `looking` how far that is, `every` how often they begin by
    themselves, `can_watch` whether one can begin now.
    """

    id: str
    query: str
    strategy: str
    judge: str
    state: Literal["starting", "running", "paused", "stopping", "ended"]
    stopped: str | None
    stopped_line: str | None
    pages: int
    max_pages: int
    fetches: int
    positive: int
    harvest: float
    line: float
    feedback_line: str | None
    hosts: int
    hosts_on_topic: int
    began: str
    seconds: float
    agents: bool
    can_continue: bool
    playing: ReplayProgress | None
    world: str | None
    round: int | None
    watching: bool
    looking: LookProgress | None
    every: Literal["day", "week"] | None
    can_watch: bool
