"""What strategies made of agents have in common: a population that walks, breeds and dies."""

from __future__ import annotations

import sys
from collections import Counter, deque
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import ClassVar, Generic, Literal, TypeVar

import numpy as np

from salticid.exact import exps
from salticid.model import FROM_OFFER, Bools, Choice, Event, Feedback, Floats, Ints, Link, Links, Visit
from salticid.protocols import Brief
from salticid.snapshots import in_snapshot
from salticid.strategies.parts.nearness import AgentLinks, Near, Nearness, Net, PageTerms
from salticid.text import Stems
from salticid.topic import Limits

Stop = Literal["function", "long"]
"""Which words are no terms: function words, or all of a long list as the judges have it."""

# Agents: what one carries on its way, and what it comes to.

TRAIL = 10
"""So many links back an agent remembers its way."""
NOBODY = 0
"""The parent, in events, of an agent that has none; agents are numbered from 1."""


@in_snapshot()
@dataclass(slots=True, eq=False)
class Agent:
    """One walker, idle or out on the choice it drew.

    `ground` is what it may follow: the links of the last page it came to that has any, or those it remembers. `drawn`
    is the one it follows, None when it is on its way to a start or back, and `trail` the links that led it from page
    to page, the one to its ground last. Without ground it has a choice: a start, or a step back.
    """

    number: int
    energy: float
    keywords: Ints
    net: Net = field(default_factory=lambda: Net([]))
    ground: AgentLinks | None = None
    drawn: AgentLinks | None = None
    trail: deque[Link] = field(default_factory=lambda: deque(maxlen=TRAIL))
    choice: Choice | None = None


@dataclass(frozen=True, slots=True, eq=False)
class AgentArrival:
    """A page that an agent came to: how it reads, the links to follow, if any, which of them are fresh."""

    visit: Visit
    reading: PageTerms
    links: AgentLinks | None
    is_fresh: Bools


@in_snapshot()
@dataclass(frozen=True, slots=True)
class Find:
    """Who first came to a page, and what of the page is remembered in case a person likes it."""

    agent: int
    terms: tuple[int, ...]


A = TypeVar("A", bound=Agent)
T = TypeVar("T")


