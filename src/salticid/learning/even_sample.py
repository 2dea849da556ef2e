"""A few of many, evenly spread over all that came."""

from __future__ import annotations

from typing import Generic, TypeVar

from salticid.learning.stem_vectors import StemVector
from salticid.snapshots import in_snapshot

T = TypeVar("T")


@in_snapshot("_most", items=list[StemVector], _every=int, _count=int)
class EvenSample(Generic[T]):
    """Keeps every k-th of what comes, k doubling whenever `most` are kept; no chance has a part in it.

    >>> kept = EvenSample[int](4)
    >>> for number in range(11):
    ...     kept.add(number)
    >>> kept.items
    [0, 4, 8]
    """

    def __init__(self, most: int) -> None:
        self.items: list[T] = []
        self._most, self._every, self._count = most, 1, 0

    def add(self, item: T) -> None:
        """Take one more item into account."""
        if self._count % self._every == 0:
            self.items.append(item)
        self._count += 1
        if len(self.items) > self._most:
            self.items = self.items[::2]
            self._every *= 2
