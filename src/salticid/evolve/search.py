"""Runs a search: generation after generation, each kept as soon as it is done."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field
from importlib.metadata import version
from itertools import islice
from math import fsum
from pathlib import Path
from typing import Literal

import msgspec
import numpy as np

from salticid.errors import SalticidError, UserError
from salticid.evolve.fitness import CrawlTrial, Goal, Interval, fitness
from salticid.evolve.optimizers import PARENT, Genetic, Individual, Optimizer, RealValued, Shape, Weights, best
from salticid.evolve.scored_pages import LEARNING
from salticid.evolve.simulation import Crawlers, GroupWatch, in_groups
from salticid.strategies.parts import LEVELS, Ranking
from salticid.topic import Topic
from salticid.version import __version__

# What a search is to find, and all that its result depends on.

PAPER_TERMS = (
    "hub", "authority", "comm_in", "comm_out", "parent_1", "parent_2", "parent_3", "parent_4", "parent_5",
)  # fmt: skip
LONGEST = 10_000
"""Pages of a simulated crawl, the paper's, where the world is large enough for it."""
HELD_BACK = 15
"""So many seeds, the paper's, are kept for the test of what was found."""
CHOOSING = 30
"""So many others are kept for the choice among the best."""
GOOD_SHARE = 2
"""At least so many times fewer pages of a world are good than a crawl has pages."""


class SearchPlan(msgspec.Struct, frozen=True):
    """A search: the same plan finds the same strategy, bit for bit.

    `world` is the digest of the world, `told` that of all the topic says, `seeds` are the topic's. `terms` are
    all that the rank function has, `searched` those whose weights are sought; the others stay zero. `known` are
    weights of the terms sought, to begin with, and unless the search is the paper's to the `letter`, nothing is taken
    in the end that is not ahead of the first of them. `reach` is the share of a strategy that is sought; the rest is
    Best-First. `judge`, `least_good` and `ranking` are those of the
    `Simulation`.
    """

    world: str
    topic: str
    told: str
    seeds: tuple[str, ...]
    terms: tuple[str, ...]
    searched: tuple[str, ...]
    search: Literal["genetic", "real"] = "genetic"
    population: int = 50
    generations: int = 50
    crawl_length: int = LONGEST
    runs: int = 3
    seed: int = 0
    phases: int = 1
    goal: Goal = Goal()
    known: tuple[Weights, ...] = ()
    versions: dict[str, str] = {}
    judge: str = LEARNING
    letter: bool = True
    least_good: int | None = None
    ranking: Ranking = Ranking()
    reach: float = 1.0

    @property
    def held_back_seeds(self) -> list[int]:
        """The seeds of the crawls that tell how good the strategy found is; nothing is chosen by them."""
        return self._seeds()[:HELD_BACK]

    @property
    def choosing_seeds(self) -> list[int]:
        """Other seeds, by which one of the best is chosen."""
        return self._seeds()[HELD_BACK : HELD_BACK + CHOOSING]

    @property
    def training_seeds(self) -> list[int]:
        """The seeds of the crawls that fitness is the mean of: the same for all individuals of all generations.

        So fitnesses compare, and nobody is crawled twice. The paper does not say how it chose them.
        """
        return self._seeds()[HELD_BACK + CHOOSING :]

    @property
    def shape(self) -> Shape:
        """The shape of the weights that are sought."""
        return Shape(self.phases, len(self.searched))

    def searcher(self) -> Optimizer:
        """The search algorithm of the plan."""
        if self.search == "genetic":
            return Genetic(self.shape, self.population, self.seed, self.known)
        return RealValued(self.shape, self.population, self.seed, self.known)

    def starts(self) -> list[Weights]:
        """The weights that were known, as the search has them, all different."""
        search = self.searcher()
        return list(dict.fromkeys(map(search.weights, search.first()[: len(self.known)])))

    def spread(self, weights: Weights) -> Weights:
        """The weights sought as weights of all terms, of the strategy that they are the sought part of."""
        return tuple(tuple(self._weight(term, row) for term in self.terms) for row in weights)

    def trials(self, weights: Weights, seeds: list[int]) -> list[CrawlTrial]:
        """The crawls that show how good weights of all terms are."""
        return [CrawlTrial(weights, seed, self.crawl_length, None, self.goal) for seed in seeds]

    def alone(self, term: str) -> Weights:
        """The weights, of all terms, of a crawl by one of them."""
        return (tuple(float(each == term) for each in self.terms),) * self.phases

    def _weight(self, term: str, row: tuple[float, ...]) -> float:
        weight = row[self.searched.index(term)] if term in self.searched else 0.0
        if term != PARENT or self.reach == 1.0:
            return self.reach * weight
        return 1.0 - self.reach * (1.0 - weight)

    def _seeds(self) -> list[int]:
        """Distinct seeds; a search with more runs has the same ones and more."""
        rng = np.random.default_rng(self.seed)
        seeds: dict[int, None] = {}
        while len(seeds) < HELD_BACK + CHOOSING + self.runs:
            seeds[int(rng.integers(2**31))] = None
        return list(seeds)


