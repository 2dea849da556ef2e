"""How the words in and around links match a topic."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from salticid.model import Floats, Ints
from salticid.protocols import Brief
from salticid.strategies.parts.keywords import keywords_of
from salticid.text.bags import Bag
from salticid.text.stems import STOP, Stems

AROUND = 10
"""So many words on each side of an anchor are its context."""

Places = npt.NDArray[np.int64]
Singles = npt.NDArray[np.float32]


class Stretch(NamedTuple):
    """Spans of a stream of words, one for each link: its anchor `begin` to `end`, within its page `low` to `high`."""

    begin: Places
    end: Places
    low: Places | int
    high: Places | int


class LinkWords:
    """The cosine of the keywords with the anchor of a link, and with the anchor and the words around it.

    On stems and raw frequencies. All sums are of whole numbers, so that the order of words and the number of
    links looked at together change nothing. Scores are rounded to single precision, in which a world keeps them.
    """

    def __init__(self, brief: Brief) -> None:
        self._stems = Stems(brief.words, brief.language)
        self._keywords = keywords_of(brief, self._stems)

    def scores(self, words: Ints, links: Stretch) -> tuple[Singles, Singles]:
        """The anchor scores and the context scores of links in a stream of word ids, in single precision."""
        stems = self._stems.of(words)
        hits = _running(self._keywords, stems)
        anchor = _cosines(self._keywords, stems, hits, links.begin, links.end)
        begin, end = np.maximum(links.begin - AROUND, links.low), np.minimum(links.end + AROUND, links.high)
        context = _cosines(self._keywords, stems, hits, begin, end)
        return anchor.astype(np.float32), context.astype(np.float32)


def _running(query: Bag, stems: Ints) -> Places:
    """For each place of a stream what the stems before it have in common with the query."""
    at = np.minimum(query.terms.searchsorted(stems), len(query.terms) - 1)
    shared = np.where(query.terms[at] == stems, query.counts[at], 0)
    return np.concatenate((np.zeros(1, np.int64), np.cumsum(shared, dtype=np.int64)))


def _cosines(query: Bag, stems: Ints, hits: Places, begin: Places, end: Places) -> Floats:
    """The cosine of the query with each span of a stream.

    >>> query, stems = Bag.of([3, 5]), np.array([3, 3, 9, 0, 5], np.int32)
    >>> begin, end = np.array([0, 2, 3]), np.array([4, 4, 5])
    >>> _cosines(query, stems, _running(query, stems), begin, end).round(4).tolist()
    [0.6325, 0.0, 0.7071]
    """
    cosines = np.zeros(len(begin))
    common = hits[end] - hits[begin]
    found = np.flatnonzero(common)
    if len(found):
        norms = query.norm * np.sqrt(_squares(stems, begin[found], end[found]))
        cosines[found] = np.minimum(1.0, common[found] / norms)
    return cosines


def _squares(stems: Ints, begin: Places, end: Places) -> Floats:
    """The squared norm of the bag of each span."""
    sizes = end - begin
    span = np.repeat(np.arange(len(sizes)), sizes)
    terms = stems[np.arange(len(span)) + np.repeat(begin - (np.cumsum(sizes) - sizes), sizes)]
    kept = terms != STOP
    keys = np.sort(span[kept] << 32 | terms[kept])
    first = np.concatenate(([0], np.flatnonzero(keys[1:] != keys[:-1]) + 1))
    counts = np.diff(first, append=len(keys)).astype(np.float64)
    return np.bincount(keys[first] >> 32, counts * counts, len(sizes)).astype(np.float64)
