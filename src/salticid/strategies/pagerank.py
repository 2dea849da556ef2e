"""The links that much of the web seen so far leads to first."""

from __future__ import annotations

from collections.abc import Sequence
from heapq import heapify, heappop, heappush
from itertools import repeat
from math import floor, log10
from typing import Annotated, Literal, NamedTuple

import numpy as np
import numpy.typing as npt
from msgspec import Meta

from salticid.columns import grow
from salticid.model import Bools, Event, Feedback, Floats, Ints, Links, Visit
from salticid.protocols import Brief
from salticid.snapshots import in_snapshot
from salticid.strategies.parts import QueueStrategy
from salticid.urls import site

Nodes = npt.NDArray[np.intp]


@in_snapshot("_urls", _web="BufferedWeb", _pages=int, _news=list[Event])
class Pagerank(QueueStrategy):
    """The frontier is ordered by PageRank, computed on the part of the web that is buffered.

        PR(p) = (1 - g) + g * sum over the pages d that link to p of PR(d) / |out(d)|

    At most max_buffer pages are buffered; when there are more, the one that the judge finds least similar to
    the topic goes, among equals the newest. With `cross_domain` only links to another registered domain than
    their page's are recorded there. A page without recorded links, and so every URL of the frontier, counts
    as linking to every buffered page. Every `every` pages the ranks are computed anew, from the last ones,
    until a round changes them by no more than `tolerance`, as a share of all rank there is; a hundredth of that
    is the finest difference that counts, and ranks are rounded to it. The frontier is bounded by max_buffer
    too and evicts the link of least rank; `admit` is that of best_first.

    On a web of one host a `cross_domain` crawl records no link at all: all links have the rank 1 - g, and the
    oldest goes first, as in breadth_first. Set it to false there.

    Where the paper is silent: between two computations the links of a new page gain g * PR(page) / |out| at
    once, and one that no buffered page links to has the least rank, 1 - g. Seeds and offered links begin with
    the mean rank, 1, until the next computation. A new page always enters the buffer, as in the paper's
    pseudo-code. A link to the page itself is not recorded, and a redirect hands no rank on.

    >>> from salticid.testing import walk_through
    >>> walk_through(Pagerank(cross_domain=False), max_pages=5)
    ['seed', 'a', 'b', 'a1', 'a11']

    Paper: Menczer, Pant, Ruiz, Srinivasan, "Evaluating topic-driven web crawlers", SIGIR 2001.
    """

    def __init__(
        self,
        *,
        g: Annotated[float, Meta(ge=0, le=0.99)] = 0.8,
        tolerance: Annotated[float, Meta(ge=1e-9, le=1)] = 0.01,
        every: Annotated[int, Meta(ge=1, le=100_000)] = 25,
        cross_domain: bool = True,
        admit: Literal["compete", "always"] = "compete",
    ) -> None:
        self.g = g
        self.tolerance = tolerance
        self.every = every
        self.cross_domain = cross_domain
        self.admit = admit

    def start(self, brief: Brief) -> None:
        super().start(brief)
        self._urls = brief.urls
        self._web = BufferedWeb(self.g, self.tolerance, brief.limits.max_buffer)
        self._web.grant([url for url in brief.seeds.url.tolist() if url in self.frontier], self.seed_score)
        self._pages = 0
        self._news: list[Event] = []

    def observe(self, visit: Visit, fresh: Ints) -> None:
        super().observe(visit, fresh)
        if visit.page is not None:
            self._pages += 1
            if self._pages % self.every == 0:
                self._rank_anew()

    def score_links(self, visit: Visit, fresh: Ints) -> Floats:
        self._web.add(visit, self._targets(visit))
        return self._web.ranks(visit.require_page().links.url[fresh].tolist())

    def revise(self, scores: Sequence[tuple[int, float]], feedback: Sequence[Feedback]) -> None:
        self._web.revise(dict(scores))

    def offer(self, links: Links) -> None:
        super().offer(links)
        self._web.grant([url for url in links.url.tolist() if url in self.frontier], self.seed_score)

    def events(self) -> list[Event]:
        """The computations since the last call: how many pages, links and rounds each took."""
        news, self._news = self._news, []
        return news

    def _rank_anew(self) -> None:
        change = self._web.settle(list(self.frontier))
        self.frontier.rescore_all(dict(change.ranks))
        size = (("pages", len(self._web)), ("links", change.links), ("rounds", change.rounds))
        self._news.append(Event("ranks computed", size))

    def _targets(self, visit: Visit) -> list[int]:
        """The URLs a page links to, as far as they are recorded, in reading order."""
        if visit.page is None or visit.page.nofollow:
            return []
        links = visit.page.links
        there = dict.fromkeys(links.url[~links.nofollow].tolist())
        there.pop(visit.final, None)
        return [url for url in there if not self.cross_domain or self._leads_out(visit.final, url)]

    def _leads_out(self, here: int, there: int) -> bool:
        urls = self._urls
        return urls.host(here) != urls.host(there) and site(urls[here]) != site(urls[there])


class RankChange(NamedTuple):
    """What a computation took, and which of the URLs that wait have another rank now."""

    links: int
    rounds: int
    ranks: list[tuple[int, float]]


