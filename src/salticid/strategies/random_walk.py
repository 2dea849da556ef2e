"""Surfers who follow whatever link they please."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from typing import Annotated, ClassVar

import numpy as np
from msgspec import Meta

from salticid.model import FROM_OFFER, Choice, Event, Feedback, Ints, Link, Links, Visit
from salticid.protocols import Brief
from salticid.snapshots import in_snapshot
from salticid.topic import Limits


@in_snapshot(
    "_host", _rng=np.random.Generator, _seeds=list[Link], _offers=deque[Link], _room=int,
    _next=dict[int, Link], _news=list[Event],
)  # fmt: skip
class RandomWalk:
    """A surfer follows a uniformly random link of the page they are on, and now and then jumps to a seed.

    The baseline of those that walk, and the surfer of whom PageRank tells. With probability `jump`, and always
    where no link leads on, the surfer goes to a random seed instead. Links count, not URLs: one that a page
    shows twice is twice as likely. Pages may be visited again, which costs nothing; a web without news ends
    the crawl as stalled.

    There are `walkers` surfers (never more than max_buffer), who start at the seeds in turn and know nothing of
    each other; each has one page in flight at most, so a single one fetches one page at a time. Where a
    surfer goes next is drawn when their page arrives; if that host is busy they wait for it, and nothing is
    drawn again. An offered link is taken by the next jump, oldest first; max_buffer bounds how many wait.

    Deviation: the surfer jumps to a seed, not to any page of the web, which nobody knows here.

    >>> from salticid.testing import walk_through
    >>> walk_through(RandomWalk(), max_pages=5)
    ['seed', 'b', 'a', 'a2', 'a21']

    Paper: Brin, Page, "The anatomy of a large-scale hypertextual web search engine", WWW 1998.
    """

    walks: ClassVar[bool] = True
    heeds: ClassVar[bool] = False

    def __init__(
        self,
        *,
        jump: Annotated[float, Meta(ge=0, le=1)] = 0.15,
        walkers: Annotated[int, Meta(ge=1, le=4096)] = 1,
    ) -> None:
        self.jump = jump
        self.walkers = walkers

    def start(self, brief: Brief) -> None:
        self._rng, self._host = brief.rng, brief.urls.host
        self._seeds = [Link(url) for url in brief.seeds.url.tolist()]
        self._offers: deque[Link] = deque()
        most = brief.limits.max_buffer
        walkers = self.walkers if most is None else min(self.walkers, most)
        self._room = None if most is None else most - walkers
        self._next = {at: self._seeds[at % len(self._seeds)] for at in range(walkers) if self._seeds}
        self._news: list[Event] = []

    def choose(self, n: int, busy: frozenset[int]) -> list[Choice]:
        ready = [walker for walker, link in self._next.items() if self._host(link.url) not in busy]
        return [Choice(self._next.pop(walker), agent=walker) for walker in ready[:n]]

    def observe(self, visit: Visit, fresh: Ints) -> None:
        walker = visit.choice.agent
        if walker is not None:
            self._next[walker] = self._draw(walker, visit)

    def revise(self, scores: Sequence[tuple[int, float]], feedback: Sequence[Feedback]) -> None:
        """A random walk ignores what a page is worth."""

    def offer(self, links: Links) -> None:
        offers = [Link(url, FROM_OFFER) for url in links.url.tolist()]
        room = len(offers) if self._room is None else max(self._room - len(self._offers), 0)
        self._offers.extend(offers[:room])

    def extend(self, limits: Limits) -> None:
        """A larger budget changes nothing here."""

    def events(self) -> list[Event]:
        """The jumps since the last call: who, and whether for want of a link or by chance."""
        news, self._news = self._news, []
        return news

    def waiting(self, k: int) -> tuple[int, list[Choice]]:
        choices = [Choice(link, agent=walker) for walker, link in self._next.items()]
        waiting = choices + [Choice(link) for link in self._offers]
        return len(waiting), waiting[:k]

    def _draw(self, walker: int, visit: Visit) -> Link:
        """Where a surfer goes from here."""
        page = visit.page
        if page is None or page.nofollow or page.links.nofollow.all():
            return self._jump(walker, "dead end")
        if self._rng.random() < self.jump:
            return self._jump(walker, "by chance")
        ways = np.flatnonzero(~page.links.nofollow)
        place = int(ways[self._rng.integers(len(ways))])
        return Link(int(page.links.url[place]), visit.step, place)

    def _jump(self, walker: int, why: str) -> Link:
        self._news.append(Event("jump", (("agent", walker), ("why", why))))
        return self._offers.popleft() if self._offers else self._seeds[self._rng.integers(len(self._seeds))]
