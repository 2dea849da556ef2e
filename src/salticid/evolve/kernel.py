"""The crawl loop once more, compiled: `linear_rank` under the roulette of arrivals, over a world's arrays.

It makes the visits of `salticid.crawl.Crawl`, driven by `salticid.drivers.replay`, and a test holds it to them.
All floats are made by the same operations in the same order as in `salticid.strategies.linear_rank`.

What is known of a URL has a slot, given when it is first met: a row of whole numbers and one of floats, so that a
link costs few cache lines. World-sized arrays are not cleared between crawls: what was touched is put back.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from salticid.evolve.graph import ANSWERS, Codes, Graph
from salticid.evolve.kernel_loops import FLOATS, WHOLES, Given, Visits, Work, World, restore, run_crawl
from salticid.model import Floats, Ints, Outcome
from salticid.strategies.parts import USUAL_RANKING, Ranking
from salticid.topic import Limits


class Trace(NamedTuple):
    """All visits of a crawl in their order; `outcome` are codes of `graph.ANSWERS`, `page` is -1 for none."""

    url: Ints
    final: Ints
    outcome: Codes
    page: Ints
    depth: Ints

    @property
    def outcomes(self) -> list[Outcome]:
        """What became of each choice."""
        return [ANSWERS[code] for code in self.outcome.tolist()]


class Kernel:
    """Simulates crawls of one world with one judge; keeps its working memory between them.

    That memory is reserved for the whole world and taken only as far as crawls reach.
    """

    def __init__(self, graph: Graph, scores: Floats, line: float, ranking: Ranking = USUAL_RANKING) -> None:
        self._graph, self._scores, self._line = graph, scores, line
        self._by_distance = ranking.by_distance
        self._signed = _read_only(ranking.all_signed(scores))
        self.set_words((_read_only(np.zeros(0, np.float32)), _read_only(np.zeros(0, np.float32))))
        self._work = _work(len(graph.final), graph)

    def set_words(self, words: tuple[npt.NDArray[np.float32], npt.NDArray[np.float32]]) -> None:
        """What anchor and context of each link of `Graph.out` say; before that they say nothing."""
        graph = self._graph
        self._world = World(
            graph.final,
            graph.outcome,
            graph.page,
            graph.host,
            graph.canonical,
            graph.start,
            graph.out,
            self._scores,
            self._signed,
            *words,
        )

    def crawl(
        self,
        weights: Floats,
        seeds: Ints,
        limits: Limits,
        rng: np.random.Generator,
        arrivals: tuple[int, int],
    ) -> Trace:
        """One crawl: a row of weights for each phase, seeds by URL id, arrivals by capacity and low mark."""
        highest = int(seeds.max(initial=-1)) + 1
        if highest > len(self._work.slot):
            self._work = _work(highest, self._graph)
        settings = Given(weights, seeds, limits.max_pages, limits.fetches, *arrivals, self._line, self._by_distance)
        visits, steps = self._work.visits, -1
        try:
            steps = run_crawl(self._world, self._work, settings, rng)
        finally:
            restore(self._world, self._work)
        return Trace(*(column[:steps].copy() for column in visits))


def _work(urls: int, graph: Graph) -> Work:
    """Working memory for a world of so many URLs."""
    hosts = int(graph.host.max(initial=-1)) + 1
    links = len(graph.out)
    return Work(
        slot=np.full(urls, -1, np.int32),
        whole=np.empty((urls, WHOLES), np.int32),
        floats=np.empty((urls, FLOATS), np.float64),
        count=np.zeros(16, np.int64),
        key=np.empty(2 * urls + 4096, np.float64),
        tag=np.empty(2 * urls + 4096, np.int64),
        link_page=np.empty(links, np.int32),
        link_before=np.empty(links, np.int32),
        host_pages=np.zeros(hosts, np.int32),
        host_good=np.zeros(hosts, np.int32),
        visits=Visits(
            np.empty(urls, np.int32),
            np.empty(urls, np.int32),
            np.empty(urls, np.uint8),
            np.empty(urls, np.int32),
            np.empty(urls, np.int32),
        ),
    )


def _read_only(array: npt.NDArray[Any]) -> npt.NDArray[Any]:
    array.flags.writeable = False
    return array
