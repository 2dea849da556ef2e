"""Pages as vectors of stems, and sums of such."""

from __future__ import annotations

from collections.abc import Sequence
from math import fsum, sqrt
from typing import NamedTuple

import numpy as np

from salticid.exact import logs_of_counts
from salticid.model import Floats, Ints
from salticid.native import at, lib
from salticid.snapshots import in_snapshot
from salticid.text import Bag


@in_snapshot()
class StemVector(NamedTuple):
    """Weights beside the stems they belong to, each stem once.

    Lengths and products are rounded once, from the exact sum, so that the numbering of stems, which is
    accidental, changes nothing.
    """

    stems: Ints
    weights: Floats

    @property
    def length(self) -> float:
        """The Euclidean length."""
        return length_of(self.weights)

    def unit(self) -> StemVector:
        """The same direction at length 1; nothing stays nothing."""
        return StemVector(self.stems, self.weights / (self.length or 1.0))

    def times(self, factor: float) -> StemVector:
        """The same direction at another length."""
        return StemVector(self.stems, self.weights * factor)

    def cosine(self, dense: Floats, length: float) -> float:
        """The cosine with a vector given as one weight for each stem and its length; 0 if either is empty."""
        product = self.product(dense)
        return min(1.0, product / (self.length * length)) if product else 0.0

    def product(self, dense: Floats) -> float:
        """The exact sum of the products with one weight for each stem; a stem that is beyond them adds nothing."""
        if lib is not None:
            product: float = lib.exact_product(at(self.stems), at(self.weights), len(self.stems), at(dense), len(dense))
            return product
        inside = self.stems < len(dense)
        return fsum((self.weights[inside] * dense[self.stems[inside]]).tolist())


@in_snapshot(_vectors="tuple[StemVector, ...]", _stems=np.int32, _weights=np.float64, _ends=np.int64)
class Stack:
    """Many vectors, one after the other, which go through the same sums."""

    def __init__(self, vectors: Sequence[StemVector]) -> None:
        self._vectors = tuple(vectors)
        self._stems = np.concatenate([np.zeros(0, np.int32), *(vector.stems for vector in vectors)])
        self._weights = np.concatenate([np.zeros(0), *(vector.weights for vector in vectors)])
        self._ends = np.cumsum([len(vector.stems) for vector in vectors], dtype=np.int64)

    def products(self, dense: Floats) -> list[float]:
        """The `product` of each."""
        if lib is None or not self._vectors:
            return [vector.product(dense) for vector in self._vectors]
        products = np.empty(len(self._vectors))
        lib.exact_products(
            at(self._stems),
            at(self._weights),
            at(self._ends),
            len(products),
            at(dense),
            len(dense),
            at(products),
        )
        result: list[float] = products.tolist()
        return result

    def total(self, size: int, times: Sequence[float] | None = None) -> Floats:
        """The sum of all, each so many times, one weight for each of the first `size` stems."""
        dense, factors = np.zeros(size), [1.0] * len(self._vectors) if times is None else times
        if lib is None or not self._vectors:
            for vector, factor in zip(self._vectors, factors, strict=True):
                dense[vector.stems] += factor * vector.weights
            return dense
        each = np.array(factors)
        lib.add_weights(
            at(dense), size, at(self._stems), at(self._weights), at(self._ends), len(self._vectors), at(each)
        )
        return dense


def log_vector(bag: Bag) -> StemVector:
    """1 + log f for a stem that occurs f times, at length 1."""
    return StemVector(bag.terms, 1.0 + logs_of_counts(bag.counts.astype(np.int64))).unit()


def total(vectors: Sequence[StemVector], size: int) -> Floats:
    """The sum of vectors, one weight for each of the first `size` stems."""
    return Stack(vectors).total(size)


def dense_product(one: Floats, other: Floats) -> float:
    """The exact sum of the products of two vectors given as one weight for each stem."""
    if lib is None:
        return fsum((one * other).tolist())
    product: float = lib.exact_dense_product(at(one), at(other), min(len(one), len(other)))
    return product


def length_of(dense: Floats) -> float:
    """The Euclidean length of a vector given as one weight for each stem."""
    return sqrt(dense_product(dense, dense))
