"""Agents with a neural net each, that learn where links lead and act at once."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field
from math import sqrt
from typing import Annotated, Literal

import numpy as np
from msgspec import Meta

from salticid.exact import log
from salticid.model import Ints, Visit
from salticid.protocols import Brief
from salticid.snapshots import in_snapshot
from salticid.strategies.parts import Agent, AgentArrival, Find, Lesson, Near, Net, PageTerms, Stop, Walking

LIKED_TERMS = 3
"""So many of a liked page's most frequent terms join the keywords."""
USUAL_SHARE = 0.02
"""Of the timeout, that a download takes as long as none was seen."""
LAST_DATES = 100
"""A page's recency is its rank among so many of the last pages that have a date."""


@in_snapshot()
@dataclass(slots=True, eq=False)
class NetSpider(Agent):
    """An agent that knows how many pages it saw, and how many held each query term."""

    pages: int = 0
    holding: Ints = field(default_factory=lambda: np.zeros(0, np.int32))


@in_snapshot(agents=dict[int, NetSpider], idle=dict[int, NetSpider], _dates=deque[float], _downloads=int, _shares=float)
class Myspiders(Walking[NetSpider]):
    """Agents that learn by Q-learning what a link is worth, pay for slow pages, and search all at once.

    The full agent. Its net has an input for each keyword, and `hidden` units between or none. A link is drawn by a
    Boltzmann distribution at the inverse temperature `beta`. The page it leads to teaches the net
    r + mu * the best estimate of a link there, r the judge's score of the page. Agents act in turn; as many
    are under way as the crawl has room for, and none looks at another.

    The defaults are a second form of the paper's agents: a frontier for each (`memory`), text near links measured in
    words (`near`), a lower temperature. The letter of the paper is `memory=page,near=links,beta=8`.

    Energy begins at theta/2; `init_pop` agents are spread over the seeds, round robin. A page nobody came
    to before gains r, and costs agents * theta / max_pages * its share of the timeout. A page already
    visited comes from the shared cache: no gain, and it costs `cache_cost` times a mean download. At energy
    theta an agent has offspring on the same page: half the energy, noise on a share of the weights
    (`mutated`, `noise`), and one keyword more, the page's most frequent term that is not among them, its
    weight random. From `most_keywords` on there are no more.

    Settings the paper left for later. `tfidf`: r is the cosine with the query, each query term weighted
    by 1 + ln((1 + n) / (1 + n_k)) of the n pages the agent and its ancestors saw, n_k of them with the
    term; other terms weigh 1, for an agent cannot keep count of all words. `recency`: that share of a
    page's gain depends on its date: it is multiplied by the share of the last 100 dated pages that are no
    newer, and lost without a date. Ranks, because a strategy knows no today, and one forged date must
    not make all others old.

    A person's word: +1 gives the agent that found the page one unit of energy and up to three of the page's
    most frequent terms as keywords, -1 takes one unit.

    Where the paper is silent: weights begin at random in 0..2/n, n the keywords, so that at first keywords
    are a good sign; a failed fetch costs its time, at least as much as a page from the cache, and teaches
    nothing; so many agents begin as there is room for. Otherwise than in the paper: a step of learning is
    divided by 1 + the squared length of what comes in; offspring begins at seeds or offered links that
    wait, if any do. See `salticid.strategies.parts.walkers` for dead ends (a page without links sends the agent
    back to the page it came from), memory, starts and bounds.

    >>> from salticid.testing import walk_through
    >>> walk_through(Myspiders(), max_pages=5)
    ['seed', 'a', 'b', 'a2', 'b2']

    Paper: Menczer, "Complementing search engines with online web mining agents", Decision Support
    Systems 35, 2003.
    """

    def __init__(
        self,
        *,
        init_pop: Annotated[int, Meta(ge=1, le=1000)] = 10,
        theta: Annotated[float, Meta(gt=0, le=100)] = 2.0,
        beta: Annotated[float, Meta(ge=0, le=1000)] = 32.0,
        mu: Annotated[float, Meta(ge=0, lt=1)] = 0.5,
        rate: Annotated[float, Meta(ge=0, le=1)] = 0.2,
        hidden: Annotated[int, Meta(ge=0, le=64)] = 0,
        mutated: Annotated[float, Meta(ge=0, le=1)] = 0.2,
        noise: Annotated[float, Meta(ge=0, le=10)] = 0.1,
        most_keywords: Annotated[int, Meta(ge=1, le=1000)] = 50,
        cache_cost: Annotated[float, Meta(ge=0.001, le=1)] = 0.5,
        tfidf: bool = False,
        recency: Annotated[float, Meta(ge=0, le=1)] = 0.0,
        memory: Literal["page", "frontier"] = "frontier",
        near: Near = "words",
        reach: Annotated[int, Meta(ge=1, le=50)] = 5,
        stop: Stop = "function",
    ) -> None:
        self.init_pop = init_pop
        self.theta = theta
        self.beta = beta
        self.mu = mu
        self.rate = rate
        self.hidden = hidden
        self.mutated = mutated
        self.noise = noise
        self.most_keywords = most_keywords
        self.cache_cost = cache_cost
        self.tfidf = tfidf
        self.recency = recency
        self.memory = memory
        self.near = near
        self.reach = reach
        self.stop = stop

    def start(self, brief: Brief) -> None:
        self._dates: deque[float] = deque(maxlen=LAST_DATES)
        self._downloads, self._shares = 1, USUAL_SHARE
        super().start(brief)

    def first_agents(self, seeds: int) -> int:
        return self.init_pop

    def founder(self, number: int) -> NetSpider:
        net = Net.random(len(self.query), self.hidden, self.rng)
        none_yet = np.zeros(len(self.query), np.int32)
        return NetSpider(number, self.theta / 2, self.query, net, holding=none_yet)

    def child(self, parent: NetSpider, number: int, reading: PageTerms) -> NetSpider:
        child = NetSpider(number, 0.0, parent.keywords, pages=parent.pages, holding=parent.holding)
        child.net = parent.net.mutate(self.mutated, self.noise, self.rng)
        child.keywords = self._with_more(child, reading.commonest(1, besides=parent.keywords).tolist())
        return child

    def sharpness(self) -> float:
        return self.beta

    def gain(self, agent: NetSpider, arrival: AgentArrival) -> float:
        worth = self._worth(agent, arrival)
        if self.recency:
            worth *= 1 - self.recency + self.recency * self._rank(arrival.visit.modified)
        return worth

    def cost(self, visit: Visit) -> float:
        most = self.founders * self.theta / self.limits.max_pages
        small = self.cache_cost * self._shares / self._downloads
        if visit.revisit:
            return most * small
        share = min(1.0, visit.seconds / self.limits.timeout)
        if visit.page is None:
            return most * max(share, small)
        self._downloads, self._shares = self._downloads + 1, self._shares + share
        return most * share

    def learn(self, agent: NetSpider, arrival: AgentArrival) -> None:
        if agent.drawn is not None:
            best = float(self.estimates(agent, arrival.links).max()) if arrival.links is not None else 0.0
            target = self._worth(agent, arrival) + self.mu * best
            agent.net.learn(agent.drawn.inputs[:, 0], target, Lesson(self.rate))
        if self.tfidf and not arrival.visit.revisit:
            agent.pages += 1
            agent.holding = agent.holding + (arrival.reading.frequency(self.query) > 0)

    def heed(self, agent: NetSpider, find: Find, liking: int) -> None:
        news = [term for term in find.terms if term not in agent.keywords]
        if liking > 0 and news:
            self.give_keywords(agent, self._with_more(agent, news))

    def memory_of(self, reading: PageTerms) -> tuple[int, ...]:
        return tuple(reading.commonest(LIKED_TERMS).tolist())

    def _with_more(self, agent: NetSpider, terms: list[int]) -> Ints:
        """The agent's keywords with these as well, as far as there is room; its net grows with them."""
        news = terms[: max(0, self.most_keywords - len(agent.keywords))]
        for _ in news:
            agent.net = agent.net.widen(self.rng)
        return np.append(agent.keywords, news).astype(np.int32)

    def _worth(self, agent: NetSpider, arrival: AgentArrival) -> float:
        """r: how relevant a page is."""
        return self._cosine(agent, arrival.reading) if self.tfidf else arrival.visit.score

    def _cosine(self, agent: NetSpider, reading: PageTerms) -> float:
        """The cosine of query and page, query terms weighted by how rare they are in the agent's history."""
        dot = query = 0.0
        page = reading.bag.norm**2
        counts = reading.frequency(self.query).tolist()
        for weight, count, holding in zip(self.times.tolist(), counts, agent.holding.tolist(), strict=True):
            idf = 1 + log((1 + agent.pages) / (1 + holding))
            dot += weight * count * idf**2
            query += (weight * idf) ** 2
            page += count**2 * (idf**2 - 1)
        return min(1.0, dot / sqrt(query * page)) if dot else 0.0

    def _rank(self, date: float | None) -> float:
        """The share of the last dated pages that are no newer than this one, itself among them."""
        if date is None:
            return 0.0
        self._dates.append(date)
        return sum(other <= date for other in self._dates) / len(self._dates)
