"""The loops that a crawl spends its time in, in C: quicker, and in every bit what numpy makes of the same.

The library is built with the package where there is a compiler (`hatch_build.py`). Without it `lib` is None, and what
stands beside each call does the same, more slowly. `SALTICID_NATIVE=0` leaves it out.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any
from zlib import crc32

FILE = "kernels.bin"
"""Not .so, which would say that Python may import it."""


def _load(folder: Path) -> tuple[Any, Callable[[Any], Any], Any, Any]:
    """The library, what gives it the address of an array, no address, what makes a struct; nothing of use without."""
    library = folder / FILE
    if os.environ.get("SALTICID_NATIVE") == "0" or not library.exists():
        return None, _no_address, None, None
    import _cffi_backend
    from cffi import FFI

    ffi, header = FFI(), (folder / "kernels.h").read_bytes()
    declared = re.sub(r"/\*.*?\*/|^#.*?$", "", header.decode(), flags=re.DOTALL | re.MULTILINE)
    ffi.cdef(re.sub(r"(const )?\w+ \*", "void *", declared))  # any array may be handed over
    try:
        functions = ffi.dlopen(str(library))
        is_ours = functions.checksum_of_declarations() == crc32(header)
    except (OSError, AttributeError):  # built for another machine, or long ago
        is_ours = False
    if not is_ours:
        return None, _no_address, None, None
    address = partial(_cffi_backend.from_buffer, ffi.typeof("char[]"))  # as ffi.from_buffer, in half its time
    return functions, address, ffi.NULL, ffi.new


def _no_address(array: Any) -> Any:
    raise RuntimeError(f"no library was built that could read {array!r}")


lib, at, NOTHING, struct = _load(Path(__file__).parent)
"""The functions of `kernels.h`, or None; what hands them an array, what stands where there is none, makes a struct."""
