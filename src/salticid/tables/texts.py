"""The tables: each distinct text gets the next free id and is never forgotten."""

from __future__ import annotations

from array import array
from collections.abc import Sequence

from salticid.protocols import PreparedStems
from salticid.tables.heaps import Heap, MemoryHeap
from salticid.tables.ids import Ids
from salticid.tables.veil import Veil

_NEAR = 4
"""Texts are read together with those between them, unless these are so many times as many."""


class Texts:
    """A growing table.

    >>> words = Texts()
    >>> [words.intern(w) for w in ("spider", "web", "spider")], words[1], words.find("fly")
    ([0, 1, 0], 'web', -1)
    """

    def __init__(self, heap: Heap | None = None) -> None:
        self._ids = Ids()
        self._heap: Heap = MemoryHeap() if heap is None else heap

    def __len__(self) -> int:
        return len(self._ids)

    def __getitem__(self, at: int) -> str:
        if not 0 <= at < len(self._ids):
            raise IndexError(at)
        return self._heap.read(at).decode()

    def between(self, first: int, last: int) -> list[bytes]:
        """The texts from id `first` up to `last`, in UTF-8."""
        return self._heap.between(first, last)

    def spell(self, ids: Sequence[int]) -> list[str]:
        if not ids:
            return []
        first, last = min(ids), max(ids)
        if not 0 <= first <= last < len(self):
            raise IndexError(ids)
        if last - first < _NEAR * len(ids):
            texts = self.between(first, last + 1)
            return [texts[at - first].decode() for at in ids]
        heap_read = self._heap.read
        return [heap_read(at).decode() for at in ids]

    def find(self, text: str) -> int:
        return self._ids.find(text.encode())

    def intern(self, text: str) -> int:
        data = text.encode()
        at = self._ids.find(data)
        return self.intern_all([data])[0] if at < 0 else at

    def intern_all(self, texts: Sequence[bytes]) -> list[int]:
        """The ids of many texts at once."""
        ids, fresh = self._ids.give_all(texts)
        if fresh:
            self._note(fresh)
        return ids

    def extend(self, texts: Sequence[bytes]) -> None:
        """Give the next ids to texts of which the table holds none, and that are all different."""
        self._ids.give_all(texts)
        self._note(texts)

    def _note(self, fresh: Sequence[bytes]) -> None:
        """Keep texts that are new."""
        self._heap.extend(fresh)

    def stems(self, rules: str) -> PreparedStems | None:
        """Nobody worked them out."""
        return None


class Urls(Texts):
    """A growing table of canonical URLs that knows each one's host.

    >>> table = Urls()
    >>> a, b = table.intern("http://a.example/x"), table.intern("http://a.example/y")
    >>> table.host(a) == table.host(b), table.host_name(table.host(a))
    (True, 'a.example')
    """

    def __init__(self, heap: Heap | None = None) -> None:
        super().__init__(heap)
        self.hosts = Texts()
        self.host_of = array("i")
        self.veil: Veil | None = None
        """What hides URLs that are to be forgotten: in their places stand others."""

    def hides(self, url: str) -> bool:
        """Whether a URL is to be forgotten."""
        return self.veil is not None and self.veil.hides(url)

    def find(self, text: str) -> int:
        return super().find(text if self.veil is None else self.veil.over(text))

    def intern(self, text: str) -> int:
        return super().intern(text if self.veil is None else self.veil.over(text))

    def intern_all(self, texts: Sequence[bytes]) -> list[int]:
        over = None if self.veil is None else self.veil.over
        return super().intern_all(texts if over is None else [over(text.decode()).encode() for text in texts])

    def host(self, url: int) -> int:
        return self.host_of[url]

    def host_name(self, host: int) -> str:
        return self.hosts[host]

    def _note(self, fresh: Sequence[bytes]) -> None:
        super()._note(fresh)
        names = [url.split(b"/", 3)[2] for url in fresh]
        hosts = list(dict.fromkeys(names))  # few: many links lead to the same
        ids = dict(zip(hosts, self.hosts.intern_all(hosts), strict=True))
        self.host_of.extend([ids[name] for name in names])
