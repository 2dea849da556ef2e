"""The first process of a browser: it ends all others and removes their folder, whoever dies first.

Everything the browser starts stays below the guardian, because orphans become its children (`confine`). So when the
system says that it has no child left, nobody is there who could still write into the folder. If the guardian itself is
killed, the lock on the folder is free, and the next browser that starts removes the folder.
"""

from __future__ import annotations

import fcntl
import os
import select
import shutil
import sys
import tempfile
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import NoReturn

from salticid.webs.live.browser import process_tree
from salticid.webs.live.browser.confinement import NOBODY, confine, die_with_parent

_PREFIX = "salticid-browser-"
_POLL = 0.005


def make_folder() -> tuple[str, int]:
    """A new folder for a browser, and the lock on it: a descriptor that its users keep open."""
    _sweep()
    while True:
        folder = tempfile.mkdtemp(prefix=_PREFIX)
        lock = _lock(folder)
        if lock is not None:
            if os.geteuid() == 0:
                os.fchown(lock, NOBODY, NOBODY)
            return folder, lock
        # Another program saw the folder before it was locked, and removes it.


def remove_folder(folder: str) -> None:
    """Remove a folder, as far as that is possible."""
    shutil.rmtree(folder, ignore_errors=True)


def guard(work: Callable[[], None], without_network: bool) -> NoReturn:
    """Do the work in a process below this one; when either it or the program is gone, leave nothing behind.

    The program is at the other end of the standard input, a socket. The folder is the working directory.
    """
    folder = Path.cwd()
    confine(without_network)
    ends, held = os.pipe()
    guardian = os.getpid()
    if os.fork() == 0:
        os.close(ends)
        die_with_parent(guardian)
        try:
            work()
        finally:
            os._exit(0)
    os.close(held)
    poll = select.poll()
    poll.register(sys.stdin.fileno(), 0)  # 0: wake up only when the program has hung up
    poll.register(ends, 0)
    poll.poll()
    _end_children()
    remove_folder(str(folder))
    os._exit(0)


def _end_children() -> None:
    """Kill children, and the orphans that become children by that, until there is none."""
    while True:
        process_tree.kill(process_tree.tree(os.getpid())[1:])
        try:
            while os.waitpid(-1, os.WNOHANG) != (0, 0):
                pass
        except ChildProcessError:
            return
        time.sleep(_POLL)


def _sweep() -> None:
    """Remove the folders of browsers whose processes were all killed at once."""
    owners = {os.geteuid(), NOBODY} if os.geteuid() == 0 else {os.geteuid()}
    for path in Path(tempfile.gettempdir()).glob(f"{_PREFIX}*"):
        with suppress(OSError):
            if path.lstat().st_uid in owners and (lock := _lock(str(path))) is not None:
                try:
                    remove_folder(str(path))
                finally:
                    os.close(lock)


def _lock(folder: str) -> int | None:
    """A descriptor that holds the lock on a folder; None where another program holds it, or there is no folder."""
    try:
        lock = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC)
    except OSError:
        return None
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        if os.path.samestat(os.fstat(lock), os.lstat(folder)):
            return lock
    except OSError:
        pass
    os.close(lock)
    return None
