"""Ids by text, in fourteen bytes each.

Of a text only the hash is kept, 64 bits under a key that is new in every run (of ten million texts two share one once
in 400,000 crawls). It is found by open addressing over two flat arrays, one of slots that hold ids, one of hashes by
id. Nobody can foresee the hashes, so that no choice of texts makes the search slow; where a text falls decides
nothing.
"""

from __future__ import annotations

from array import array
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from salticid.model import Ints
from salticid.native import at, lib

_FREE = -1
_FIRST_SLOTS = 1 << 10
_FULLEST = 2 / 3
_FEW = 8
"""So many texts are not worth a call of the library."""
_AT_ONCE = 1 << 17
"""So many ids are given slots together."""


class Ids:
    """The id of each text, given in order of arrival.

    >>> ids = Ids()
    >>> ids.give_all([b"fly", b"web", b"fly"]), ids.find(b"web"), ids.find(b"ant"), len(ids)
    (([0, 1, 0], [b'fly', b'web']), 1, -1, 2)
    """

    def __init__(self) -> None:
        self._hashes = array("q")
        self._slots = array("i", [_FREE]) * _FIRST_SLOTS

    def __len__(self) -> int:
        return len(self._hashes)

    def find(self, text: bytes) -> int:
        """The id of a text, or -1 when it has none."""
        return self._slots[self._slot(hash(text))]

    def give_all(self, texts: Sequence[bytes]) -> tuple[list[int], list[bytes]]:
        """The id of each text, the next one for a text that had none; and the texts that had none."""
        self._make_room(len(texts))
        if lib is None or len(texts) <= _FEW:
            return self._give_each(texts)
        many, known = len(texts), len(self._hashes)
        asked: npt.NDArray[np.int64] = np.fromiter(map(hash, texts), np.int64, many)
        ids, fresh = np.empty(many, np.int32), np.empty(many, np.int32)
        self._hashes.frombytes(bytes(asked.nbytes))
        news = lib.give_ids(
            at(asked), many, at(self._hashes), known, at(self._slots), len(self._slots), at(ids), at(fresh)
        )
        if news == many:
            return ids.tolist(), list(texts)
        del self._hashes[known + news :]
        return ids.tolist(), [texts[place] for place in fresh[:news].tolist()]

    def _give_each(self, texts: Sequence[bytes]) -> tuple[list[int], list[bytes]]:
        """The same, one after the other."""
        ids, fresh = [], []
        for text in texts:
            slot = self._slot(text_hash := hash(text))
            if self._slots[slot] == _FREE:
                self._slots[slot] = len(self._hashes)
                self._hashes.append(text_hash)
                fresh.append(text)
            ids.append(self._slots[slot])
        return ids, fresh

    def _slot(self, text_hash: int) -> int:
        """Where a hash is, or the free slot where it belongs: from the one its last bits name, on to the next."""
        slots, hashes, mask = self._slots, self._hashes, len(self._slots) - 1
        slot = text_hash & mask
        while (number := slots[slot]) != _FREE and hashes[number] != text_hash:
            slot = slot + 1 & mask
        return slot

    def _make_room(self, more: int) -> None:
        """See to it that slots stay free, if so many texts are new."""
        size, most = len(self._slots), (len(self._hashes) + more) / _FULLEST
        if size >= most:
            return
        while size < most:
            size *= 2
        self._slots = array("i", [_FREE]) * size
        for first in range(0, len(self._hashes), _AT_ONCE):
            self._place(first, min(first + _AT_ONCE, len(self._hashes)))

    def _place(self, first: int, last: int) -> None:
        """Find slots for the ids from `first` up to `last`: all try at once, those that clash try the next."""
        slots: Ints = np.frombuffer(self._slots, np.int32)
        slot = np.frombuffer(self._hashes, np.int64)[first:last] & (len(slots) - 1)
        ids = np.arange(first, last, dtype=np.int32)
        while len(ids):
            free = slots[slot] == _FREE
            slots[slot[free]] = ids[free]
            homeless = slots[slot] != ids
            ids, slot = ids[homeless], slot[homeless] + 1 & (len(slots) - 1)