def fitting_length(pages: int) -> int:
    """How long a simulated crawl is where nobody says it: a tenth of the world at the most, else anybody finds all.

    >>> fitting_length(300), fitting_length(3_000_000), fitting_length(4)
    (30, 10000, 1)
    """
    return max(1, min(LONGEST, pages // 10))


def enough_good(crawl_length: int) -> int:
    """How many pages of a world are good at least, so that crawls of this length differ in what they find."""
    return max(1, crawl_length // GOOD_SHARE)


def with_parents(terms: Sequence[str], k: int) -> tuple[str, ...]:
    """Those of these terms that look at most `k` links above a URL: k of PARENT_k is the user's, as the paper has it.

    >>> with_parents(("hub", "parent_1", "parent_2", "parent_3", "host"), 2)
    ('hub', 'parent_1', 'parent_2', 'host')
    """
    left_out = {f"parent_{level}" for level in range(k + 1, LEVELS + 1)}
    return tuple(term for term in terms if term not in left_out)


def digest_of(topic: Topic) -> str:
    """A text that differs for topics that say different things to a crawler."""
    text = msgspec.json.encode(asdict(topic))
    return hashlib.blake2b(text, digest_size=16).hexdigest()


def versions() -> dict[str, str]:
    """The versions of the libraries that may change what a search finds."""
    return {"salticid": __version__, **{name: version(name) for name in ("numba", "numpy")}}


def differences(before: SearchPlan, now: SearchPlan) -> list[str]:
    """In what two plans differ, in words; nothing if they are the same search."""
    changes = []
    for name in SearchPlan.__struct_fields__:
        was, is_now = getattr(before, name), getattr(now, name)
        if was != is_now:
            changes.append(f"{name.replace('_', ' ')} was {_short_text(was)} and is {_short_text(is_now)}")
    return changes


def _short_text(value: object) -> str:
    """A value in a sentence, cut short.

    >>> _short_text(3), _short_text("abc"), _short_text(tuple(range(40)))
    ('3', '"abc"', '[0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17…')
    """
    text = msgspec.json.encode(value).decode()
    return text if len(text) <= 45 else f"{text[:44]}…"


# What is kept of a search after each generation, so that one that was killed goes on as if nothing had been.

FILE = "checkpoint.json"


class Generation(msgspec.Struct, frozen=True):
    """What one generation came to: the fittest of its population, the mean of all, and the weights of the fittest."""

    best: float
    mean: float
    weights: Weights


class State(msgspec.Struct, frozen=True):
    """A search after some generations.

    `history` has an entry for the first population and one for each generation after it. `tried` are all
    weights ever tried, with their fitness. The chance of a generation comes from the plan's seed and its
    number, so no state of a random generator is needed.
    """

    plan: SearchPlan
    population: tuple[Individual, ...] = ()
    history: tuple[Generation, ...] = ()
    tried: tuple[tuple[Weights, float], ...] = ()


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """A file that holds the last state of a search, whole at every moment."""

    folder: Path

    def load(self, plan: SearchPlan) -> State:
        """The state to go on from, an empty one to begin with; a UserError if it is that of another search."""
        file = self.folder / FILE
        try:
            state = msgspec.json.decode(file.read_bytes(), type=State)
        except FileNotFoundError:
            return State(plan)
        except (OSError, msgspec.DecodeError) as error:
            raise UserError(f"cannot read {file}: {error}; remove {self.folder} to begin anew") from None
        if changes := differences(state.plan, plan):
            raise UserError(
                f"{self.folder} holds another search: {'; '.join(changes)}; give the same arguments to go on with it, "
                "or another --out"
            )
        return state

    def save(self, state: State) -> None:
        """Put a state in the place of the one before."""
        partial = self.folder / f".{FILE}.partial"
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            with partial.open("wb") as file:
                file.write(msgspec.json.encode(state))
                file.flush()
                os.fsync(file.fileno())
            partial.replace(self.folder / FILE)
        except OSError as error:
            raise SalticidError(f"cannot keep the search in {self.folder}: {error.strerror}") from None


Watch = Callable[[int], None]
"""Called with the number of individuals that have been tried."""


@dataclass
class Evolution:
    """A search under way, or done; `state` is where it stands, also after a run of the program that died."""

    plan: SearchPlan
    crawlers: Crawlers
    checkpoint: Checkpoint
    state: State = field(init=False)

    def __post_init__(self) -> None:
        self.state = self.checkpoint.load(self.plan)
        self._search = self.plan.searcher()
        self._fitness = dict(self.state.tried)

    @property
    def generation(self) -> int:
        """The generation that comes next, or is under way; 0 is the first population."""
        return len(self.state.history)

    @property
    def trial_count(self) -> int:
        """How many individuals have been tried in the generations that are kept."""
        return self.plan.population * self.generation

    @property
    def total(self) -> int:
        """How many individuals are tried in all: the first population, and as many in each generation."""
        return self.plan.population * (self.plan.generations + 1)

    def run(self, watch: Watch) -> State:
        """Make the generations that are still to be made."""
        while self.generation <= self.plan.generations:
            old = self.state.population
            if not old:
                self._keep(self._individuals(self._search.first(), watch))
            else:
                children = self._individuals(self._search.children(old, self.generation), watch)
                self._keep(self._search.survivors(old, children))
        return self.state

    def _keep(self, population: Sequence[Individual]) -> None:
        leader = best(population)
        mean = fsum(each.fitness for each in population) / len(population)
        history = (*self.state.history, Generation(leader.fitness, mean, leader.weights))
        self.state = State(self.plan, tuple(population), history, tuple(self._fitness.items()))
        self.checkpoint.save(self.state)

    def _individuals(self, genes: list[tuple[float, ...]], watch: Watch) -> list[Individual]:
        """Individuals with their fitness; weights that were tried before are not crawled again."""
        weights = [self._search.weights(each) for each in genes]
        new = [each for each in dict.fromkeys(weights) if each not in self._fitness]
        seeds = self.plan.training_seeds
        trials = [trial for each in new for trial in self.plan.trials(self.plan.spread(each), seeds)]
        results = self.crawlers.map(fitness, trials)
        old = len(genes) - len(new)
        for count, each in enumerate(new, start=1):
            self._fitness[each] = fsum(next(results) for _ in seeds) / len(seeds)
            watch(self.trial_count + old + count)
        return [Individual(one, each, self._fitness[each]) for one, each in zip(genes, weights, strict=True)]


FINALISTS = 5
"""So many did the paper look at."""
LEADERS = 10
"""So many of those that led a generation are looked at, the last ones."""


def finalists(state: State) -> list[Weights]:
    """The fittest weights that a search has ever tried, all different; among equals those tried first."""
    order = sorted(state.tried, key=lambda trial: -trial[1])
    return [weights for weights, _ in order[:FINALISTS]]


def elite(state: State) -> list[Weights]:
    """What the search began with, and the last that led a generation, all different."""
    leaders = dict.fromkeys(each.weights for each in reversed(state.history))
    return list(dict.fromkeys((*state.plan.starts(), *islice(leaders, LEADERS))))


def best_finalist(state: State, crawlers: Crawlers, watch: GroupWatch) -> Weights:
    """The first of those that `ranked_finalists` gives."""
    return ranked_finalists(state, crawlers, watch)[0]


def ranked_finalists(state: State, crawlers: Crawlers, watch: GroupWatch) -> list[Weights]:
    """From the best on by seeds no search has seen; those of the final test are not among them.

    To the letter of the paper they are the fittest. Else they are those of the elite that surely are ahead of what the
    search began with first, which is Best-First, and that itself.
    """
    plan = state.plan
    running = finalists(state) if plan.letter or not plan.known else elite(state)
    seeds = plan.choosing_seeds
    trials = [trial for weights in running for trial in plan.trials(plan.spread(weights), seeds)]
    groups = in_groups(crawlers, fitness, trials, len(seeds), watch)
    places = list(range(len(running)))
    if not plan.letter and plan.known:
        places = [at for at in places if at == 0 or Interval.between(groups[at], groups[0]).low > 0]
    return [running[at] for at in sorted(places, key=lambda at: -fsum(groups[at]))]


# What was found, tried on seeds that were held back: against Best-First, and without each of its terms.


class HeldBack(msgspec.Struct, frozen=True):
    """Fitnesses on the seeds that were held back, in the same order for all: they may be compared in pairs.

    `without` has an entry for each term that has any weight: that weight taken away, the rest shared out anew.
    """

    evolved: list[float]
    best_first: list[float]
    without: dict[str, list[float]]


def held_back(plan: SearchPlan, weights: Weights, crawlers: Crawlers, watch: GroupWatch) -> HeldBack:
    """Crawl with weights of all terms, and with what they are compared with."""
    terms = [(term, at) for at, term in enumerate(plan.terms) if any(row[at] for row in weights)]
    strategies = [weights, plan.alone(PARENT), *(without(weights, at) for _, at in terms)]
    seeds = plan.held_back_seeds
    trials = [trial for each in strategies for trial in plan.trials(each, seeds)]
    evolved, best_first, *others = in_groups(crawlers, fitness, trials, len(seeds), watch)
    return HeldBack(evolved, best_first, {term: part for (term, _), part in zip(terms, others, strict=True)})


def without(weights: Weights, place: int) -> Weights:
    """The same weights without one term, the rest of each phase sharing what it had.

    Where nothing is left, every link has the same rank, and the oldest goes first.

    >>> without(((0.5, 0.25, 0.25), (1.0, 0.0, 0.0)), 0)
    ((0.0, 0.5, 0.5), (0.0, 0.0, 0.0))
    """
    rows = [[0.0 if at == place else weight for at, weight in enumerate(row)] for row in weights]
    return tuple(tuple(weight / (fsum(row) or 1.0) for weight in row) for row in rows)
