"""Runs a search: generation after generation, each kept as soon as it is done."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from math import fsum

from salticid.evolve.checkpoint import Checkpoint, Generation, State
from salticid.evolve.fitness import fitness
from salticid.evolve.optimizer import Individual, best
from salticid.evolve.search_plan import SearchPlan
from salticid.evolve.workers import Crawlers

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
