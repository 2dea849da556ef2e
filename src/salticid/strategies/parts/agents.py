"""Agents: what one carries on its way, and what it comes to."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field

from salticid.model import Choice, Ints, Link, Visit
from salticid.snapshots import in_snapshot
from salticid.strategies.parts.nearness import AgentPage, PageTerms

TRAIL = 10
"""So many links back an agent remembers its way."""
NOBODY = 0
"""The parent, in events, of an agent that has none; agents are numbered from 1."""


@in_snapshot()
@dataclass(slots=True, eq=False)
class Agent:
    """One walker, idle or out on the choice it drew.

    `ground` is the last page it came to that has links to follow, `place` that of the link it drew there, and
    `trail` the links that led it from page to page, the one to its ground last. Without ground it has a
    choice: a start, or a step back.
    """

    number: int
    energy: float
    keywords: Ints
    ground: AgentPage | None = None
    place: int = 0
    trail: deque[Link] = field(default_factory=lambda: deque(maxlen=TRAIL))
    choice: Choice | None = None


@dataclass(frozen=True, slots=True, eq=False)
class AgentArrival:
    """A page that an agent came to: how it reads, the ground it gives, if any, the fresh places on it."""

    visit: Visit
    reading: PageTerms
    ground: AgentPage | None
    fresh: Ints


@in_snapshot()
@dataclass(frozen=True, slots=True)
class Find:
    """Who first came to a page, and what of the page is remembered in case a person likes it."""

    agent: int
    terms: tuple[int, ...]
