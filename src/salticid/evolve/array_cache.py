"""Arrays worked out once from a world and kept beside it, mapped by all who need them."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from salticid.errors import UserError

VERSION = 1
"""Of what is kept: other versions are worked out anew."""


class ArrayCache:
    """A folder of arrays that can always be made again; none of them counts for the world's digest.

    Their names carry the version, the digest of the world and whatever else they depend on, so that a stale one
    is never read. Each appears under its name only when it is whole.
    """

    def __init__(self, folder: Path, world: str) -> None:
        self.folder, self._world = folder, world

    def arrays(
        self, names: tuple[str, ...], make: Callable[[], tuple[npt.NDArray[Any], ...]]
    ) -> tuple[npt.NDArray[Any], ...]:
        """The arrays of these names, in their order; made and kept if one of them is not there."""
        try:
            return tuple(self._map(name) for name in names)
        except (OSError, ValueError, EOFError):
            for name, array in zip(names, make(), strict=True):
                self._keep(name, array)
            return tuple(self._map(name) for name in names)

    def _file(self, name: str) -> Path:
        return self.folder / f"{name}-{VERSION}-{self._world}.npy"

    def _map(self, name: str) -> npt.NDArray[Any]:
        file = self._file(name)
        array = np.load(file, mmap_mode="r" if file.stat().st_size > _HEADER else None)
        plain = np.asarray(array).view(np.ndarray)
        plain.flags.writeable = False
        return plain

    def _keep(self, name: str, array: npt.NDArray[Any]) -> None:
        file = self._file(name)
        partial = file.with_suffix(f".{os.getpid()}.partial")
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            with partial.open("wb") as out:
                np.save(out, array, allow_pickle=False)
            partial.replace(file)
        except OSError as error:
            partial.unlink(missing_ok=True)
            raise UserError(
                f"cannot keep {file.name} in {self.folder}: {error.strerror}; make room there, or name a "
                "folder that can be written to"
            ) from None


_HEADER = 128
"""The size of a file that holds an array of nothing, which cannot be mapped."""
