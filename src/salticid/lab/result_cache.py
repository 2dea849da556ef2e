"""Results that are not worked out twice: a file each, in a folder."""

from __future__ import annotations

from pathlib import Path
from typing import Generic, TypeVar

import msgspec

from salticid.errors import UserError

T = TypeVar("T", bound=msgspec.Struct)


def make_folder(folder: Path) -> None:
    """Make the folder that results go to, before hours of work and not after them."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise UserError(
            f"cannot write to {folder}: {error.strerror}; name another folder with --out"
        ) from None


class ResultCache(Generic[T]):
    """Results of one kind by their names, each written as a whole or not at all.

    One that says that something `failed` is found out anew the next time. Without a folder nothing is kept.
    """

    def __init__(self, folder: Path | None, kind: type[T]) -> None:
        self._folder, self._kind = folder, kind
        if folder is not None:
            make_folder(folder)

    def find(self, key: str) -> T | None:
        """The result of that name, if it was kept."""
        if self._folder is None:
            return None
        file = self._folder / f"{key}.json"
        return msgspec.json.decode(file.read_bytes(), type=self._kind) if file.is_file() else None

    def keep(self, key: str, result: T) -> None:
        if self._folder is not None and not getattr(result, "failed", None):
            partial = self._folder / f"{key}.partial"
            partial.write_bytes(msgspec.json.encode(result))
            partial.rename(self._folder / f"{key}.json")
