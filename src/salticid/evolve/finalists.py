"""Which strategy of a search is taken, and what it is worth on seeds that were held back."""

from __future__ import annotations

from itertools import islice
from math import fsum

import msgspec

from salticid.evolve.fitness import Interval, fitness
from salticid.evolve.optimizers import PARENT, Weights
from salticid.evolve.search import SearchPlan, State
from salticid.evolve.simulation import Crawlers, GroupWatch, in_groups

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
