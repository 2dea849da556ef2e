"""Files of a crawl folder: opened relative to the folder's descriptor, never through a symlink.

Somebody else may have made the folder. A symlink, hard link, pipe or device in it must not lead a program to files
outside it, so every component below the folder is opened with O_NOFOLLOW and every file must be a regular one.
"""

from __future__ import annotations

import errno
import os
import shutil
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path, PurePosixPath
from typing import BinaryIO, cast

from salticid.errors import UserError

PRIVATE, _OWN = 0o700, 0o600
"""The modes of folders and files that only their owner may read."""
_FLAGS = {
    "rb": os.O_RDONLY,
    "r+b": os.O_RDWR,
    "wb": os.O_WRONLY | os.O_CREAT | os.O_TRUNC,
    "ab": os.O_WRONLY | os.O_CREAT | os.O_APPEND,
    "a+b": os.O_RDWR | os.O_CREAT | os.O_APPEND,
    "xb": os.O_WRONLY | os.O_CREAT | os.O_EXCL,
}
_ALWAYS = os.O_NOFOLLOW | os.O_CLOEXEC | os.O_NONBLOCK
_NOT_FOLLOWED = (errno.ELOOP, errno.ENOTDIR, errno.EMLINK, errno.ENXIO, errno.EISDIR)


class UnsafeFile(UserError):
    """A name in a crawl folder that is not a regular file or folder of its own."""

    @classmethod
    def at(cls, path: Path, what: str = "is a symlink or not a regular file") -> UnsafeFile:
        return cls(
            f"{path} {what}; a crawl folder may hold only regular files and folders: replace it by a copy, or remove it"
        )


@contextmanager
def folder_in(folder: Path, name: str = ".", make: bool = False) -> Iterator[int]:
    """The descriptor of a folder, or of a subfolder that is reached through no symlink; `make` creates it."""
    held, path = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC), folder
    try:
        for part in PurePosixPath(name).parts:
            path /= part
            if make:
                with suppress(FileExistsError):
                    os.mkdir(part, dir_fd=held)
            with _refused(path):
                inner = os.open(part, os.O_RDONLY | os.O_DIRECTORY | _ALWAYS, dir_fd=held)
            os.close(held)
            held = inner
        yield held
    finally:
        os.close(held)


def open_in(folder: Path, name: str, mode: str = "rb", access: int = 0o666) -> BinaryIO:
    """Open a regular file of a folder, unbuffered when it is both read and written.

    UnsafeFile if a symlink, pipe or device has that name, or if the file is written and has a second name.
    """
    path, place = folder / name, PurePosixPath(name)
    with folder_in(folder, str(place.parent)) as held, _refused(path):
        # A file is emptied only when it is known to be a regular one.
        file = os.open(place.name, _FLAGS[mode] & ~os.O_TRUNC | _ALWAYS, access, dir_fd=held)
    try:
        _check(path, os.fstat(file), mode != "rb")
        os.set_blocking(file, True)
        if _FLAGS[mode] & os.O_TRUNC:
            os.ftruncate(file, 0)
    except BaseException:
        os.close(file)
        raise
    return cast(BinaryIO, os.fdopen(file, mode, buffering=0 if "+" in mode else -1))


def replace_in(folder: Path, name: str, data: bytes) -> None:
    """Write a file whole or not at all, in the place of whatever has its name; OSError if that fails."""
    place = PurePosixPath(name)
    partial = f".{place.name}.partial"
    with folder_in(folder, str(place.parent)) as held:
        with suppress(FileNotFoundError):
            os.unlink(partial, dir_fd=held)
        with open_in(folder, str(place.with_name(partial)), "xb", _OWN) as stream:
            stream.write(data)
            stream.flush()
            os.fsync(stream.fileno())
        os.replace(partial, place.name, src_dir_fd=held, dst_dir_fd=held)


def remove_in(folder: Path, name: str) -> None:
    """Remove a file, a symlink or a folder with all that is in it, if there is one; symlinks are not followed."""
    place = PurePosixPath(name)
    try:
        with folder_in(folder, str(place.parent)) as held:
            try:
                os.unlink(place.name, dir_fd=held)
            except (IsADirectoryError, PermissionError):
                shutil.rmtree(place.name, dir_fd=held)
    except FileNotFoundError:
        return


def check_regular(folder: Path, names: tuple[str, ...], written: bool = False) -> None:
    """UnsafeFile unless each of these files is a regular one or missing, for libraries that open files by name.

    No file is opened: closing a database's file would release the locks that SQLite has on it.
    """
    with folder_in(folder) as held:
        for name in names:
            with suppress(FileNotFoundError):
                _check(folder / name, os.stat(name, dir_fd=held, follow_symlinks=False), written)


def _check(path: Path, found: os.stat_result, written: bool) -> None:
    if not stat.S_ISREG(found.st_mode):
        raise UnsafeFile.at(path)
    if written and found.st_nlink > 1:
        raise UnsafeFile.at(path, "is a hard link to a file that has another name")


@contextmanager
def _refused(path: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        if error.errno not in _NOT_FOLLOWED:
            raise
        raise UnsafeFile.at(path) from None
