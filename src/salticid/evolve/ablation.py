"""What was found, tried on seeds that were held back: against Best-First, and without each of its terms."""

from __future__ import annotations

from math import fsum

import msgspec

from salticid.evolve.fitness import fitness
from salticid.evolve.known_starts import PARENT
from salticid.evolve.optimizer import Weights
from salticid.evolve.search_plan import SearchPlan
from salticid.evolve.workers import Crawlers, GroupWatch, in_groups


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
