"""Texts as small ints: the two growing tables of a crawl, one of words, one of URLs.

A table gives each distinct text the next free id and never forgets one. To find a text again only
60 bits of its hash are kept, about 120 bytes an entry; the texts themselves go one after the other
into a heap of bytes, in memory or in a file.
"""

from __future__ import annotations

import os
from array import array
from collections.abc import Iterator, Sequence
from itertools import accumulate
from pathlib import Path
from typing import Protocol

from salticid import urls
from salticid.protocols import PreparedStems

_HASH_BITS = (1 << 60) - 1
"""The widest int that CPython keeps in 32 bytes."""


class Heap(Protocol):
    """Byte strings one after the other; number `n` ends at `ends[n]`."""

    ends: array[int]

    def append(self, text: bytes) -> None:
        """Put one after the others."""
        ...

    def extend(self, texts: Sequence[bytes]) -> None:
        """Put many after the others."""
        ...

    def read(self, at: int) -> bytes:
        """Number `at`."""
        ...

    def bytes_between(self, begin: int, end: int) -> bytes:
        """The bytes from place `begin` up to `end`."""
        ...


class MemoryHeap:
    """A heap in memory."""

    def __init__(self) -> None:
        self.ends = array("Q")
        self._bytes = bytearray()

    def append(self, text: bytes) -> None:
        self._bytes += text
        self.ends.append(len(self._bytes))

    def extend(self, texts: Sequence[bytes]) -> None:
        _note_ends(self.ends, texts)
        self._bytes += b"".join(texts)

    def read(self, at: int) -> bytes:
        return self.bytes_between(self.ends[at - 1] if at else 0, self.ends[at])

    def bytes_between(self, begin: int, end: int) -> bytes:
        return bytes(self._bytes[begin:end])


class FileHeap:
    """A heap in a file, for tables that outgrow memory; only the ends stay at hand."""

    def __init__(self, path: Path) -> None:
        self.ends = array("Q")
        self._file = path.open("w+b")

    def append(self, text: bytes) -> None:
        self._file.write(text)
        self.ends.append((self.ends[-1] if self.ends else 0) + len(text))

    def extend(self, texts: Sequence[bytes]) -> None:
        _note_ends(self.ends, texts)
        self._file.write(b"".join(texts))

    def read(self, at: int) -> bytes:
        return self.bytes_between(self.ends[at - 1] if at else 0, self.ends[at])

    def bytes_between(self, begin: int, end: int) -> bytes:
        self._file.seek(begin)
        found = self._file.read(end - begin)
        self._file.seek(0, os.SEEK_END)
        return found

    def __iter__(self) -> Iterator[bytes]:
        """All of them in order, read as a stream."""
        self._file.flush()
        with Path(self._file.name).open("rb") as file:
            begin = 0
            for end in self.ends:
                yield file.read(end - begin)
                begin = end

    def close(self) -> None:
        self._file.close()


def _note_ends(ends: array[int], texts: Sequence[bytes]) -> None:
    lengths = accumulate(map(len, texts), initial=ends[-1] if ends else 0)
    next(lengths)
    ends.extend(lengths)


class Texts:
    """A growing table.

    >>> words = Texts()
    >>> [words.intern(w) for w in ("spider", "web", "spider")], words[1], words.find("fly")
    ([0, 1, 0], 'web', -1)
    """

    def __init__(self, heap: Heap | None = None) -> None:
        self._ids: dict[int, int] = {}
        self._heap: Heap = MemoryHeap() if heap is None else heap

    def __len__(self) -> int:
        return len(self._ids)

    def __getitem__(self, at: int) -> str:
        if not 0 <= at < len(self._ids):
            raise IndexError(at)
        return self._heap.read(at).decode()

    def between(self, first: int, last: int) -> list[bytes]:
        """The texts from id `first` up to `last`, in UTF-8."""
        ends = self._heap.ends[first:last]
        origin = self._heap.ends[first - 1] if first else 0
        if not ends:
            return []
        data = self._heap.bytes_between(origin, ends[-1])
        begins = (origin, *ends[:-1])
        return [data[begin - origin : end - origin] for begin, end in zip(begins, ends, strict=True)]

    def spell(self, ids: Sequence[int]) -> list[str]:
        if ids and ids == list(range(ids[0], ids[0] + len(ids))):
            return [text.decode() for text in self.between(ids[0], ids[-1] + 1)]
        return [self[at] for at in ids]

    def find(self, text: str) -> int:
        return self._ids.get(hash(text.encode()) & _HASH_BITS, -1)

    def intern(self, text: str) -> int:
        # Of the bytes, for CPython hashes how it keeps a text: two texts may be kept alike.
        data = text.encode()
        key = hash(data) & _HASH_BITS
        at = self._ids.get(key)
        if at is None:
            self._heap.append(data)
            at = self._ids[key] = len(self._ids)
        return at

    def intern_all(self, texts: Sequence[bytes]) -> list[int]:
        """The ids of many texts at once."""
        ids, found, fresh = self._ids, [], []
        for data in texts:
            key = hash(data) & _HASH_BITS
            at = ids.get(key)
            if at is None:
                at = ids[key] = len(ids)
                fresh.append(data)
            found.append(at)
        self._heap.extend(fresh)
        return found

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

    def intern(self, text: str) -> int:
        at = super().intern(text)
        if at == len(self.host_of):
            self.host_of.append(self.hosts.intern(urls.host(text)))
        return at

    def intern_all(self, texts: Sequence[bytes]) -> list[int]:
        found = super().intern_all(texts)
        fresh = self.between(len(self.host_of), len(self))
        self.host_of.extend(self.hosts.intern(urls.host(text.decode())) for text in fresh)
        return found

    def host(self, url: int) -> int:
        return self.host_of[url]

    def host_name(self, host: int) -> str:
        return self.hosts[host]
