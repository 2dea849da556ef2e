"""One program at a time may crawl into a folder."""

from __future__ import annotations

import fcntl
import os
from contextlib import suppress
from pathlib import Path
from typing import IO

from salticid.errors import UserError

FILE = "lock"
PRIVATE = 0o700
"""The mode of a folder that nobody but its owner may look into."""


def lock(folder: Path) -> IO[str]:
    """Take a folder, made if need be, for this program alone; it is free again when the file is closed.

    A folder that it makes is for its owner alone: what somebody reads is nobody else's business. The system lets
    go of the lock when a program ends, however it ends.
    """
    try:
        folder.mkdir(PRIVATE, parents=True, exist_ok=True)
        file = (folder / FILE).open("a+", encoding="ascii")
    except OSError as error:
        raise UserError(
            f"cannot write a crawl into {folder}: {error.strerror}; name another folder with --out"
        ) from None
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        file.seek(0)
        holder = file.read(20).strip()
        file.close()
        raise UserError(
            f"another program{f' (process {holder})' if holder else ''} is crawling into {folder}; "
            "wait until it ends, or name another folder with --out"
        ) from None
    with suppress(OSError):  # the disk is full; the lock holds all the same
        os.ftruncate(file.fileno(), 0)
        os.write(file.fileno(), str(os.getpid()).encode())
    return file
