"""Fish that breed where there is food and die where there is none."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from math import inf
from typing import Annotated, ClassVar

import numpy as np
from msgspec import Meta

from salticid.model import FROM_OFFER, FROM_SEED, Choice, Feedback, Floats, Ints, Links, Visit
from salticid.protocols import Brief
from salticid.snapshots import in_snapshot
from salticid.strategies.parts import Frontier, QueueStrategy

_BREEDING = 1.5
"""A relevant page has so many times the offspring of an irrelevant one."""
_SLACK = 64
"""So many more depths are kept than twice the links that wait, before those of links gone are dropped."""


@in_snapshot(_depth=dict[int, int], _flying=dict[int, int], _line=float)
class FishSearch(QueueStrategy):
    """Follows the links of relevant pages first and farthest; lines of irrelevant pages die out.

    Every link carries a depth. The links of a relevant page get the full `depth`; those of an irrelevant one
    get one less than the link that led there. A link whose depth is used up, below 0, is not followed: after
    `depth` + 1 irrelevant pages in a row that line is dead. The potential of a link has three levels:

        1    the first 1.5 * `width` links of a relevant page
        0.5  the first `width` links of an irrelevant page
        0    all others, for when nothing better is left

    A URL found again keeps the higher potential and the greater depth. A page is relevant when the judge
    calls it positive. Seeds and offered links have potential 1 and the full depth.

    Deviations: among equal potentials the oldest goes first, where the original puts newcomers before their
    equals; width counts the links that nobody has chosen yet, each URL once, in reading order, and links to
    other sites are not preferred; a slow server is not held against its links. When the judge changes its
    mind about a page, the potential of its links becomes 1 or 0.5 as if it had arrived now, where it is not 0;
    a page counts as relevant then if its score reaches the lowest that ever was positive. The defaults of
    width and depth are ours: the original leaves them to its user.

    >>> from salticid.testing import walk_through
    >>> walk_through(FishSearch(depth=0), max_pages=20)
    ['seed', 'a', 'b', 'a1', 'a2', 'b1', 'b2', 'b11', 'b21']

    Paper: De Bra, Post, "Information retrieval in the World-Wide Web: making client-based searching
    feasible", WWW1, 1994; the levels as told by Hersovici et al., "The shark-search algorithm", WWW7, 1998.
    """

    heeds: ClassVar[bool] = True

    def __init__(
        self,
        *,
        width: Annotated[int, Meta(ge=0, le=1000)] = 5,
        depth: Annotated[int, Meta(ge=0, le=100)] = 3,
    ) -> None:
        self.width = width
        self.depth = depth

    def start(self, brief: Brief) -> None:
        self.frontier = Frontier(brief.urls, brief.limits.max_buffer)
        self._depth: dict[int, int] = {}
        self._flying: dict[int, int] = {}
        self._line = inf
        self._queue(brief.seeds.url.tolist(), 1.0, self.depth, FROM_SEED)

    def choose(self, n: int, busy: frozenset[int]) -> list[Choice]:
        choices = super().choose(n, busy)
        for choice in choices:
            self._flying[choice.link.url] = self._depth.pop(choice.link.url)
        return [replace(choice, why=(("depth", self._flying[choice.link.url]),)) for choice in choices]

    def observe(self, visit: Visit, fresh: Ints) -> None:
        depth = self._flying.pop(visit.url, self._depth.get(visit.url, self.depth))
        self.frontier.discard(visit.final)
        if visit.page is None:
            return
        places = _first_of_each(visit.page.links.url[fresh].tolist(), fresh.tolist())
        scores = np.zeros(len(places))
        if visit.positive:
            self._line = min(self._line, visit.score)
            scores[: int(_BREEDING * self.width)] = 1.0
            self._queue(list(places), scores, self.depth, visit.step, list(places.values()))
        elif depth > 0:
            scores[: self.width] = 0.5
            self._queue(list(places), scores, depth - 1, visit.step, list(places.values()))

    def revise(self, scores: Sequence[tuple[int, float]], feedback: Sequence[Feedback]) -> None:
        now = dict(scores)
        for choice in self.frontier.best(len(self.frontier)):
            link = choice.link
            if link.source not in now or choice.score == 0:
                continue
            if now[link.source] >= self._line:
                self.frontier.rescore(link.url, 1.0)
                self._depth[link.url] = self.depth
            else:
                self.frontier.rescore(link.url, 0.5)

    def offer(self, links: Links) -> None:
        self._queue(links.url.tolist(), 1.0, self.depth, FROM_OFFER)

    def _queue(
        self,
        urls: list[int],
        scores: float | Floats,
        depth: int,
        source: int,
        places: list[int] | None = None,
    ) -> None:
        """Queue links with this depth; one that waits already keeps its own if that is greater."""
        depths = self._depth
        for url in urls:
            depths[url] = max(depth, depths[url]) if url in self.frontier else depth
        self.frontier.push(urls, scores, source, places)
        if len(depths) > 2 * len(self.frontier) + _SLACK:
            self._depth = {url: depth for url, depth in depths.items() if url in self.frontier}


def _first_of_each(urls: list[int], places: list[int]) -> dict[int, int]:
    """The first place of each URL, in reading order.

    >>> _first_of_each([7, 9, 7], [0, 1, 4])
    {7: 0, 9: 1}
    """
    first: dict[int, int] = {}
    for url, place in zip(urls, places, strict=True):
        first.setdefault(url, place)
    return first
