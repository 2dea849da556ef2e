"""Agents with a perceptron each, one per seed."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Annotated, Literal

import numpy as np
from msgspec import Meta

from salticid.exact import tanh, tanhs
from salticid.model import Choice, Floats, Link, Visit
from salticid.protocols import Brief
from salticid.snapshots import in_snapshot
from salticid.strategies.parts import Agent, AgentArrival, AgentPage, PageTerms, Walking

RESTARTS = 20
"""So many of the best pages are gone back to."""


@in_snapshot()
@dataclass(slots=True, eq=False)
class InfoSpider(Agent):
    """An agent whose mind is one weight for each keyword."""

    weights: Floats = field(default_factory=lambda: np.zeros(0))


@in_snapshot(
    agents=dict[int, InfoSpider], idle=dict[int, InfoSpider], _outlooks=dict[int, float],
    _good=list[tuple[float, int, Link]],
)  # fmt: skip
class Infospiders(Walking[InfoSpider]):
    """Agents walk from page to page, one per seed; who finds relevant pages breeds, who does not dies.

    The light form. An agent stands on a page, estimates each link by tanh of the weighted sum of its
    keywords near the link, and draws one by a Boltzmann distribution at `temperature`; which agent acts
    next is drawn too. It begins with energy theta/2, gains the judge's score of each page that nobody came
    to before, and pays agents * theta / (2 * max_pages) for it, so that the first agents can afford
    max_pages worthless pages between them. A revisit gains nothing and costs that times `revisit_cost`.
    The perceptron learns the page's similarity to the agent's own keywords, or its score (`target`
    "topic"): `epochs` steps at `rate` with `momentum`, which rests between pages. At energy theta an agent
    clones itself: half the energy, and in the clone's keywords the one least frequent in the page (among
    equals the last) gives way to the page's most frequent term.

    `lookahead` mixes into the estimate of a link to a page that was visited lately the best estimate that
    its last visitor had for a link there nobody had chosen yet, -1 if there was none: 0 leaves the estimate
    alone, 1 puts the other in its place. It needs no memory of pages and asks nobody.

    Where the paper is silent: near is what counts in `myspiders`, 1/dist up to `reach` links away; weights
    begin at 1/n each, n the keywords, so that at first the mean nearness counts; a failed fetch costs what
    a revisit does; the clone's new term is one that was not yet among its keywords, and takes over the
    weight of the old; keywords count once each, however often the topic names them.

    Otherwise than in the paper: a step of learning is divided by 1 + the squared length of the inputs, for
    the raw step throws the weights so far that the unit saturates; with `step` "plain" it is not, as in the
    paper. `price` multiplies what pages cost, revisits too. With `restart` an agent goes back, with that
    chance, to one of the 20 best pages found so far instead of on: a revisit. Clones begin at seeds or offered
    links that wait, if any do. See `salticid.strategies.parts.walkers` for dead ends, bounds and a person's
    word, which is worth one unit of energy.

    >>> from salticid.testing import walk_through
    >>> walk_through(Infospiders(), max_pages=5)
    ['seed', 'b', 'b1', 'b11', 'b2']

    Paper: Menczer, Pant, Ruiz, Srinivasan, "Evaluating topic-driven web crawlers", SIGIR 2001.
    """

    def __init__(
        self,
        *,
        theta: Annotated[float, Meta(gt=0, le=100)] = 2.0,
        temperature: Annotated[float, Meta(ge=0.001, le=100)] = 0.125,
        epochs: Annotated[int, Meta(ge=0, le=100)] = 5,
        rate: Annotated[float, Meta(ge=0, le=1)] = 0.5,
        momentum: Annotated[float, Meta(ge=0, lt=1)] = 0.9,
        target: Literal["keywords", "topic"] = "keywords",
        revisit_cost: Annotated[float, Meta(ge=0.001, le=1)] = 0.1,
        lookahead: Annotated[float, Meta(ge=0, le=1)] = 0.0,
        reach: Annotated[int, Meta(ge=1, le=50)] = 5,
        step: Literal["scaled", "plain"] = "scaled",
        price: Annotated[float, Meta(gt=0, le=100)] = 1.0,
        restart: Annotated[float, Meta(ge=0, le=0.5)] = 0.0,
    ) -> None:
        self.theta = theta
        self.temperature = temperature
        self.epochs = epochs
        self.rate = rate
        self.momentum = momentum
        self.target = target
        self.revisit_cost = revisit_cost
        self.lookahead = lookahead
        self.reach = reach
        self.step = step
        self.price = price
        self.restart = restart

    def start(self, brief: Brief) -> None:
        self._outlooks: dict[int, float] = {}
        self._good: list[tuple[float, int, Link]] = []
        super().start(brief)

    def first_agents(self, seeds: int) -> int:
        return seeds

    def founder(self, number: int) -> InfoSpider:
        weights = np.full(len(self.query), 1 / max(1, len(self.query)))
        return InfoSpider(number, self.theta / 2, self.query, weights=weights)

    def child(self, parent: InfoSpider, number: int, reading: PageTerms) -> InfoSpider:
        keywords = parent.keywords.copy()
        common = reading.commonest(1, besides=keywords)
        if len(common) and len(keywords):
            rarest_from_the_end = reading.frequency(keywords)[::-1].argmin()
            keywords[len(keywords) - 1 - rarest_from_the_end] = common[0]
        return InfoSpider(number, 0.0, keywords, weights=parent.weights)

    def turns(self) -> list[InfoSpider]:
        idle = super().turns()
        return [idle[at] for at in self.rng.permutation(len(idle)).tolist()]

    def sharpness(self) -> float:
        return 1 / self.temperature

    def gain(self, agent: InfoSpider, arrival: AgentArrival) -> float:
        return arrival.visit.score

    def cost(self, visit: Visit) -> float:
        full = self.price * self.founders * self.theta / (2 * self.limits.max_pages)
        return full if visit.good else self.revisit_cost * full

    def estimates(self, agent: InfoSpider, ground: AgentPage) -> Floats:
        estimates = _estimates(agent.weights, ground.inputs)
        if not self.lookahead:
            return estimates
        outlooks = (self._outlooks.get(url) for url in ground.urls.tolist())
        beyond = np.array([np.nan if best is None else best for best in outlooks])
        return np.where(np.isnan(beyond), estimates, estimates + self.lookahead * (beyond - estimates))

    def draw(self, agent: InfoSpider, ground: AgentPage) -> Choice:
        if self.restart and self._good and self.rng.random() < self.restart:
            *_, link = self._good[int(self.rng.integers(len(self._good)))]
            agent.ground = None  # what it will find there is not what it expected of a link here
            return Choice(link, 0.0, agent=agent.number)
        return super().draw(agent, ground)

    def learn(self, agent: InfoSpider, arrival: AgentArrival) -> None:
        if self.restart and not arrival.visit.revisit:
            page = arrival.visit.score, -arrival.visit.step, arrival.visit.choice.link
            self._good = sorted([*self._good, page], key=lambda each: each[:2], reverse=True)[:RESTARTS]
        if agent.ground is not None:
            own = self.target == "keywords"
            goal = arrival.reading.likeness(agent.keywords) if own else arrival.visit.score
            agent.weights = self._train(agent.weights, agent.ground.inputs[:, agent.place], goal)
        if self.lookahead:
            self.remember(self._outlooks, arrival.visit.final, _outlook(agent, arrival))

    def _train(self, weights: Floats, inputs: Floats, goal: float) -> Floats:
        """The weights after some epochs of back-propagation on one example, each along the same inputs."""
        activity, length = float((weights * inputs).sum()), float((inputs * inputs).sum())
        scale = 1 + length if self.step == "scaled" else 1.0
        step = change = 0.0
        for _ in range(self.epochs):
            output = tanh(activity + change * length)
            step = self.momentum * step + self.rate * (goal - output) * (1 - output**2) / scale
            change += step
        return weights + change * inputs


def _estimates(weights: Floats, inputs: Floats) -> Floats:
    """The perceptron's output for each link; summed in the order of the keywords."""
    outputs: Floats = tanhs((weights[:, None] * inputs).sum(axis=0))
    return outputs


def _outlook(agent: InfoSpider, arrival: AgentArrival) -> float:
    """The best estimate of the links here that nobody has chosen, the lowest there can be without any."""
    ground = arrival.ground
    if ground is None:
        return -1.0
    fresh = np.isin(ground.places, arrival.fresh, assume_unique=True)
    return float(_estimates(agent.weights, ground.inputs)[fresh].max(initial=-1.0))
