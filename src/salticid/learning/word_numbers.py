"""Words as they are, without stems: word ids to the numbers of one learner."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from salticid.columns import grow
from salticid.model import Ints
from salticid.protocols import Table
from salticid.snapshots import in_snapshot
from salticid.text import language, stems

STOP = 0
"""The number of every stop word: no word at all."""
_UNKNOWN = -1


@in_snapshot("_words", "_stop", "_world_stems", _of=np.int32, _number_of_text=dict[str, int], _next=int)
class WordNumbers:
    """Word id -> number, and text -> number for words that no page has used yet.

    A learner may know words, of a language or of another world, long before the crawl's table does. They
    get their numbers here, so that learning adds nothing to the table that all others share.

    >>> from salticid.tables import Texts
    >>> words = Texts()
    >>> vocabulary = WordNumbers(words, "en")
    >>> vocabulary.numbers(["spiders", "the"])
    [1, 0]
    >>> vocabulary.of(np.array([words.intern(w) for w in ("the", "spider", "spiders")])).tolist()
    [0, 2, 1]
    """

    def __init__(self, words: Table, code: str) -> None:
        self._words = words
        self._stop = language.stop_words(code)
        self._world_stems = words.stems(language.rules(code))
        self._of = np.full(1024, _UNKNOWN, np.int32)
        self._number_of_text: dict[str, int] = {}
        self._next = STOP + 1

    def of(self, words: Ints) -> Ints:
        """The number of each word; STOP for stop words."""
        self._of = grow(self._of, len(self._words), _UNKNOWN)
        numbers: Ints = self._of[words]
        if numbers.size and numbers.min() == _UNKNOWN:
            self._meet(np.unique(words[numbers == _UNKNOWN]))
            numbers = self._of[words]
        return numbers

    def numbers(self, texts: Sequence[str]) -> list[int]:
        """The number of each text, whether or not the table of words has seen it."""
        ids = [self._words.find(text) for text in texts]
        numbers = iter(self.of(np.array([at for at in ids if at >= 0], np.int32)).tolist())
        return [next(numbers) if at >= 0 else self._expect(text) for text, at in zip(texts, ids, strict=True)]

    def texts(self) -> dict[int, str]:
        """Every number given, with its text."""
        words = np.flatnonzero(self._of > STOP)
        texts = zip(self._of[words].tolist(), self._words.spell(words.tolist()), strict=True)
        return {**dict(texts), **{number: text for text, number in self._number_of_text.items()}}

    def _meet(self, words: Ints) -> None:
        """Give numbers to new word ids; only those are spelled that the world has no stem for."""
        split = 0 if self._world_stems is None else int(words.searchsorted(len(self._world_stems.of)))
        numbers = np.full(len(words), _UNKNOWN, np.int32)
        if self._world_stems is not None:
            numbers[:split][self._world_stems.of[words[:split]] == stems.STOP] = STOP
        stop, number_of_text = self._stop, self._number_of_text
        texts = self._words.spell(words[split:].tolist())
        numbers[split:] = [STOP if text in stop else number_of_text.pop(text, _UNKNOWN) for text in texts]
        new = numbers == _UNKNOWN
        numbers[new] = np.arange(self._next, self._next + np.count_nonzero(new))
        self._next += int(np.count_nonzero(new))
        self._of[words] = numbers

    def _expect(self, text: str) -> int:
        if text in self._stop:
            return STOP
        if text not in self._number_of_text:
            self._number_of_text[text] = self._next
            self._next += 1
        return self._number_of_text[text]
