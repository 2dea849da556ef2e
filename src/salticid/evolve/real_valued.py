"""A search over the weights themselves, with as many trials as the genetic one: differential evolution.

Storn, Price, "Differential evolution", Journal of Global Optimization 11, 1997 (DE/rand/1/bin).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from salticid.evolve.genome import Shape, normalise
from salticid.evolve.optimizer import Individual, Weights, chance, plain
from salticid.model import Floats

STEP = 0.5
CROSSING = 0.9


@dataclass(frozen=True, slots=True)
class RealValued:
    """Each individual has one child a generation, made of it and the difference of two others; the fitter one stays.

    Genes are numbers from 0 to 1; weights are their shares. `known` are weights to begin with.
    """

    shape: Shape
    size: int
    seed: int
    known: tuple[Weights, ...] = ()

    def first(self) -> list[tuple[float, ...]]:
        """What is known, and even draws to fill up."""
        start = [_stretch(np.array(weights)).reshape(-1) for weights in self.known[: self.size]]
        others = chance(self.seed, 0).random((self.size - len(start), self.shape.weights))
        return [tuple(genes.tolist()) for genes in (*start, *others)]

    def children(self, population: Sequence[Individual], generation: int) -> list[tuple[float, ...]]:
        """One for each, in their order."""
        rng = chance(self.seed, generation)
        genes = np.array([each.genes for each in population])
        return [tuple(self._child(genes, place, rng).tolist()) for place in range(self.size)]

    def survivors(self, population: Sequence[Individual], children: Sequence[Individual]) -> list[Individual]:
        """The fitter of child and parent; the child if they are equal, so that it may drift."""
        pairs = zip(population, children, strict=True)
        return [child if child.fitness >= parent.fitness else parent for parent, child in pairs]

    def weights(self, genes: tuple[float, ...]) -> Weights:
        """The shares of the genes, phase by phase."""
        return plain(normalise(np.array(genes).reshape(self.shape.phases, self.shape.terms)))

    def _child(self, genes: Floats, place: int, rng: np.random.Generator) -> Floats:
        others = np.resize(rng.permutation([other for other in range(self.size) if other != place]), 3)
        base, plus, minus = genes[others]
        mutant = np.clip(base + STEP * (plus - minus), 0.0, 1.0)  # zero is a fair weight, so stop there
        crossing = rng.random(self.shape.weights) < CROSSING
        crossing[rng.integers(self.shape.weights)] = True
        child: Floats = np.where(crossing, mutant, genes[place])
        return child


def _stretch(weights: Floats) -> Floats:
    """The same shares, the largest of each phase being 1."""
    largest = weights.max(axis=1, keepdims=True)
    genes: Floats = weights / np.where(largest > 0, largest, 1.0)
    return genes
