"""What a browser's process may not do, held by the system rather than by the browser."""

from __future__ import annotations

import ctypes
import os
import resource
import signal
from contextlib import suppress
from pathlib import Path

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
