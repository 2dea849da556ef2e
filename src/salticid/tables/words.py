"""The table of words of a crawl, which has a bound: those who make words up must not fill the memory of others."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from salticid.tables.texts import Texts

_NO_WORD = b""


class Words(Texts):
    """A growing table of words, up to `most`; what is new after that counts as the empty word, which says nothing.

    >>> class Few(Words):
    ...     most = 3
    >>> words = Few()
    >>> [words.intern(w) for w in ("spider", "web", "fly", "ant", "web")], len(words), words[2], words.find("fly")
    ([0, 1, 2, 2, 1], 3, '', -1)
    """

    most: ClassVar[int] = 8_000_000
    """So many of ten letters take 230 MB."""

    def intern_all(self, texts: Sequence[bytes]) -> list[int]:
        if len(self) + len(texts) < self.most:
            return super().intern_all(texts)
        return [at if (at := self._ids.find(text)) >= 0 else self._next(text) for text in texts]

    def _next(self, text: bytes) -> int:
        """The id of a word that is new: its own, as long as there is room for it and for the empty one."""
        room = len(self) < self.most - 1
        return super().intern_all([text if room else _NO_WORD])[0]
