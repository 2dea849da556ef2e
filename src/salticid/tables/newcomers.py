"""A table for a process that only passes texts on: it knows the ids it gave, and spells a text once."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from itertools import count, islice


class Newcomers:
    """Ids in order of arrival, and the texts that `tell` has not returned yet.

    Quicker than `Texts`, and larger: a hundred bytes a text, for as long as it lives.

    >>> words = Newcomers()
    >>> words.intern_all([b"fly", b"web", b"fly"]), words.tell(), words.intern("ant"), words.tell(), words.tell()
    ([0, 1, 0], (0, [b'fly', b'web']), 2, (2, [b'ant']), (3, []))
    """

    def __init__(self) -> None:
        self._ids: defaultdict[bytes, int] = defaultdict(count().__next__)
        self._passed_on = 0

    def __len__(self) -> int:
        return len(self._ids)

    def intern(self, text: str) -> int:
        return self._ids[text.encode()]

    def intern_all(self, texts: Sequence[bytes]) -> list[int]:
        """The ids of many texts at once."""
        return list(map(self._ids.__getitem__, texts))  # which counts those it has not met

    def tell(self) -> tuple[int, list[bytes]]:
        """How many texts it had returned before, and those that came since."""
        first, self._passed_on = self._passed_on, len(self._ids)
        return first, list(islice(reversed(self._ids), self._passed_on - first))[::-1]
