"""Which strategy of a search is taken: the fittest on its few seeds may only have been the luckiest."""

from __future__ import annotations

from itertools import islice
from math import fsum

from salticid.evolve.checkpoint import State
from salticid.evolve.fitness import fitness
from salticid.evolve.interval import Interval
from salticid.evolve.optimizer import Weights
from salticid.evolve.workers import Crawlers, GroupWatch, in_groups

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
