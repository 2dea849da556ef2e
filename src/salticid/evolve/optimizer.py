"""What a search is: it proposes individuals to try, and receives their fitness."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

import msgspec
import numpy as np

from salticid.model import Floats

Row = tuple[float, ...]
Weights = tuple[Row, ...]
"""A row of weights for each phase, as plain data."""


class Individual(msgspec.Struct, frozen=True):
    """A strategy that was tried: what it is made of, the weights that says, and its fitness.

    `genes` are bits for the genetic search and numbers from 0 to 1 for the real-valued one.
    """

    genes: tuple[float, ...]
    weights: Weights
    fitness: float


class Optimizer(Protocol):
    """Finds strategies generation by generation.

    It is a function of its settings, the seed and the population: the chance of a generation is drawn from
    its number, so that a search goes on from its population alone.
    """

    def first(self) -> list[tuple[float, ...]]:
        """The genes of the first population."""
        ...

    def children(self, population: Sequence[Individual], generation: int) -> list[tuple[float, ...]]:
        """The genes that this generation, counted from 1, tries."""
        ...

    def survivors(self, population: Sequence[Individual], children: Sequence[Individual]) -> list[Individual]:
        """Who makes the next population; as many as before."""
        ...

    def weights(self, genes: tuple[float, ...]) -> Weights:
        """The weights that genes stand for."""
        ...


def chance(seed: int, generation: int) -> np.random.Generator:
    """All that is left to chance in a generation."""
    return np.random.default_rng([seed, generation])


def plain(weights: Floats) -> Weights:
    """Weights as plain data."""
    return tuple(tuple(row) for row in weights.tolist())


def best(population: Sequence[Individual]) -> Individual:
    """The fittest, among equals the first."""
    return max(population, key=lambda each: each.fitness)
