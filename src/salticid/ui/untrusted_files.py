"""Files that anybody may have put into the folder of data: whatever they are, reading them comes to an end."""

from __future__ import annotations

import errno
import os
import stat
from pathlib import Path


def is_plain(file: Path) -> bool:
    """Whether there is a plain file; False if that cannot be found out."""
    try:
        return stat.S_ISREG(file.lstat().st_mode)
    except OSError:
        return False


def read_plain(file: Path, largest: int) -> bytes:
    """All of a file; OSError if it is no plain file, whose bytes may never come or never end, or a larger one."""
    with open(file, "rb", opener=_without_waiting) as stream:
        if not stat.S_ISREG(os.fstat(stream.fileno()).st_mode):
            raise OSError(errno.EINVAL, "it is no plain file", str(file))
        data = stream.read(largest + 1)
    if len(data) > largest:
        raise OSError(errno.EINVAL, f"it is larger than {largest >> 20} MB", str(file))
    return data


def _without_waiting(path: str, flags: int) -> int:
    """A pipe is opened although there is no writer; a symlink is not followed."""
    return os.open(path, flags | os.O_NONBLOCK | os.O_NOFOLLOW)
