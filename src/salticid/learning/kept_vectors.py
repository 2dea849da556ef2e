"""The newest pages as vectors, for a judge that changes its mind and scores them again."""

from __future__ import annotations

from salticid.learning.stem_vectors import StemVector
from salticid.model import RepeatedRows
from salticid.protocols import OwnWords

MOST_BYTES = 16 << 20
"""So much is kept, of the newest pages: 1,500 of some thousand words each."""
_OBJECTS = 1000
"""What is taken besides the numbers."""


class KeptVectors:
    """What pages were read as, by URL, as long as they would be read as the same by now.

    A page's vector changes only when its site repeats other words of it than before. It is a cache: what is not kept
    is read again.
    """

    def __init__(self, own_words: OwnWords) -> None:
        self._own_words = own_words
        self._kept: dict[int, tuple[StemVector, RepeatedRows]] = {}
        self._bytes = 0

    def __len__(self) -> int:
        return len(self._kept)

    def of(self, url: int) -> StemVector | None:
        """The vector of the page of a URL, if it is kept and still holds."""
        kept = self._kept.get(url)
        return kept[0] if kept is not None and self._own_words.holds(kept[1]) else None

    def keep(self, url: int, vector: StemVector, basis: RepeatedRows) -> None:
        """Keep the vector of a page that has just been visited; the oldest make room for it."""
        self._bytes += _size(vector, basis) - self._size_at(url)
        self._kept[url] = vector, basis
        while self._bytes > MOST_BYTES:
            oldest = next(iter(self._kept))
            self._bytes -= self._size_at(oldest)
            del self._kept[oldest]

    def renew(self, url: int, vector: StemVector, basis: RepeatedRows) -> None:
        """The vector of a page as it was read again: it is kept if the one before was."""
        if url in self._kept:
            self.keep(url, vector, basis)

    def _size_at(self, url: int) -> int:
        return _size(*self._kept[url]) if url in self._kept else 0


def _size(vector: StemVector, basis: RepeatedRows) -> int:
    return _OBJECTS + vector.stems.nbytes + vector.weights.nbytes + basis.rows.nbytes + basis.is_known.nbytes
