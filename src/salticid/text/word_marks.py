"""What is asked of every word again and again: a number made of its text, and whether it is a stop word at home."""

from __future__ import annotations

from zlib import crc32

import numpy as np
import numpy.typing as npt

from salticid.columns import distinct, grow
from salticid.model import Bools, Ints
from salticid.native import at as address
from salticid.native import lib
from salticid.protocols import Table
from salticid.snapshots import in_snapshot
from salticid.text import language


@in_snapshot("_words", "_stop", number=np.uint32, is_stop=np.bool_, known=np.bool_)
class WordMarks:
    """For each word a number that its text alone decides, and whether a language calls it a stop word.

    >>> from salticid.tables import Texts
    >>> words = Texts()
    >>> ids = np.array([words.intern(word) for word in ("the", "spider")])
    >>> marks = WordMarks(words, "en")
    >>> marks.learn(ids)
    >>> marks.number[ids].tolist() == [crc32(b"the"), crc32(b"spider")], marks.is_stop[ids].tolist()
    (True, [True, False])
    """

    def __init__(self, words: Table, code: str) -> None:
        self._words, self._stop = words, language.stop_words(code)
        self.number: npt.NDArray[np.uint32] = np.zeros(1024, np.uint32)
        self.is_stop: Bools = np.zeros(1024, np.bool_)
        self.known: Bools = np.zeros(1024, np.bool_)

    def learn(self, tokens: Ints) -> None:
        """Make sure that these are known; before anything is asked about them."""
        if len(self._words) > len(self.known):
            size = len(self._words)
            self.number, self.is_stop = grow(self.number, size), grow(self.is_stop, size)
            self.known = grow(self.known, size)
        news = self._unknown(tokens)
        if not len(news):
            return
        texts = self._words.spell(news.tolist())
        self.number[news] = list(map(crc32, map(str.encode, texts)))
        self.is_stop[news] = list(map(self._stop.__contains__, texts))
        self.known[news] = True

    def _unknown(self, tokens: Ints) -> Ints:
        if lib is None or tokens.dtype != np.int32:
            return distinct(tokens[~self.known[tokens]])
        news = np.empty(len(tokens), np.int32)
        many = lib.words_without_marks(
            address(tokens), len(tokens), address(self.known), len(self.known), address(news)
        )
        return news[:many]
