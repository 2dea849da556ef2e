"""Bags of terms, and the cosine between two of them."""

from __future__ import annotations

from dataclasses import dataclass
from math import sqrt
from typing import Any

import numpy as np
import numpy.typing as npt

from salticid.model import Ints
from salticid.snapshots import in_snapshot
from salticid.text.stems import STOP


@in_snapshot()
@dataclass(frozen=True, slots=True, eq=False)
class Bag:
    """How often each term occurs: `terms` ascending and distinct, `counts` beside them.

    >>> query, page = Bag.of([3, 5]), Bag.of([3, 3, 9, 0])
    >>> page.terms.tolist(), page.counts.tolist(), round(query.cosine(page), 4)
    ([3, 9], [2, 1], 0.6325)
    """

    terms: Ints
    counts: npt.NDArray[np.integer[Any]]
    norm: float

    @classmethod
    def of(cls, stems: Ints | list[int]) -> Bag:
        """Count the stems of a text; stop words are dropped."""
        terms = np.sort(np.asarray(stems, np.int32))
        terms = terms[terms.searchsorted(STOP, "right") :]
        if not len(terms):
            return cls(terms, terms, 0.0)
        first = np.concatenate(([0], np.flatnonzero(terms[1:] != terms[:-1]) + 1))
        counts = np.concatenate((first[1:], [len(terms)])) - first
        return cls(terms[first], counts, sqrt(int(counts @ counts)))

    def cosine(self, other: Bag) -> float:
        """sum f_k g_k / (|f| |g|) on raw frequencies; 0 when either is empty. Quick for a small self."""
        if not self.norm or not other.norm:
            return 0.0
        at = other.terms.searchsorted(self.terms)
        at[at == len(other.terms)] = 0
        is_shared = other.terms[at] == self.terms
        product = int(self.counts[is_shared] @ other.counts[at[is_shared]])
        return min(1.0, product / (self.norm * other.norm))

    def cosine_by(self, product: int, square: int) -> float:
        """The same, given sum f_k g_k and |g| squared."""
        return min(1.0, product / (self.norm * sqrt(square))) if self.norm and square else 0.0
