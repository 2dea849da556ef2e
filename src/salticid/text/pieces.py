"""Short pieces of text looked up a whole text at a time.

A dictionary look-up per word costs more than all the rest of reading a page. Pieces of up to 16 bytes fit
into two 64-bit numbers, so that a small table of numbers answers for nearly all words of a text in a few
array operations; what it does not hold is asked of a dictionary, and then it does. Compiled, this is one loop, which
can give ids to new words by itself.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import numpy.typing as npt

from salticid.model import Ints
from salticid.native import NOTHING, at, lib
from salticid.native.text_arrays import TextArrays
from salticid.snapshots import in_snapshot, rows

Bytes = npt.NDArray[np.uint8]

_SHORT = 16
_SLOT_BITS = 18
"""Two to this power pieces are remembered at the most, if nothing else is said."""
_KEY = np.dtype(f"S{_SHORT}")  # which numpy gathers quickly, also from where no number may stand
_MASKS = np.frombuffer(
    b"".join((b"\xff" * size).ljust(_SHORT, b"\0") for size in [*range(_SHORT + 1), _SHORT]), _KEY
)
_MIX_LOW, _MIX_HIGH = np.uint64(0x9E3779B97F4A7C15), np.uint64(0xC2B2AE3D27D4EB4F)


@in_snapshot("_ask", "_slot_bits", "_words", "_longest", _slots=rows(np.uint64))
class Pieces:
    """The codes of the pieces of a text; `ask` knows the codes of pieces nobody remembers.

    Exact: a slot holds the piece itself beside its code, and the last piece to fall into it stays.

    >>> Pieces(lambda pieces: list(map(len, pieces))).codes(b"jumping spiders  and jumping flies")
    array([7, 7, 3, 7, 5], dtype=int32)
    """

    def __init__(
        self,
        ask: Callable[[list[bytes]], list[int]],
        slot_bits: int = _SLOT_BITS,
        words: TextArrays | None = None,
        longest: int = 0,
    ) -> None:
        self._ask, self._slot_bits = ask, slot_bits
        self._words, self._longest = words, longest
        """A table that gives codes to all words of no more than so many small letters of ASCII."""
        self._slots = self._no_slots()
        """The two numbers of a piece and its code, side by side: what is looked at together."""

    def _no_slots(self) -> npt.NDArray[np.uint64]:
        """Compiled, the second number is half as long, and the code the other half."""
        return np.zeros((1 << self._slot_bits, 3 if lib is None else 2), np.uint64)

    def codes(self, text: bytes | Bytes) -> Ints:
        """The code of each piece between spaces, in order. The text may hold no NUL."""
        if (self._slots.shape[1] == 3) != (
            lib is None
        ):  # they were kept by a program with the library, or without
            self._slots = self._no_slots()
        return self._with_numpy(bytes(text)) if lib is None else self._compiled(text)

    def _compiled(self, text: bytes | Bytes) -> Ints:
        size, slots = len(text), at(self._slots)
        codes, missing = np.empty(size // 2 + 1, np.int32), np.empty((size // 2 + 1, 3), np.int32)
        counts = np.empty(2, np.int32)
        words = NOTHING if self._words is None else self._words.with_room(size // 2 + 1, size)
        lib.piece_codes(
            at(text), size, slots, self._slot_bits, words, self._longest, at(codes), at(missing), at(counts)
        )
        many, misses = counts.tolist()
        if misses:
            spans, whole = missing[:misses].tolist(), bytes(text)
            news = np.array(self._ask([whole[start:end] for _, start, end in spans]), np.int32)
            lib.keep_pieces(at(text), at(missing), at(news), misses, slots, self._slot_bits, at(codes))
        return codes[:many]

    def _with_numpy(self, text: bytes) -> Ints:
        line = b" " + text + b" " * (_SHORT + 1)
        space = np.frombuffer(line, np.uint8, len(text) + 2) == ord(" ")
        edges = np.flatnonzero(space[1:] != space[:-1])
        edges += 1
        starts, ends = edges[::2], edges[1::2]
        size = np.minimum(ends - starts, _SHORT + 1)
        pieces = _numbers(np.ndarray((len(line) - _SHORT + 1,), _KEY, line, strides=(1,)).take(starts))
        pieces &= _numbers(_MASKS.take(size))
        low, high = pieces[:, 0], pieces[:, 1]
        slot = (((low ^ high * _MIX_HIGH) * _MIX_LOW) >> np.uint64(64 - self._slot_bits)).view(np.int64)
        rows = self._slots.take(slot, axis=0)
        codes: Ints = rows[:, 2].astype(np.int32)
        unknown = (rows[:, 0] != low) | (rows[:, 1] != high)
        unknown |= size > _SHORT
        missing = np.flatnonzero(unknown)
        if len(missing):
            spans = zip(starts[missing].tolist(), ends[missing].tolist(), strict=True)
            news = np.array(self._ask([line[a:b] for a, b in spans]), np.int32)
            codes[missing] = news
            short = size[missing] <= _SHORT
            places = missing[short]
            self._slots[slot[places], :2] = pieces[places]
            self._slots[slot[places], 2] = news[short].astype(np.uint64)
        return codes


def _numbers(pieces: npt.NDArray[np.bytes_]) -> npt.NDArray[np.uint64]:
    """Pieces of 16 bytes as two numbers each."""
    return pieces.view(np.uint64).reshape(-1, 2)
