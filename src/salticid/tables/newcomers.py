"""A table for a process that only passes texts on: it knows the ids it gave, and spells a text once."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from itertools import count, islice

from salticid.native import lib
from salticid.native.text_arrays import TextArrays


class Newcomers:
    """Ids in order of arrival, and the texts that `tell` has not returned yet. No text holds a line break.

    Quicker than `Texts`, and larger: a hundred bytes a text, for as long as it lives.

    >>> words = Newcomers()
    >>> words.intern_all([b"fly", b"web", b"fly"]), words.tell(), words.intern("ant"), words.tell(), words.tell()
    ([0, 1, 0], (0, b'fly\\nweb'), 2, (2, b'ant'), (3, b''))
    """

    def __init__(self) -> None:
        self._ids: defaultdict[bytes, int] = defaultdict(count().__next__)
        self.arrays = None if lib is None else TextArrays()
        """The same in arrays, which is what compiled loops read and write."""
        self._told = 0, 0

    def __len__(self) -> int:
        return len(self._ids) if self.arrays is None else self.arrays.held[0].item()

    def intern(self, text: str) -> int:
        return self.intern_all([text.encode()])[0]

    def intern_all(self, texts: Sequence[bytes]) -> list[int]:
        """The ids of many texts at once."""
        if self.arrays is None:
            return list(map(self._ids.__getitem__, texts))  # which counts those it has not met
        return self.arrays.intern_all(texts)

    def tell(self) -> tuple[int, bytes]:
        """How many texts it had told before, and those that came since, a line each."""
        first, start = self._told
        if self.arrays is None:
            self._told = len(self._ids), 0
            return first, b"\n".join(list(islice(reversed(self._ids), self._told[0] - first))[::-1])
        texts, end = self.arrays.held.tolist()
        self._told = texts, end
        return first, self.arrays.heap[start : max(start, end - 1)].tobytes()
