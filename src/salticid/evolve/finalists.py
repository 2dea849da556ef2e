"""Which of the fittest is taken: the fittest on the few seeds of a search may only have been the luckiest."""

from __future__ import annotations

from math import fsum

from salticid.evolve.checkpoint import State
from salticid.evolve.fitness import fitness
from salticid.evolve.optimizer import Weights
from salticid.evolve.workers import Crawlers, GroupWatch, in_groups

FINALISTS = 5
"""So many did the paper look at."""


def finalists(state: State) -> list[Weights]:
    """The fittest weights that a search has ever tried, all different; among equals those tried first."""
    order = sorted(state.tried, key=lambda trial: -trial[1])
    return [weights for weights, _ in order[:FINALISTS]]


def best_finalist(state: State, crawlers: Crawlers, watch: GroupWatch) -> Weights:
    """The finalist that does best on seeds no search has seen; those of the final test are not among them."""
    plan, running = state.plan, finalists(state)
    seeds = plan.choosing_seeds
    trials = [trial for weights in running for trial in plan.trials(plan.spread(weights), seeds)]
    sums = list(map(fsum, in_groups(crawlers, fitness, trials, len(seeds), watch)))
    return running[max(range(len(running)), key=sums.__getitem__)]
