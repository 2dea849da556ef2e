"""The first process of a browser: it ends all others and removes their folder, whoever dies first.

Everything the browser starts stays below the guardian, because orphans become its children (`confine`). So when the
system says that it has no child left, nobody is there who could still write into the folder. If the guardian itself is
killed, the lock on the folder is free, and the next browser that starts removes the folder.
"""

from __future__ import annotations

import ctypes
import fcntl
import os
import resource
import select
import shutil
import signal
import sys
import tempfile
import time
from collections.abc import Callable, Iterable
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple, NoReturn

# What a browser's process may not do, held by the system rather than by the browser.

NOBODY = 65534
"""The user and the group that a browser runs as where we are root, for Chromium has no sandbox then."""
LONGEST_FILE = 1 << 29
"""Bytes of a file that a browser may write."""

_NEW_USER, _NEW_NETWORK = 0x10000000, 0x40000000
_PARENT_DEATH_SIGNAL, _SUBREAPER = 1, 36


def confine(without_network: bool = True) -> None:
    """Give up what a browser does not need: the rights of root and, where the system can do so, the network.

    Whatever this process and its children start stays below it, so that all of it can be found and ended.
    """
    system = ctypes.CDLL(None, use_errno=True)
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    resource.setrlimit(resource.RLIMIT_FSIZE, (LONGEST_FILE, LONGEST_FILE))
    is_root = os.geteuid() == 0
    if hasattr(system, "prctl"):
        system.prctl(_SUBREAPER, 1, 0, 0, 0)
    if without_network and hasattr(system, "unshare"):
        _leave_network(system, is_root)
    if is_root:
        os.setgroups([])
        os.setresgid(NOBODY, NOBODY, NOBODY)
        os.setresuid(NOBODY, NOBODY, NOBODY)


def die_with_parent(parent: int) -> None:
    """Be killed when the parent is, where the system can do so."""
    system = ctypes.CDLL(None, use_errno=True)
    if hasattr(system, "prctl"):
        system.prctl(_PARENT_DEATH_SIGNAL, signal.SIGKILL, 0, 0, 0)
        if os.getppid() != parent:  # it was killed before
            os._exit(0)


def _leave_network(system: ctypes.CDLL, is_root: bool) -> None:
    """Move to a network that has no device but a loopback of its own, switched off; stay where that is not allowed."""
    user, group = os.geteuid(), os.getegid()
    if is_root:
        system.unshare(_NEW_NETWORK)
    elif system.unshare(_NEW_USER | _NEW_NETWORK) == 0:
        with suppress(OSError):
            Path("/proc/self/uid_map").write_text(f"{user} {user} 1")
            Path("/proc/self/setgroups").write_text("deny")
            Path("/proc/self/gid_map").write_text(f"{group} {group} 1")


# A process and all below it: who they are, what they took.

_PROCESSES = Path("/proc")
_TICKS = os.sysconf("SC_CLK_TCK")
_PAGE = os.sysconf("SC_PAGE_SIZE")


class Usage(NamedTuple):
    """Seconds of processor time, children that have ended included, and bytes of memory that nobody else shares."""

    seconds: float
    memory: int


def tree(pid: int) -> list[int]:
    """A process and all below it, parents first; it alone where the system does not tell."""
    pids = [pid]
    for parent in pids:
        with suppress(OSError):
            children = (_PROCESSES / str(parent) / "task" / str(parent) / "children").read_text()
            pids += map(int, children.split())
    return pids


def usage(pid: int) -> Usage:
    """What a process and all below it have taken so far; nothing, where the system does not tell."""
    seconds, memory = 0.0, 0
    for each in tree(pid):
        with suppress(OSError):
            times = (_PROCESSES / str(each) / "stat").read_text().rpartition(")")[2].split()[11:15]
            resident, shared = (_PROCESSES / str(each) / "statm").read_text().split()[1:3]
            seconds += sum(map(int, times)) / _TICKS
            memory += (int(resident) - int(shared)) * _PAGE
    return Usage(seconds, memory)


def kill(pids: Iterable[int]) -> None:
    """End them all, at once."""
    for pid in pids:
        with suppress(ProcessLookupError, PermissionError):
            os.kill(pid, signal.SIGKILL)


def still_there(pids: Iterable[int]) -> list[int]:
    """Those of them that have not come to their end; one that nobody has asked how it ended has."""
    return [pid for pid in pids if _state(pid) not in ("", "Z", "X")]


def _state(pid: int) -> str:
    try:
        return (_PROCESSES / str(pid) / "stat").read_text().rpartition(")")[2].split()[0]
    except OSError:
        return ""


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
        kill(tree(os.getpid())[1:])
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
