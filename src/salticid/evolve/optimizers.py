"""Optimizers of strategies: the genetic search of the paper, one over real weights, and their starts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

import msgspec
import numpy as np

from salticid.model import Bools, Floats
from salticid.strategies.linear_rank import LinearRank
from salticid.strategies.parts import TERMS

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


# A strategy as a bit string: seven bits a weight, as the paper has it.

BITS = 7
MOST = 2**BITS - 1
"""The largest weight that seven bits say."""
_PLACES = 2 ** np.arange(BITS - 1, -1, -1, dtype=np.int64)


@dataclass(frozen=True, slots=True)
class Shape:
    """How many weights there are: one for each term, in each phase of a crawl."""

    phases: int
    terms: int

    @property
    def weights(self) -> int:
        """All weights together."""
        return self.phases * self.terms

    @property
    def bits(self) -> int:
        """The length of an individual: 63 for one phase of the paper's nine terms."""
        return BITS * self.weights


def decode(bits: Bools, shape: Shape) -> Floats:
    """The weights that a bit string says, a row for each phase, each row summing to 1.

    The first bit of seven counts most. A phase whose bits are all zero stays zero: every link has the same
    rank there, so that the oldest goes first, which is a breadth-first crawl.

    >>> bits = np.array([0, 0, 0, 0, 0, 1, 1,   0, 0, 0, 0, 0, 0, 1], np.bool_)
    >>> decode(bits, Shape(1, 2)).tolist(), decode(~bits & False, Shape(1, 2)).tolist()
    ([[0.75, 0.25]], [[0.0, 0.0]])
    """
    numbers = bits.reshape(shape.weights, BITS).astype(np.int64) @ _PLACES
    return normalise(numbers.reshape(shape.phases, shape.terms).astype(np.float64))


def encode(weights: Floats) -> Bools:
    """The bit string that says these weights as nearly as seven bits can; the largest of a phase becomes 127.

    >>> decode(encode(np.array([[0.5, 0.25, 0.25]])), Shape(1, 3)).round(2).tolist()
    [[0.5, 0.25, 0.25]]
    """
    largest = weights.max(axis=1, keepdims=True)
    numbers = np.rint(MOST * weights / np.where(largest > 0, largest, 1.0)).astype(np.int64)
    bits: Bools = (numbers.reshape(-1, 1) & _PLACES) > 0
    return bits.reshape(-1)


def normalise(weights: Floats) -> Floats:
    """The same weights, each row summing to 1; a row of zeros stays as it is.

    >>> normalise(np.array([[1.0, 3.0], [0.0, 0.0]])).tolist()
    [[0.25, 0.75], [0.0, 0.0]]
    """
    sums = weights.sum(axis=1, keepdims=True)
    shares: Floats = weights / np.where(sums > 0, sums, 1.0)
    return shares


# The paper's genetic search, to the letter.
#
# Johnson, Tsioutsiouliklis, Giles, "Evolving strategies for focused web crawling", ICML 2003.

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


# A search over the weights themselves, with as many trials as the genetic one: differential evolution.
#
# Storn, Price, "Differential evolution", Journal of Global Optimization 11, 1997 (DE/rand/1/bin).

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


# Strategies that are known to be good, for a search to begin with.

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
