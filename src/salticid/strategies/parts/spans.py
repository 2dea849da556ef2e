"""How spans of a stream of words match a query, all of them at once."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from salticid.model import Floats, Ints
from salticid.text.bags import Bag
from salticid.text.stems import STOP

Places = npt.NDArray[np.int64]


class Spans:
    """The cosines of a query, which has a term, with spans of a stream of stems, on raw frequencies.

    All sums are of whole numbers, so that the order of words and the number of spans looked at together change
    nothing.

    >>> spans = Spans(Bag.of([3, 5]), np.array([3, 3, 9, 0, 5], np.int32))
    >>> spans.cosines(np.array([0, 2, 3]), np.array([4, 4, 5])).round(4).tolist()
    [0.6325, 0.0, 0.7071]
    """

    def __init__(self, query: Bag, stems: Ints) -> None:
        self._query, self._stems = query, stems
        at = np.minimum(query.terms.searchsorted(stems), len(query.terms) - 1)
        counts = np.where(query.terms[at] == stems, query.counts[at], 0)
        self._hits = np.concatenate((np.zeros(1, np.int64), np.cumsum(counts, dtype=np.int64)))

    def cosines(self, begin: Ints | Places, end: Ints | Places) -> Floats:
        """The cosine of the query with each span `stems[begin:end]`."""
        cosines = np.zeros(len(begin))
        common = self._hits[end] - self._hits[begin]
        hits = np.flatnonzero(common)
        if len(hits):
            norms = self._query.norm * np.sqrt(_squares(self._stems, begin[hits], end[hits]))
            cosines[hits] = np.minimum(1.0, common[hits] / norms)
        return cosines


def _squares(stems: Ints, begin: Ints | Places, end: Ints | Places) -> Floats:
    """The squared norm of the bag of each span, none of them without a term."""
    sizes = (end - begin).astype(np.int64)
    span = np.repeat(np.arange(len(sizes)), sizes)
    terms = stems[np.arange(len(span)) + np.repeat(begin - (np.cumsum(sizes) - sizes), sizes)]
    words = terms != STOP
    keys = np.sort(span[words] << 32 | terms[words])
    first = np.concatenate(([0], np.flatnonzero(keys[1:] != keys[:-1]) + 1))
    # In floats, exact up to 2**53; a hostile page repeats a word often enough to overflow an int32.
    counts = np.diff(first, append=len(keys)).astype(np.float64)
    return np.bincount(keys[first] >> 32, counts * counts, len(sizes)).astype(np.float64)
