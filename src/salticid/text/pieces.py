"""Short pieces of text looked up a whole text at a time.

A dictionary look-up per word costs more than all the rest of reading a page. Pieces of up to 16 bytes fit
into two 64-bit numbers, so that a small table of numbers answers for nearly all words of a text in a few
array operations; what it does not hold is asked of a dictionary, and then it does.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from salticid.model import Ints

_SHORT = 16
_SLOT_BITS = 17
_ONES = np.array([(1 << 8 * size) - 1 for size in range(9)], np.uint64)
_SIZES = np.arange(_SHORT + 2)
_LOW_MASK, _HIGH_MASK = _ONES[np.minimum(_SIZES, 8)], _ONES[np.clip(_SIZES - 8, 0, 8)]
_MIX_LOW, _MIX_HIGH = np.uint64(0x9E3779B97F4A7C15), np.uint64(0xC2B2AE3D27D4EB4F)


class Pieces:
    """The codes of the pieces of a text; `ask` knows the codes of pieces nobody remembers.

    Exact: a slot holds the piece itself beside its code, and the last piece to fall into it stays.

    >>> Pieces(lambda pieces: list(map(len, pieces))).codes(b"jumping spiders  and jumping flies")
    array([7, 7, 3, 7, 5], dtype=int32)
    """

    def __init__(self, ask: Callable[[list[bytes]], list[int]]) -> None:
        self._ask = ask
        self._low = np.zeros(1 << _SLOT_BITS, np.uint64)
        self._high = np.zeros(1 << _SLOT_BITS, np.uint64)
        self._code = np.zeros(1 << _SLOT_BITS, np.int32)

    def codes(self, text: bytes) -> Ints:
        """The code of each piece between spaces, in order. The text may hold no NUL."""
        padded = b" " + text + b" " * (_SHORT + 1)
        space = np.frombuffer(padded, np.uint8, len(text) + 2) == ord(" ")
        edges = np.flatnonzero(space[1:] != space[:-1]) + 1
        starts, ends = edges[::2], edges[1::2]
        size = np.minimum(ends - starts, _SHORT + 1)
        eight = np.ndarray((len(padded) - 7,), "<u8", padded, strides=(1,))
        low, high = eight[starts] & _LOW_MASK[size], eight[starts + 8] & _HIGH_MASK[size]
        slot = (((low ^ high * _MIX_HIGH) * _MIX_LOW) >> np.uint64(64 - _SLOT_BITS)).astype(np.intp)
        codes: Ints = self._code[slot]
        unknown = (self._low[slot] != low) | (self._high[slot] != high) | (size > _SHORT)
        missing = np.flatnonzero(unknown)
        if len(missing):
            spans = zip(starts[missing].tolist(), ends[missing].tolist(), strict=True)
            found = np.array(self._ask([padded[a:b] for a, b in spans]), np.int32)
            codes[missing] = found
            short = size[missing] <= _SHORT
            at = missing[short]
            self._low[slot[at]], self._high[slot[at]], self._code[slot[at]] = low[at], high[at], found[short]
        return codes
