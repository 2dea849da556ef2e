"""A strategy as a bit string: seven bits a weight, as the paper has it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from salticid.model import Bools, Floats

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
