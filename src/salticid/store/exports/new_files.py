"""A file that appears under its name only when it is whole."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

from salticid.errors import SalticidError, UserError
from salticid.version import __version__


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


# A folder that appears under its name only when it is whole.

GENERATOR = f"salticid/{__version__}"
_MARKED = ("index.md", "README.md")
_MARK = 'generator: "salticid/'


@contextmanager
def new_folder(path: Path, force: bool = False) -> Iterator[Path]:
    """A new folder to be filled; it takes its name when the context ends well, else nothing is left of it.

    One that is empty is replaced; with `force` also one that an export made, and none that anybody else did.
    """
    if path.exists() and not path.is_dir():
        raise UserError(f"{path} is no folder; name a new folder with --out")
    old = path.is_dir() and any(path.iterdir())
    if old and not force:
        raise UserError(f"{path} exists already; name another folder with --out, or replace it with --force")
    if old and not _is_export(path):
        raise UserError(f"{path} holds things that no export wrote; name another folder with --out")
    partial = path.absolute().with_name(f".{path.absolute().name}.{os.getpid()}.partial")
    try:
        partial.mkdir()
    except OSError as error:
        raise UserError(f"cannot write {path}: {error.strerror}; name another folder with --out") from None
    try:
        yield partial
        if path.is_dir():
            shutil.rmtree(path)
        partial.replace(path)
    except OSError as error:
        raise SalticidError(f"{path} was not written: {error}") from error
    finally:
        shutil.rmtree(partial, ignore_errors=True)


def size_of(folder: Path) -> int:
    """The bytes of all files in a folder."""
    return sum(file.stat().st_size for file in folder.rglob("*") if file.is_file())


def _is_export(folder: Path) -> bool:
    """Whether a file says that the folder was made here."""
    for name in _MARKED:
        file = folder / name
        if file.is_file():
            with file.open(encoding="utf-8", errors="replace") as lines:
                if any(line.startswith(_MARK) for _, line in zip(range(100), lines, strict=False)):
                    return True
    return False
