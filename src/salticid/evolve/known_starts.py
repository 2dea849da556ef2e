"""Strategies that are known to be good, for a search to begin with."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from salticid.evolve.genome import normalise
from salticid.evolve.optimizer import Weights, plain
from salticid.strategies.linear_rank import LinearRank
from salticid.strategies.parts.rank_terms import TERMS

PARENT = "parent_1"
"""A crawl by this term alone is the paper's Best-First."""
BEST_FIRST: Mapping[str, float] = {PARENT: 1.0}
THE_PAPERS: Mapping[str, float] = {term: getattr(LinearRank(), term) for term in TERMS}
"""What the paper found."""
WITH_WORDS: Mapping[str, float] = {"parent_1": 0.65, "anchor": 0.15, "context": 0.2}
WITH_COMMUNITY: Mapping[str, float] = {
    "comm_in": 0.25,
    "parent_1": 0.3,
    "parent_2": 0.1,
    "parent_3": 0.05,
    "anchor": 0.15,
    "context": 0.15,
}
"""What searches for eight subjects of schools-wikipedia had in common."""
KNOWN = (BEST_FIRST, THE_PAPERS, WITH_WORDS, WITH_COMMUNITY)


def known_starts(terms: Sequence[str], phases: int) -> tuple[Weights, ...]:
    """Their weights of these terms, the same in all phases, Best-First's first.

    >>> known_starts(("hub", "parent_1", "anchor"), 1)[0]
    ((0.0, 1.0, 0.0),)
    """
    return tuple(row_for_all(weights, terms, phases) for weights in KNOWN)


def within_reach(weights: Weights, terms: Sequence[str], reach: float) -> Weights:
    """What has to be sought so that strategies of this reach have these weights, or come as near as they can.

    >>> within_reach(((0.875, 0.125),), ("parent_1", "anchor"), 0.25)
    ((0.5, 0.5),)
    >>> within_reach(((0.0, 1.0),), ("parent_1", "anchor"), 0.25)
    ((0.0, 1.0),)
    """
    rest = (1.0 - reach) * np.array([float(term == PARENT) for term in terms])
    return plain(normalise(np.maximum(np.array(weights) - rest, 0.0)))


def row_for_all(weights: Mapping[str, float], terms: Sequence[str], phases: int) -> Weights:
    """Weights by name as those of these terms, in all phases."""
    row = np.array([[weights.get(term, 0.0) for term in terms]])
    return plain(np.repeat(normalise(row), phases, axis=0))
