"""Ids by text, in fourteen bytes each.

The newest texts are in a dictionary, which is quick and takes a hundred bytes a text. When there are many they
settle: of a settled text only the hash is kept, 64 bits under a key that is new in every run (of ten million
texts two share one once in 400,000 crawls). It is found by open addressing over two flat arrays, one of slots
that hold ids, one of hashes by id. Nobody can foresee the hashes, so that no choice of texts makes the search
slow; where a text falls decides nothing.
"""

from __future__ import annotations

from array import array
from collections import defaultdict
from collections.abc import Iterable, Sequence
from itertools import count, islice

import numpy as np

from salticid.model import Ints

MOST_YOUNG = 1 << 17
"""Texts in the dictionary before they settle."""

_FREE = -1
_FIRST_SLOTS = 1 << 18
_FULLEST = 2 / 3


class Ids:
    """The id of each text, given in order of arrival.

    >>> ids = Ids()
    >>> ids.give_all([b"fly", b"web", b"fly"]), ids.find(b"web"), ids.find(b"ant"), len(ids)
    (([0, 1, 0], [b'fly', b'web']), 1, -1, 2)
    """

    def __init__(self) -> None:
        self._young: defaultdict[bytes, int] = defaultdict(count().__next__)
        self._old_ids = _OldIds()

    def __len__(self) -> int:
        return len(self._old_ids.hashes) + len(self._young)

    def find(self, text: bytes) -> int:
        """The id of a text, or -1 when it has none."""
        at = self._young.get(text)
        return self._old_ids.find(text) if at is None else at

    def give_all(self, texts: Sequence[bytes]) -> tuple[list[int], list[bytes]]:
        """The id of each text, the next one for a text that had none; and the texts that had none."""
        young, before, old = self._young, len(self._young), self._old(texts)
        if old:
            ids = [old[text] if text in old else young[text] for text in texts]
        else:
            ids = list(map(young.__getitem__, texts))  # which counts those it has not met
        fresh = list(islice(reversed(young), len(young) - before))[::-1]
        if len(young) >= MOST_YOUNG:
            self._settle()
        return ids, fresh

    def extend(self, texts: Sequence[bytes]) -> None:
        """Give the next ids to texts of which none has one."""
        self._settle()
        self._old_ids.extend(texts)
        self._young.default_factory = count(len(self)).__next__

    def _old(self, texts: Sequence[bytes]) -> dict[bytes, int]:
        """The ids of those texts that have settled."""
        if not self._old_ids.hashes:
            return {}
        young, find = self._young, self._old_ids.find
        return {text: at for text in texts if text not in young and (at := find(text)) >= 0}

    def _settle(self) -> None:
        self._old_ids.extend(self._young)
        self._young.clear()


class _OldIds:
    """Hashes by open addressing: one is looked for from the slot its last bits name, on to the first free one."""

    def __init__(self) -> None:
        self.hashes = array("q")
        self._slots = array("i")

    def find(self, text: bytes) -> int:
        slots, hashes = self._slots, self.hashes
        if not hashes:
            return -1
        text_hash, mask = hash(text), len(slots) - 1
        at = text_hash & mask
        while (number := slots[at]) != _FREE and hashes[number] != text_hash:
            at = at + 1 & mask
        return number

    def extend(self, texts: Iterable[bytes]) -> None:
        """Give the next ids to texts none of which is there."""
        first = len(self.hashes)
        self.hashes.extend(map(hash, texts))
        if len(self.hashes) > _FULLEST * len(self._slots):
            self._make_room()
            first = 0
        for begin in range(first, len(self.hashes), MOST_YOUNG):
            self._place(begin, min(begin + MOST_YOUNG, len(self.hashes)))

    def _make_room(self) -> None:
        """Slots for twice as many, all of them free."""
        size = max(_FIRST_SLOTS, len(self._slots))
        while len(self.hashes) > _FULLEST * size:
            size *= 2
        self._slots = array("i", [_FREE]) * size

    def _place(self, first: int, last: int) -> None:
        """Find slots for the ids from `first` up to `last`: all try at once, those that clash try the next."""
        slots: Ints = np.frombuffer(self._slots, np.int32)
        slot = np.frombuffer(self.hashes, np.int64)[first:last] & (len(slots) - 1)
        ids = np.arange(first, last, dtype=np.int32)
        while len(ids):
            free = slots[slot] == _FREE
            slots[slot[free]] = ids[free]
            homeless = slots[slot] != ids
            ids, slot = ids[homeless], slot[homeless] + 1 & (len(slots) - 1)