@in_snapshot(
    "_host", "_near", "founders", limits=Limits, rng=np.random.Generator, stems=Stems, query=np.int32, times=np.int64,
    starts=dict[int, Link], _finds=dict[int, Find], _events=list[Event], _last_number=int,
)  # fmt: skip
class Walking(Generic[A]):
    """A strategy whose state is a population of agents. Say how they gain, pay, breed and learn.

    Each agent estimates links by a net of its own: an input for each of its keywords, how near it is to the link
    (`near`, `reach`: see `salticid.strategies.parts.nearness`). It draws a link by a Boltzmann distribution over the
    estimates. Terms are all words but function words, or with `stop` "long" all but those of the judges' long list.

    Memory. With `memory` "page" an agent knows the links of the page it stands on and no others, whoever followed them
    before. With "frontier" it remembers the links that were fresh on all its pages. Then a link counts the mean of its
    estimate and of the score of its page; a link that anybody chooses is struck out everywhere; half of the links,
    every second one from the best on, go to a clone.

    Starts. Each of the first agents has a seed to go to. Seeds that are left over, and offered links, wait
    as starts for agents to come, oldest first: for offspring, which then begins there and not on the page
    it was born on, and for agents with nowhere else to go. Agents are placed on a start, and go back, at no cost and
    for no gain; they learn nothing from it.

    Nowhere to go. A link that failed, or led to a page with no links to follow, is struck out for that
    agent; it draws another of those it knows. When none is left it goes to a waiting start; else, without a frontier,
    back along its trail, a page at a time, each a revisit; when the trail is used up it dies. Links that
    say nofollow and links of a page to itself are not followed.

    Bounds. Agents and waiting starts together are at most max_buffer, and so are remembered links and starts, of which
    each agent keeps its best, no more than an equal share of the room; without room nothing is born, and an
    offer is forgotten. Who found what is remembered for the last max_buffer pages.

    A person's word about a page gives the agent that found it one unit of energy or takes one, as much as
    a perfect page is worth; an agent without energy dies at the next page it comes to. If the finder is
    dead, or forgotten, nobody hears it.

    Events: `born`, `agent` (its energy, at every visit and after a birth), `keywords` (when they change),
    `died` (and of what).
    """

    walks: ClassVar[bool] = True
    score_of_start: ClassVar[float] = 1.0
    theta: float
    """Who has so much energy breeds."""
    memory: Literal["page", "frontier"]
    near: Near
    reach: int
    """So many links, or words, away a keyword is still near."""
    stop: Stop

    def first_agents(self, seeds: int) -> int:
        """How many agents to begin with, given so many seeds."""
        raise NotImplementedError

    def founder(self, number: int) -> A:
        """One of the first agents, with energy theta / 2."""
        raise NotImplementedError

    def child(self, parent: A, number: int, reading: PageTerms) -> A:
        """A mutated copy of a parent that came to this page; the caller sets its energy and ground."""
        raise NotImplementedError

    def estimates(self, agent: A, links: AgentLinks) -> Floats:
        """What an agent expects of links."""
        return agent.net.estimates(links.inputs)

    def sharpness(self) -> float:
        """How much the draw of a link goes by the estimates: the inverse temperature."""
        raise NotImplementedError

    def gain(self, agent: A, arrival: AgentArrival) -> float:
        """The energy of a page that nobody came to before."""
        return arrival.visit.score

    def cost(self, visit: Visit) -> float:
        """What an agent pays for this visit, also if it failed."""
        raise NotImplementedError

    def learn(self, agent: A, arrival: AgentArrival) -> None:
        """An agent came to a page by the link it drew."""
        raise NotImplementedError

    def heed(self, agent: A, find: Find, liking: int) -> None:
        """A person judged a page that this agent found; the caller changes the agent's energy."""

    def memory_of(self, reading: PageTerms) -> tuple[int, ...]:
        """The terms of a page to remember in case a person likes it."""
        return ()

    def turns(self) -> list[A]:
        """The idle agents in the order in which they act: who has waited longest is first."""
        return list(self.idle.values())

    def start(self, brief: Brief) -> None:
        self.limits, self.rng = brief.limits, brief.rng
        self.stems = Stems.of_brief(brief, only_function_words=self.stop == "function")
        times = Counter(self.stems.terms(brief.topic.keywords))
        self.query, self.times = np.array(list(times), np.int32), np.array(list(times.values()), np.int64)
        self._near = Nearness(self.near, self.reach)
        self.agents: dict[int, A] = {}
        self.idle: dict[int, A] = {}
        self.starts: dict[int, Link] = {}
        self._host = brief.urls.host
        self._finds: dict[int, Find] = {}
        self._events: list[Event] = []
        seeds = [Link(url) for url in brief.seeds.url.tolist()]
        self.founders = min(self.first_agents(len(seeds)), self._room()) if seeds else 0
        self._last_number = self.founders
        for number in range(1, self.founders + 1):
            agent = self.founder(number)
            self._send(agent, seeds[(number - 1) % len(seeds)])
            self._enter(agent, NOBODY)
        self._queue_starts(seeds[self.founders :])

    def choose(self, n: int, busy: frozenset[int]) -> list[Choice]:
        choices: list[Choice] = []
        for agent in self.turns():
            if len(choices) >= n:
                break
            if agent.choice is None and agent.ground is not None:
                agent.choice = self.draw(agent, agent.ground)
            elif agent.choice is None and not self._sent_elsewhere(agent):  # others took all the links it knew
                del self.idle[agent.number]
                self._die(agent, "nowhere to go")
            if agent.choice is not None and self._host(agent.choice.link.url) not in busy:
                del self.idle[agent.number]
                choices.append(agent.choice)
                self._strike_out(agent.choice.link.url)
        return choices

    def observe(self, visit: Visit, fresh: Ints) -> None:
        agent = self.agents.get(visit.choice.agent or NOBODY)
        if agent is None:  # others were there
            return
        self.starts.pop(visit.url, None)
        self.starts.pop(visit.final, None)
        self._strike_out(visit.final)
        if agent.drawn is not None:
            agent.energy -= self.cost(visit)
        arrival = self._arrival(agent, visit, fresh)
        if arrival is not None:
            self._take_in(agent, arrival)
        self._step(agent, visit.choice.link, arrival)
        self._note("agent", agent, ("energy", agent.energy))
        self._go_on(agent, arrival)

    def revise(self, scores: Sequence[tuple[int, float]], feedback: Sequence[Feedback]) -> None:
        """Energy once gained is not taken back when the judge changes its mind."""
        for word in feedback:
            find = self._finds.get(word.url)
            agent = self.agents.get(find.agent) if find else None
            if find and agent:
                agent.energy += word.liking
                self.heed(agent, find, word.liking)

    def offer(self, links: Links) -> None:
        self._queue_starts([Link(url, FROM_OFFER) for url in links.url.tolist()])

    def extend(self, limits: Limits) -> None:
        """What a page costs follows the larger budget."""
        self.limits = limits

    def events(self) -> list[Event]:
        events, self._events = self._events, []
        return events

    def waiting(self, k: int) -> tuple[int, list[Choice]]:
        choices = [Choice(link, self.score_of_start) for link in self.starts.values()]
        if self.memory == "page":
            choices += [agent.choice for agent in self.idle.values() if agent.choice is not None]
            return len(choices), sorted(choices, key=lambda choice: -choice.score)[:k]
        many = len(choices)
        for agent in self.agents.values():
            if agent.ground is not None:
                many += len(agent.ground)
                scores = self._scores(agent, agent.ground)
                choices += [
                    self._choice(agent, agent.ground, at, scores) for at in np.argsort(-scores, kind="stable")[:k]
                ]
            elif agent.choice is not None and agent.number in self.idle:
                many += 1
                choices.append(agent.choice)
        return many, sorted(choices, key=lambda choice: -choice.score)[:k]

    def remember(self, memory: dict[int, T], url: int, what: T) -> None:
        """Remember something about a page, and forget about the oldest of more than max_buffer."""
        memory.pop(url, None)
        memory[url] = what
        if self.limits.max_buffer is not None and len(memory) > self.limits.max_buffer:
            del memory[next(iter(memory))]

    def give_keywords(self, agent: A, keywords: Ints) -> None:
        """Give an agent other keywords; new ones it hears from the next page on."""
        if agent.ground is not None:
            agent.ground = agent.ground.with_keywords(agent.keywords, keywords)
        if agent.drawn is not None:
            agent.drawn = agent.drawn.with_keywords(agent.keywords, keywords)
        agent.keywords = keywords
        self._note("keywords", agent, ("keywords", self._words(agent)))

    def _arrival(self, agent: A, visit: Visit, fresh: Ints) -> AgentArrival | None:
        if visit.page is None:
            return None
        reading = PageTerms.of(visit.page, self.stems)
        links = AgentLinks.of(visit, reading, agent.keywords, self._near)
        places = np.zeros(0, np.int32) if links is None else links.places
        return AgentArrival(visit, reading, links, np.isin(places, fresh, assume_unique=True))

    def _take_in(self, agent: A, arrival: AgentArrival) -> None:
        """Gain and learn from a page; energy only from one that nobody came to before."""
        visit = arrival.visit
        if not visit.revisit:
            self.remember(self._finds, visit.final, Find(agent.number, self.memory_of(arrival.reading)))
        if agent.drawn is not None:
            agent.energy += 0.0 if visit.revisit else self.gain(agent, arrival)
            self.learn(agent, arrival)

    def _step(self, agent: A, link: Link, arrival: AgentArrival | None) -> None:
        """Stand where the link led, or stay and strike it out; or remember the links that are new there."""
        links = arrival.links if arrival else None
        if self.memory == "frontier":
            news = links.some(arrival.is_fresh) if arrival and links else None
            self._learn_of(agent, news)
        elif links is not None:
            agent.ground = links
            agent.trail.append(link)
        elif agent.ground is not None:
            agent.ground = agent.ground.without(link.url)
            if agent.ground is None:
                agent.trail.pop()
        agent.choice = agent.drawn = None

    def _learn_of(self, agent: A, news: AgentLinks | None) -> None:
        """Add links to those that an agent remembers, and forget the worst for which there is no room."""
        if news is None:
            return
        known = news if agent.ground is None else agent.ground.and_more(news)
        most = len(known)
        if self.limits.max_buffer is not None:
            room = self.limits.max_buffer - len(self.starts)
            own = 1 if agent.ground is None else len(agent.ground)
            most = max(0, min(room // len(self.agents), room - self._remembered() + own))
        agent.ground = known.best(self._scores(agent, known), most)

    def _strike_out(self, url: int) -> None:
        """With a memory nobody follows a link that somebody chose."""
        if self.memory == "page":
            return
        for agent in self.agents.values():
            if agent.ground is not None:
                agent.ground = agent.ground.without(url)
            if agent.number in self.idle and agent.drawn is not None and agent.drawn.urls[0] == url:
                agent.choice = agent.drawn = None

    def _go_on(self, agent: A, arrival: AgentArrival | None) -> None:
        """Die, or be idle again; and breed, if there is energy and room for it."""
        if agent.energy <= 0:
            self._die(agent, "no energy")
        elif agent.ground is None and not self._sent_elsewhere(agent):
            self._die(agent, "nowhere to go")
        else:
            self.idle[agent.number] = agent
            if agent.energy >= self.theta and arrival and self._has_room_for_child(agent):
                self._breed(agent, arrival)

    def _has_room_for_child(self, parent: A) -> bool:
        """Whether another agent may live, and would have somewhere to go."""
        shares = self.memory == "page" or (parent.ground is not None and len(parent.ground) > 1)
        return bool(self.starts) or (shares and self._room() > 0)

    def _breed(self, parent: A, arrival: AgentArrival) -> None:
        self._last_number += 1
        child = self.child(parent, self._last_number, arrival.reading)
        child.energy = parent.energy / 2
        parent.energy -= child.energy
        if self.memory == "frontier":
            self._halve(parent, child)
            self._start_waiting(child)
        elif not self._start_waiting(child):
            child.trail.extend(parent.trail)
            child.ground = self._ground_of(child, parent, arrival)
            if child.ground is None and parent.choice is not None:
                self._send(child, parent.choice.link)
        self._enter(child, parent.number)
        self._note("agent", parent, ("energy", parent.energy))

    def _halve(self, parent: A, child: A) -> None:
        """Deal the parent's links to both, from the best on in turn, the first one to the parent."""
        links = parent.ground
        if links is not None:
            order = np.argsort(-self._scores(parent, links), kind="stable")
            parent.ground, theirs = links.some(np.sort(order[::2])), links.some(np.sort(order[1::2]))
            child.ground = theirs.with_keywords(parent.keywords, child.keywords) if theirs else None

    def _ground_of(self, child: A, parent: A, arrival: AgentArrival) -> AgentLinks | None:
        """The parent's page, with the child's keywords around its links."""
        ground = parent.ground
        if ground is None:
            return None
        if ground is arrival.links:
            return AgentLinks.of(arrival.visit, arrival.reading, child.keywords, self._near)
        return ground.with_keywords(parent.keywords, child.keywords)

    def _sent_elsewhere(self, agent: A) -> bool:
        """Whether an agent without ground found another place to go to."""
        if self._start_waiting(agent):
            return True
        if not agent.trail:
            return False
        self._send(agent, agent.trail.pop(), score=0.0)
        return True

    def _start_waiting(self, agent: A) -> bool:
        """Whether a start was waiting that this agent now goes to."""
        if not self.starts:
            return False
        self._send(agent, self.starts.pop(next(iter(self.starts))))
        return True

    def _send(self, agent: A, link: Link, score: float = score_of_start) -> None:
        agent.choice = Choice(link, score, agent=agent.number)

    def draw(self, agent: A, ground: AgentLinks) -> Choice:
        """Draw a link of the ground by a Boltzmann distribution over the scores."""
        scores = self._scores(agent, ground)
        chances = exps(self.sharpness() * (scores - scores.max()))
        total = np.cumsum(chances)
        at = min(int(total.searchsorted(self.rng.random() * total[-1], side="right")), len(total) - 1)
        agent.drawn = ground.some(np.array([at]))
        return self._choice(agent, ground, at, scores, ("probability", float(chances[at] / total[-1])))

    def _scores(self, agent: A, links: AgentLinks) -> Floats:
        """What links count: the estimates, or with a memory the mean of these and of the scores of their pages."""
        estimates = self.estimates(agent, links)
        return estimates if self.memory == "page" else (estimates + links.worth) / 2

    def _choice(self, agent: A, links: AgentLinks, at: int, scores: Floats, *why: tuple[str, float]) -> Choice:
        link = Link(int(links.urls[at]), int(links.steps[at]), int(links.places[at]))
        return Choice(link, float(scores[at]), why, agent.number)

    def _room(self, links: int = 0) -> int:
        """How many more agents or starts there may be beside so many links."""
        most = self.limits.max_buffer
        return sys.maxsize if most is None else most - max(len(self.agents), links) - len(self.starts)

    def _queue_starts(self, links: list[Link]) -> None:
        news = {link.url: link for link in links if link.url not in self.starts}
        room = self._room(self._remembered() if self.memory == "frontier" else 0)
        self.starts.update(list(news.items())[: max(0, room)])

    def _remembered(self) -> int:
        """How many links agents remember; one that knows none has somewhere to go, which counts as much as a link."""
        return sum(1 if agent.ground is None else len(agent.ground) for agent in self.agents.values())

    def _enter(self, agent: A, parent: int) -> None:
        self.agents[agent.number] = self.idle[agent.number] = agent
        self._note("born", agent, ("parent", parent), ("keywords", self._words(agent)), ("energy", agent.energy))

    def _die(self, agent: A, cause: str) -> None:
        del self.agents[agent.number]
        self._note("died", agent, ("cause", cause))

    def _note(self, name: str, agent: A, *values: tuple[str, str | float | int]) -> None:
        self._events.append(Event(name, (("agent", agent.number), *values)))

    def _words(self, agent: A) -> str:
        return " ".join(self.stems.word(stem) for stem in agent.keywords.tolist())
