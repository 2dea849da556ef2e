"""Agents with a perceptron each, one per seed."""

from __future__ import annotations

from typing import Annotated, Literal

import numpy as np
from msgspec import Meta

from salticid.model import Floats, Visit
from salticid.protocols import Brief
from salticid.snapshots import in_snapshot
from salticid.strategies.parts import Agent, AgentArrival, AgentLinks, Lesson, Near, Net, PageTerms, Stop, Walking


@in_snapshot(agents=dict[int, Agent], idle=dict[int, Agent], _outlooks=dict[int, float])
class Infospiders(Walking[Agent]):
    """Agents walk from page to page, one per seed; who finds relevant pages breeds, who does not dies.

    An agent estimates each link by a perceptron over its keywords near the link, and draws one by a Boltzmann
    distribution at `temperature`; which agent acts next is drawn too. It begins with energy theta/2, gains the judge's
    score of each page that nobody came to before, and pays agents * theta / (2 * max_pages) for it, so that the first
    agents can afford max_pages worthless pages between them. A revisit gains nothing and costs that times
    `revisit_cost`. The perceptron learns the page's similarity to the agent's own keywords, or its score (`target`
    "topic"): `epochs` steps at `rate` with `momentum`, which rests between pages. At energy theta an agent
    clones itself: half the energy, and in the clone's keywords the one least frequent in the page (among
    equals the last) gives way to the page's most frequent term.

    The defaults are a second form of the paper's agents: a frontier for each (`memory`), text near links measured in
    words (`near`), steps of learning that do not pass their goal, a lower temperature. The letter of the paper is
    `memory=page,near=links,step=plain,rate=0.5,momentum=0.9,temperature=0.125`.

    `lookahead` mixes into the estimate of a link to a page that was visited lately the best estimate that
    its last visitor had for a link there nobody had chosen yet, -1 if there was none: 0 leaves the estimate
    alone, 1 puts the other in its place. It needs no memory of pages and asks nobody.

    Where the paper is silent: how near a keyword is (see `near`); weights begin at each keyword's share of the topic's
    words, so that at first the mean nearness counts, and the bias at 0; a failed fetch costs what a revisit does; the
    clone's new term is one that was not yet among its keywords, and takes over the weight and the frequency of the old.

    Otherwise than in the paper: a step of learning is divided by 1 + the squared length of the inputs, for the raw step
    throws the weights so far that the unit saturates; with `step` "plain" it is not, as in the paper. `price`
    multiplies what pages cost, revisits too. See `salticid.strategies.parts.walkers` for memory, starts,
    dead ends, bounds and a person's word, which is worth one unit of energy.

    >>> from salticid.testing import walk_through
    >>> walk_through(Infospiders(), max_pages=5)
    ['seed', 'b', 'b2', 'b21', 'b1']

    Paper: Menczer, Pant, Ruiz, Srinivasan, "Evaluating topic-driven web crawlers", SIGIR 2001.
    """

    def __init__(
        self,
        *,
        theta: Annotated[float, Meta(gt=0, le=100)] = 2.0,
        temperature: Annotated[float, Meta(ge=0.001, le=100)] = 0.03,
        epochs: Annotated[int, Meta(ge=0, le=100)] = 5,
        rate: Annotated[float, Meta(ge=0, le=1)] = 0.1,
        momentum: Annotated[float, Meta(ge=0, lt=1)] = 0.0,
        target: Literal["keywords", "topic"] = "keywords",
        revisit_cost: Annotated[float, Meta(ge=0.001, le=1)] = 0.1,
        lookahead: Annotated[float, Meta(ge=0, le=1)] = 0.0,
        memory: Literal["page", "frontier"] = "frontier",
        near: Near = "words",
        reach: Annotated[int, Meta(ge=1, le=50)] = 5,
        stop: Stop = "function",
        step: Literal["scaled", "plain"] = "scaled",
        price: Annotated[float, Meta(gt=0, le=100)] = 1.0,
    ) -> None:
        self.theta = theta
        self.temperature = temperature
        self.epochs = epochs
        self.rate = rate
        self.momentum = momentum
        self.target = target
        self.revisit_cost = revisit_cost
        self.lookahead = lookahead
        self.memory = memory
        self.near = near
        self.reach = reach
        self.stop = stop
        self.step = step
        self.price = price

    def start(self, brief: Brief) -> None:
        self._outlooks: dict[int, float] = {}
        super().start(brief)

    def first_agents(self, seeds: int) -> int:
        return seeds

    def founder(self, number: int) -> Agent:
        weights = np.append(self.times / max(1, self.times.sum()), 0.0)
        return Agent(number, self.theta / 2, self.query, Net([weights[None]]))

    def child(self, parent: Agent, number: int, reading: PageTerms) -> Agent:
        keywords = parent.keywords.copy()
        common = reading.commonest(1, besides=keywords)
        if len(common) and len(keywords):
            rarest_from_the_end = reading.frequency(keywords)[::-1].argmin()
            keywords[len(keywords) - 1 - rarest_from_the_end] = common[0]
        return Agent(number, 0.0, keywords, parent.net.copy())

    def turns(self) -> list[Agent]:
        idle = super().turns()
        return [idle[at] for at in self.rng.permutation(len(idle)).tolist()]

    def sharpness(self) -> float:
        return 1 / self.temperature

    def cost(self, visit: Visit) -> float:
        full = self.price * self.founders * self.theta / (2 * self.limits.max_pages)
        return full if visit.good else self.revisit_cost * full

    def estimates(self, agent: Agent, links: AgentLinks) -> Floats:
        estimates = super().estimates(agent, links)
        if not self.lookahead:
            return estimates
        outlooks = (self._outlooks.get(url) for url in links.urls.tolist())
        beyond = np.array([np.nan if best is None else best for best in outlooks])
        return np.where(np.isnan(beyond), estimates, estimates + self.lookahead * (beyond - estimates))

    def learn(self, agent: Agent, arrival: AgentArrival) -> None:
        if agent.drawn is not None:
            own = self.target == "keywords"
            goal = arrival.reading.likeness(agent.keywords, self.times) if own else arrival.visit.score
            lesson = Lesson(self.rate, self.epochs, self.momentum, self.step == "scaled")
            agent.net.learn(agent.drawn.inputs[:, 0], goal, lesson)
        if self.lookahead:
            fresh = arrival.links.some(arrival.is_fresh) if arrival.links else None
            best = -1.0 if fresh is None else float(super().estimates(agent, fresh).max())
            self.remember(self._outlooks, arrival.visit.final, best)
