"""The paper's genetic search, to the letter.

Johnson, Tsioutsiouliklis, Giles, "Evolving strategies for focused web crawling", ICML 2003.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from salticid.evolve.genome import Shape, decode, encode
from salticid.evolve.optimizer import Individual, Weights, chance, plain
from salticid.model import Bools, Floats

CROSSOVER = 0.9
MUTATION = 0.01


@dataclass(frozen=True, slots=True)
class Genetic:
    """Bit strings; roulette selection, one-point crossover, one bit flipped now and then; the best half survives.

    `known` are weights to begin with, from earlier searches; the rest of the first population is drawn.
    """

    shape: Shape
    size: int
    seed: int
    known: tuple[Weights, ...] = ()

    def first(self) -> list[tuple[float, ...]]:
        """What is known, and random bits to fill up."""
        start = [encode(np.array(weights)) for weights in self.known[: self.size]]
        others = chance(self.seed, 0).random((self.size - len(start), self.shape.bits)) < 0.5
        return [_genes(bits) for bits in (*start, *others)]

    def children(self, population: Sequence[Individual], generation: int) -> list[tuple[float, ...]]:
        """As many new ones as there are old ones, so that the population doubles."""
        rng = chance(self.seed, generation)
        fitness = np.array([each.fitness for each in population])
        bit_strings: list[Bools] = []
        while len(bit_strings) < self.size:
            pair = [_bits(population[roulette(fitness, rng.random())].genes) for _ in range(2)]
            if rng.random() < CROSSOVER:
                pair = list(cross(pair[0], pair[1], int(rng.integers(self.shape.bits + 1))))
            for child in pair:
                if rng.random() < MUTATION:
                    child = flip(child, int(rng.integers(self.shape.bits)))
                bit_strings.append(child)
        return [_genes(bits) for bits in bit_strings[: self.size]]

    def survivors(self, population: Sequence[Individual], children: Sequence[Individual]) -> list[Individual]:
        """The best half of old and new; among equals the older."""
        return sorted((*population, *children), key=lambda each: -each.fitness)[: self.size]

    def weights(self, genes: tuple[float, ...]) -> Weights:
        """What the bits say, normalised."""
        return plain(decode(_bits(genes), self.shape))


def roulette(fitness: Floats, spin: float) -> int:
    """Where a ball comes to rest on a wheel with a slot for each, as wide as it is fit; `spin` is in 0..1.

    If nobody is fit at all, the slots are equal.

    >>> wheel = np.array([0.1, 0.3, 0.0, 0.6])
    >>> [roulette(wheel, spin) for spin in (0.05, 0.15, 0.39, 0.41, 0.99)], roulette(np.zeros(4), 0.5)
    ([0, 1, 1, 3, 3], 2)
    """
    ends = np.cumsum(fitness if fitness.any() else np.ones(len(fitness)))
    place = int(np.searchsorted(ends, spin * ends[-1], "right"))
    return min(place, int(np.searchsorted(ends, ends[-1])))


def cross(one: Bools, other: Bools, point: int) -> tuple[Bools, Bools]:
    """Each with its first `point` bits, and the other's after them.

    >>> a, b = cross(np.ones(4, np.bool_), np.zeros(4, np.bool_), 1)
    >>> a.astype(int).tolist(), b.astype(int).tolist()
    ([1, 0, 0, 0], [0, 1, 1, 1])
    """
    return np.concatenate([one[:point], other[point:]]), np.concatenate([other[:point], one[point:]])


def flip(bits: Bools, place: int) -> Bools:
    """The same with one bit turned over."""
    copy = bits.copy()
    copy[place] = not copy[place]
    return copy


def _bits(genes: tuple[float, ...]) -> Bools:
    return np.array(genes, np.bool_)


def _genes(bits: Bools) -> tuple[float, ...]:
    return tuple(map(float, bits))
