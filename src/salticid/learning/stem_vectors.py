"""Pages as vectors of stems, and sums of such."""

from __future__ import annotations

from collections.abc import Sequence
from math import fsum, sqrt
from typing import NamedTuple

import numpy as np

from salticid.exact import logs_of_counts
from salticid.model import Floats, Ints
from salticid.text.bags import Bag


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
        return sqrt(fsum((self.weights * self.weights).tolist()))

    def unit(self) -> StemVector:
        """The same direction at length 1; nothing stays nothing."""
        return StemVector(self.stems, self.weights / (self.length or 1.0))

    def times(self, factor: float) -> StemVector:
        """The same direction at another length."""
        return StemVector(self.stems, self.weights * factor)

    def cosine(self, dense: Floats, length: float) -> float:
        """The cosine with a vector given as one weight for each stem and its length; 0 if either is empty."""
        inside = self.stems < len(dense)
        product = fsum((self.weights[inside] * dense[self.stems[inside]]).tolist())
        return min(1.0, product / (self.length * length)) if product else 0.0


def log_vector(bag: Bag) -> StemVector:
    """1 + log f for a stem that occurs f times, at length 1."""
    return StemVector(bag.terms, 1.0 + logs_of_counts(bag.counts.astype(np.int64))).unit()


def total(vectors: Sequence[StemVector], size: int) -> Floats:
    """The sum of vectors, one weight for each of the first `size` stems."""
    dense = np.zeros(size)
    for vector in vectors:
        dense[vector.stems] += vector.weights
    return dense


def length_of(dense: Floats) -> float:
    """The Euclidean length of a vector given as one weight for each stem."""
    weights = dense[dense != 0.0]
    return sqrt(fsum((weights * weights).tolist()))
