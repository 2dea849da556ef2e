"""The loops that a crawl spends its time in, in C: quicker, and in every bit what numpy makes of the same.

The library is built with the package where there is a compiler (`hatch_build.py`). Without it `lib` is None, and what
stands beside each call does the same, more slowly. `SALTICID_NATIVE=0` leaves it out.
"""

from __future__ import annotations

import os
import re
from ast import literal_eval
from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import partial
from itertools import accumulate
from pathlib import Path
from typing import Any
from zlib import crc32

import numpy as np

__all__ = ["NOTHING", "TextArrays", "at", "lib", "struct"]

FILE = "kernels.bin"
"""Not .so, which would say that Python may import it."""


def _load(folder: Path) -> tuple[Any, Callable[[Any], Any], Any, Any]:
    """The library, what gives it the address of an array, no address, what makes a struct; nothing of use without."""
    library = folder / FILE
    if os.environ.get("SALTICID_NATIVE") == "0" or not library.exists():
        return None, _no_address, None, None
    import _cffi_backend

    ffi, header = _declared(folder)
    try:
        functions = ffi.dlopen(str(library))
        is_ours = functions.checksum_of_declarations() == header
    except (OSError, AttributeError):  # built for another machine, or long ago
        is_ours = False
    if not is_ours:
        return None, _no_address, None, None
    address = partial(_cffi_backend.from_buffer, ffi.typeof("char[]"))  # as ffi.from_buffer, in half its time
    return functions, address, ffi.NULL, ffi.new


def _declared(folder: Path) -> tuple[Any, int]:
    """The functions of `kernels.h` as cffi knows them, and the checksum of that file.

    The build writes what cffi makes of it to `kernels.abi`; where that is missing or old, the file is parsed.
    """
    header = (folder / "kernels.h").read_bytes()
    with suppress(OSError, ValueError, SyntaxError, KeyError):
        kept = literal_eval((folder / "kernels.abi").read_text())
        if kept["header"] == crc32(header):
            import _cffi_backend

            return _cffi_backend.FFI("kernels", **kept["declared"]), crc32(header)
    from cffi import FFI

    ffi = FFI()
    declared = re.sub(r"/\*.*?\*/|^#.*?$", "", header.decode(), flags=re.DOTALL | re.MULTILINE)
    ffi.cdef(re.sub(r"(const )?\w+ \*", "void *", declared))  # any array may be handed over
    return ffi, crc32(header)


def _no_address(array: Any) -> Any:
    raise RuntimeError(f"no library was built that could read {array!r}")


lib, at, NOTHING, struct = _load(Path(__file__).parent)
"""The functions of `kernels.h`, or None; what hands them an array, what stands where there is none, makes a struct."""

_MOST_MORE = 4 << 20
"""Bytes by which the heap grows at the most, beyond those that are needed: a page may cost only so many."""


class TextArrays:
    """A table of texts in arrays, in which compiled loops give ids by themselves.

    The slots of a hash table; the texts one behind the other, a line each, and where each ends; how many texts and
    bytes are `held`.
    """

    def __init__(self) -> None:
        self._secrets = np.frombuffer(os.urandom(24), np.uint64)  # which decide nothing that could be seen
        self._bits = 12
        self._slots = np.zeros(1 << self._bits, np.uint64)
        self._ends = np.empty(1 << self._bits - 1, np.int64)
        self.heap = np.empty(1 << 16, np.uint8)
        self.held = np.zeros(2, np.int64)
        self._given = self._struct()

    def intern_all(self, texts: Sequence[bytes]) -> list[int]:
        joined, many = b"".join(texts), len(texts)
        ends, ids = np.fromiter(accumulate(map(len, texts)), np.int64, many), np.empty(many, np.int32)
        lib.intern_texts(at(joined), at(ends), many, self.with_room(many, len(joined)), at(ids))
        known: list[int] = ids.tolist()
        return known

    def with_room(self, texts: int, size: int) -> Any:
        """What compiled loops are handed, which has room for so many more texts of so many bytes in all."""
        held, used = self.held.tolist()
        if held + texts > len(self._ends):
            self._more_slots(held + texts)
        if used + size + texts > len(self.heap):
            heap = np.empty(used + size + texts + min(len(self.heap), _MOST_MORE), np.uint8)
            heap[:used] = self.heap[:used]
            self.heap = heap
            self._given = self._struct()
        return self._given

    def _struct(self) -> Any:
        arrays = (self._secrets, self._slots, self._ends, self.heap, self.held)
        secrets, slots, ends, heap, held = map(at, arrays)
        return struct("Newcomers *", [secrets, slots, self._bits, ends, heap, held])

    def _more_slots(self, texts: int) -> None:
        """At the most every second slot is taken."""
        bits = (2 * texts - 1).bit_length()
        slots, ends = np.zeros(1 << bits, np.uint64), np.empty(1 << bits - 1, np.int64)
        lib.more_slots(at(self._slots), self._bits, at(slots), bits)
        ends[: len(self._ends)] = self._ends
        self._bits, self._slots, self._ends = bits, slots, ends
        self._given = self._struct()
