"""How near words are to a topic in meaning, by word vectors."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

import numpy as np
import numpy.typing as npt

from salticid.columns import grow
from salticid.model import Floats, Ints, Page
from salticid.protocols import Table
from salticid.snapshots import in_snapshot, rows
from salticid.text.stems import STOP, Stems
from salticid.text.tokens import letter_runs

MOST_STEMS = 50_000
"""Stems that turn up later have no meaning: by then the words of the topic are known."""


class Vectors(Protocol):
    """Words as places in a space where related ones are near."""

    def of(self, words: Sequence[str]) -> Floats:
        """A row for each word, at length 1; zeros for a word nobody knows."""
        ...


_Vectors = rows(np.float32)


@in_snapshot(
    "_vectors", "_words", _stems=Stems, _stem_list=list[int], _has_vector=np.bool_,
    _rows="list[_Vectors]",
)  # fmt: skip
class Meanings:
    """The vectors of the stems met so far: that of the first word met with each.

    Only what a page has shown is looked up, in reading order, so that neither ids nor words of pages that
    nobody has fetched have a say.
    """

    def __init__(self, vectors: Vectors, words: Table, stems: Stems) -> None:
        self._vectors, self._words, self._stems = vectors, words, stems
        self._stem_list: list[int] = []
        self._has_vector = np.zeros(1024, np.bool_)
        self._has_vector[STOP] = True
        self._rows: list[npt.NDArray[np.float32]] = []

    def meet(self, page: Page) -> None:
        """Look up the stems of a page that are new."""
        stems = self._stems.of(page.tokens)
        unknown = np.flatnonzero(~self._has(stems))
        first = unknown[np.sort(np.unique(stems[unknown], return_index=True)[1])]
        if len(first):
            self._look_up(stems[first].tolist(), self._words.spell(page.tokens[first].tolist()))

    def meet_text(self, text: str) -> None:
        """Look up the stems of what a person wrote."""
        for word in letter_runs(text):
            for stem in self._stems.terms(word):
                if not self._has(np.array([stem], np.int32))[0]:
                    self._look_up([stem], [word])

    def near(self, topic: Floats) -> Floats:
        """For each stem, how much nearer it is in meaning to the topic's than the usual stem; 0 at least.

        `topic` has a weight for each stem; those above 0 say where the topic is.
        """
        nearness = np.zeros(len(topic))
        if self._stem_list:
            rows = np.concatenate(self._rows).astype(np.float64)
            self._rows = [rows.astype(np.float32)]
            place = np.maximum(topic[self._stem_list], 0.0) @ rows
            cosines = rows @ (place / (np.sqrt(place @ place) or 1.0))
            has_vector = rows.any(axis=1)
            usual = cosines[has_vector].mean() if has_vector.any() else 0.0
            nearness[self._stem_list] = np.where(has_vector, np.maximum(cosines - usual, 0.0), 0.0)
        return nearness

    def _has(self, stems: Ints) -> npt.NDArray[np.bool_]:
        self._has_vector = grow(self._has_vector, len(self._stems))
        rows: npt.NDArray[np.bool_] = self._has_vector[stems]
        return rows

    def _look_up(self, stems: list[int], words: list[str]) -> None:
        room = MOST_STEMS - len(self._stem_list)
        if room > 0:
            self._has_vector[stems[:room]] = True
            self._stem_list += stems[:room]
            self._rows.append(self._vectors.of(words[:room]).astype(np.float32))
