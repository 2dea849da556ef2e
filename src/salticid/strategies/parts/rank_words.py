"""How the words in and around links match a topic."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from salticid.model import Ints
from salticid.protocols import Brief
from salticid.snapshots import in_snapshot
from salticid.strategies.parts.base import keywords_of
from salticid.strategies.parts.spans import Places, Spans
from salticid.text.bags import Bag
from salticid.text.stems import Stems

AROUND = 10
"""So many words on each side of an anchor are its context."""

Singles = npt.NDArray[np.float32]


class Stretch(NamedTuple):
    """Spans of a stream of words, one for each link: its anchor `begin` to `end`, within its page `low` to `high`."""

    begin: Places
    end: Places
    low: Places | int
    high: Places | int


@in_snapshot(_stems=Stems, _keywords=Bag)
class LinkWords:
    """The cosine of the keywords with the anchor of a link, and with the anchor and the words around it.

    On stems. Scores are rounded to single precision, in which a world keeps them.
    """

    def __init__(self, brief: Brief) -> None:
        self._stems = Stems.of_brief(brief)
        self._keywords = keywords_of(brief, self._stems)

    def scores(self, words: Ints, links: Stretch) -> tuple[Singles, Singles]:
        """The anchor scores and the context scores of links in a stream of word ids, in single precision."""
        spans = Spans(self._keywords, self._stems.of(words))
        anchor = spans.cosines(links.begin, links.end)
        begin, end = np.maximum(links.begin - AROUND, links.low), np.minimum(links.end + AROUND, links.high)
        context = spans.cosines(begin, end)
        return anchor.astype(np.float32), context.astype(np.float32)
