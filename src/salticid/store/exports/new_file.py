"""A file that appears under its name only when it is whole."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

from salticid.errors import SalticidError, UserError


@contextmanager
def new_file(path: Path, force: bool = False) -> Iterator[BinaryIO]:
    """Open a new file for writing; it takes its name when the context ends well, else nothing is left of it.

    With `force` it then replaces a file of that name.
    """
    if path.exists() and not path.is_file():
        raise UserError(f"{path} is no plain file; name a new file with --out")
    if path.exists() and not force:
        raise UserError(f"{path} exists already; name another file with --out, or replace it with --force")
    partial = path.with_name(f".{path.name}.{os.getpid()}.partial")
    try:
        partial.unlink(missing_ok=True)
        file = partial.open("xb")  # which follows no symlink
    except OSError as error:
        raise UserError(f"cannot write {path}: {error.strerror}; name another file with --out") from None
    try:
        with file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        partial.replace(path)
    except OSError as error:
        raise SalticidError(f"{path} was not written: {error}") from error
    finally:
        partial.unlink(missing_ok=True)
