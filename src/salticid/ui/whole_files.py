"""Files that are written whole or not at all, for the person who runs the server alone to read."""

from __future__ import annotations

import os
from pathlib import Path

_OWN = 0o600


def write_whole(file: Path, data: bytes) -> None:
    """Write a file in place of the one there may be; OSError if that cannot be."""
    partial = file.with_name(f".{file.name}.partial")
    partial.unlink(missing_ok=True)
    with os.fdopen(os.open(partial, os.O_WRONLY | os.O_CREAT | os.O_EXCL, _OWN), "wb") as stream:
        stream.write(data)
        stream.flush()
        os.fsync(stream.fileno())
    partial.replace(file)