@in_snapshot(
    "_g", "_least", "_tolerance", "_digits", "_limit", _score=dict[int, float], _at=dict[int, int],
    _out=dict[int, np.int32], _worst=list[tuple[float, int]], _node=dict[int, int], _rank=np.float64,
)  # fmt: skip
class BufferedWeb:
    """At most `limit` pages, the links between them and out of them, and a rank for each end of a link.

    A page is known by the step of its visit: `_score` says how similar it is to the topic, `_at` its node,
    `_out` the nodes it links to, all in the order in which the pages came. Nodes are numbered as they come,
    never by id, so that no rounding of a sum depends on ids. Those whose last link went with an evicted page
    are passed over, and dropped when they are as many as those in use.
    """

    def __init__(self, g: float, tolerance: float, limit: int | None) -> None:
        self._g, self._least = g, 1.0 - g
        self._tolerance, self._digits = tolerance, 2 - floor(log10(tolerance))
        self._limit = limit
        self._score: dict[int, float] = {}
        self._at: dict[int, int] = {}
        self._out: dict[int, Ints] = {}
        self._worst: list[tuple[float, int]] = []
        self._node: dict[int, int] = {}
        self._rank: Floats = np.full(1024, self._least)

    def __len__(self) -> int:
        return len(self._score)

    def ranks(self, urls: list[int]) -> Floats:
        """The rank of each URL as far as it is known; the least one where no buffered page links to it."""
        return self._rounded_ranks(self._nodes(urls))

    def grant(self, urls: list[int], rank: float) -> None:
        """Give URLs at least this rank, whoever links to them, until the next computation."""
        nodes = np.array(self._numbers(urls), np.intp)
        self._rank[nodes] = np.maximum(self._rank[nodes], rank)

    def add(self, visit: Visit, urls: list[int]) -> None:
        """Buffer a page that links to these URLs, which gain by it; make room for it before."""
        while self._limit is not None and self._score and len(self._score) >= self._limit:
            self._evict()
        node, *ends = self._numbers([visit.final, *urls])
        out = np.array(ends, np.int32)
        self._rank[out] += self._g * self._rank[node] / max(len(out), 1)
        self._score[visit.step], self._at[visit.step], self._out[visit.step] = visit.score, node, out
        heappush(self._worst, (visit.score, -visit.step))

    def revise(self, scores: dict[int, float]) -> None:
        """Give pages, by the step of their visit, other scores."""
        self._score |= {step: score for step, score in scores.items() if step in self._score}
        self._worst = [(score, -step) for step, score in self._score.items()]
        heapify(self._worst)

    def settle(self, waiting: list[int]) -> RankChange:
        """Compute all ranks from the last ones, those of the URLs that wait among them."""
        pages_at = np.fromiter(self._at.values(), np.intp, len(self))
        degrees = np.fromiter(map(len, self._out.values()), np.intp, len(self))
        ends = np.concatenate(list(self._out.values())).astype(np.intp)
        alive = np.zeros(len(self._node), np.bool_)
        alive[pages_at] = alive[ends] = True
        waiting_at = self._nodes(waiting)
        before = self._rounded_ranks(waiting_at)
        apart = len(waiting) - int(alive[waiting_at[waiting_at >= 0]].sum())
        rounds = self._iterate(pages_at, degrees, ends, alive, apart)
        after = self._rounded_ranks(waiting_at)
        places = np.flatnonzero(before != after)
        ranks = zip([waiting[at] for at in places.tolist()], after[places].tolist(), strict=True)
        if len(alive) > 2 * int(alive.sum()) + 1024:
            self._drop(~alive)
        return RankChange(len(ends), rounds, list(ranks))

    def _iterate(self, pages: Nodes, degrees: Nodes, ends: Nodes, alive: Bools, apart: int) -> int:
        """Apply the formula to all living nodes until little changes; how many rounds that took.

        `ends` are where the links of the pages lead, `degrees` of them a page; besides the nodes there are
        `apart` URLs that wait and that no page links to.
        """
        least, count = self._least, len(alive)
        without_links = alive.copy()
        without_links[pages[degrees > 0]] = False
        sinks = np.flatnonzero(without_links)
        enough = self._tolerance * (int(alive.sum()) + apart)
        rank = np.where(alive, self._rank[:count], least)
        rounds, change = 0, np.inf
        while change > enough:
            gifts = np.repeat(rank[pages] / np.maximum(degrees, 1), degrees)
            new = least + self._g * np.bincount(ends, gifts, count)
            new[pages] += self._g * (rank[sinks].sum() + apart * least) / len(pages)
            change = np.abs(new - rank).sum()
            rank, rounds = new, rounds + 1
        self._rank[:count] = rank
        return rounds

    def _rounded_ranks(self, nodes: Nodes) -> Floats:
        """The ranks of nodes, rounded; the least rank for a URL that has no node."""
        return np.where(nodes < 0, self._least, self._rank[nodes]).round(self._digits)

    def _nodes(self, urls: list[int]) -> Nodes:
        """The node of each URL, -1 where it has none."""
        return np.fromiter(map(self._node.get, urls, repeat(-1)), np.intp, len(urls))

    def _numbers(self, urls: list[int]) -> list[int]:
        """The node of each URL, which is given the next free number when it has none."""
        nodes = self._node
        numbers = [nodes.setdefault(url, len(nodes)) for url in urls]
        self._rank = grow(self._rank, len(nodes), self._least)
        return numbers

    def _evict(self) -> None:
        """Forget the page of the lowest score, among equals the newest."""
        step = -heappop(self._worst)[1]
        del self._score[step], self._at[step], self._out[step]

    def _drop(self, dead: Bools) -> None:
        """Forget nodes and number the others anew, in the same order."""
        number = np.cumsum(~dead) - 1
        self._rank = np.append(self._rank[: len(dead)][~dead], np.full(1024, self._least))
        self._node = {url: int(number[node]) for url, node in self._node.items() if not dead[node]}
        self._at = {step: int(number[node]) for step, node in self._at.items()}
        self._out = {step: number[out].astype(np.int32) for step, out in self._out.items()}
