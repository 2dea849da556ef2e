"""Where the texts of a table lie: byte strings one after the other, found by number."""

from __future__ import annotations

import os
from array import array
from collections.abc import Iterator, Sequence
from itertools import accumulate, islice, pairwise
from pathlib import Path
from typing import Protocol

import numpy as np
import zstandard

from salticid.model import unpacked

IN_A_BLOCK = 128
"""Texts that are packed together: more would be smaller, and slower to read one of."""
LEFT_OPEN = 1 << 16
"""The newest texts of a heap in memory, at least as many, are not packed; they are asked for most."""

_LENGTHS = np.dtype("<u4")
_MOST_IN_BLOCK = 1 << 30


class Heap(Protocol):
    """Byte strings by number, from 0 in order of arrival."""

    def append(self, text: bytes) -> None:
        """Put one after the others."""
        ...

    def extend(self, texts: Sequence[bytes]) -> None:
        """Put many after the others."""
        ...

    def read(self, at: int) -> bytes:
        """Number `at`."""
        ...

    def between(self, first: int, last: int) -> list[bytes]:
        """Those from number `first` up to `last`."""
        ...


class MemoryHeap:
    """A heap in memory: the newest texts lie open, older ones are packed, a block of them at a time.

    URLs that came together look alike, and take a quarter of their room so.
    """

    def __init__(self) -> None:
        self._open: list[bytes] = []
        self._blocks, self._block_ends = bytearray(), array("Q")
        self._zstd = zstandard.ZstdCompressor(level=1)
        self._last_block: tuple[int, bytes, array[int]] = -1, b"", array("Q")

    def append(self, text: bytes) -> None:
        self.extend([text])

    def extend(self, texts: Sequence[bytes]) -> None:
        self._open += texts
        if len(self._open) >= 2 * LEFT_OPEN:
            self._pack()

    def read(self, at: int) -> bytes:
        place = at - len(self._block_ends) * IN_A_BLOCK
        if place >= 0:
            return self._open[place]
        data, ends = self._block(at // IN_A_BLOCK)
        place = at % IN_A_BLOCK
        return data[ends[place - 1] if place else 0 : ends[place]]

    def between(self, first: int, last: int) -> list[bytes]:
        in_blocks = len(self._block_ends) * IN_A_BLOCK
        texts: list[bytes] = []
        while first < min(last, in_blocks):
            block = first // IN_A_BLOCK
            begin, end = first % IN_A_BLOCK, min(IN_A_BLOCK, last - block * IN_A_BLOCK)
            texts += _slice(*self._block(block), begin, end)
            first += end - begin
        return texts + self._open[first - in_blocks : last - in_blocks] if first < last else texts

    def _block(self, number: int) -> tuple[bytes, array[int]]:
        """The texts of a block and their ends; the last one read is kept, for neighbours are asked for together."""
        if self._last_block[0] != number:
            begin = self._block_ends[number - 1] if number else 0
            block = bytes(self._blocks[begin : self._block_ends[number]])
            self._last_block = number, *_unpack(block)
        return self._last_block[1:]

    def _pack(self) -> None:
        """Pack all but the newest texts."""
        count = (len(self._open) - LEFT_OPEN) // IN_A_BLOCK * IN_A_BLOCK
        for first in range(0, count, IN_A_BLOCK):
            texts = self._open[first : first + IN_A_BLOCK]
            lengths = np.array(list(map(len, texts)), _LENGTHS)
            self._blocks += self._zstd.compress(lengths.tobytes() + b"".join(texts))
            self._block_ends.append(len(self._blocks))
        del self._open[:count]


class FileHeap:
    """A heap in a file, for tables that outgrow memory; number `n` ends at `ends[n]`, and these stay at hand."""

    def __init__(self, path: Path) -> None:
        self.ends = array("Q")
        self._file = path.open("w+b")

    def append(self, text: bytes) -> None:
        self._file.write(text)
        self.ends.append((self.ends[-1] if self.ends else 0) + len(text))

    def extend(self, texts: Sequence[bytes]) -> None:
        ends = accumulate(map(len, texts), initial=self.ends[-1] if self.ends else 0)
        self.ends.extend(islice(ends, 1, None))
        self._file.write(b"".join(texts))

    def read(self, at: int) -> bytes:
        return self._bytes_between(self.ends[at - 1] if at else 0, self.ends[at])

    def between(self, first: int, last: int) -> list[bytes]:
        if first >= last:
            return []
        origin = self.ends[first - 1] if first else 0
        data = self._bytes_between(origin, self.ends[last - 1])
        ends = array("Q", [end - origin for end in self.ends[first:last]])
        return _slice(data, ends, 0, last - first)

    def _bytes_between(self, begin: int, end: int) -> bytes:
        self._file.seek(begin)
        data = self._file.read(end - begin)
        self._file.seek(0, os.SEEK_END)
        return data

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


def _slice(data: bytes, ends: array[int], first: int, last: int) -> list[bytes]:
    """The texts from number `first` up to `last`, where number `n` ends at `ends[n]`."""
    if first >= last:
        return []
    begin = ends[first - 1] if first else 0
    edges = pairwise((begin, *ends[first:last]))
    return [data[a:b] for a, b in edges]


def _unpack(block: bytes) -> tuple[bytes, array[int]]:
    """The texts of a block, one after the other, and where each ends; their lengths stand before them."""
    data = unpacked(block, _MOST_IN_BLOCK)
    lengths = np.frombuffer(data, _LENGTHS, IN_A_BLOCK)
    return data[lengths.nbytes :], array("Q", lengths.cumsum(dtype=np.uint64).tobytes())
