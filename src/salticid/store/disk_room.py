"""How much room a crawl may take on the disk, where a person has set a bound."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from salticid.store.warc import FOLDER


class DiskRoom:
    """So many bytes for the files of a crawl's folder: its log, its archive, its index."""

    def __init__(self, folder: Path, most: int) -> None:
        self._folder, self._most = folder, most

    def lack(self) -> str | None:
        """Why nothing more should be written; None while there is room. Looks at each file, of which there are few."""
        size = sum(_sizes(self._folder)) + sum(_sizes(self._folder / FOLDER))
        if size < self._most:
            return None
        return (
            f"it takes {_megabytes(size)}, and --max-disk allows {_megabytes(self._most)}; to go on, end this with "
            "Ctrl-C and give the same command with a larger one"
        )


def _sizes(folder: Path) -> Iterator[int]:
    with suppress(FileNotFoundError), os.scandir(folder) as entries:
        for entry in entries:
            with suppress(FileNotFoundError):  # SQLite has just folded it in
                if entry.is_file(follow_symlinks=False):
                    yield entry.stat(follow_symlinks=False).st_size


def _megabytes(size: int) -> str:
    return f"{size / 1e6:,.1f} MB"
