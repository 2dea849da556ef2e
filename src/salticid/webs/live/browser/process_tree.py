"""A process and all below it: who they are, what they took."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

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
