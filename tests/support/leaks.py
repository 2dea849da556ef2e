"""What a test opened and left open is told at its own end, and not by the garbage collector in a later one."""

from __future__ import annotations

import gc
import threading
import time
from pathlib import Path

_FILES = Path("/proc/self/fd")
_TASKS = Path("/proc/self/task")
_MAPPED = Path("/proc/self/maps")
PATIENCE = 60.0
"""Seconds that another side may take to notice, on a machine however busy."""
_KEPT_FOR_LATER = ("AnyIO worker thread",)
"""Threads that their library ends by itself when there is nothing to do for a while."""

lasting: set[str] = set()
"""What is held on purpose until the end of the run."""


def held() -> set[str]:
    """Every file, socket, thread and child that this process has, in words that tell two of them apart."""
    return {*_open_files(), *_children(), *_threads()} - lasting


def left_since(before: set[str]) -> list[str]:
    """What is held and was not held `before`; what only waits for the garbage collector is closed, aloud, by it.

    What another side has yet to notice, as the end of a connection, is given some time. Files that are mapped into
    memory are as harmless as the arrays they are, which the lab keeps for the next crawl.
    """
    deadline = time.monotonic() + PATIENCE
    while left := _not_mapped(held() - before):
        gc.collect()
        left = _not_mapped(held() - before)
        if not left or time.monotonic() > deadline:
            return sorted(left)
        time.sleep(0.05)
    return []


def _not_mapped(things: set[str]) -> set[str]:
    if not things:
        return things
    mapped = {line.partition("/")[2] for line in _MAPPED.read_text().splitlines() if "/" in line}
    return {each for each in things if each.rpartition(" as ")[0].removeprefix("/") not in mapped}


def _open_files() -> set[str]:
    found: set[str] = set()
    for number in _FILES.iterdir():
        try:
            found.add(f"{number.readlink()} as {number.name}")
        except FileNotFoundError:  # the folder itself, open while it is listed
            continue
    return found


def _children() -> set[str]:
    found: set[str] = set()
    for task in _TASKS.iterdir():
        try:
            found.update(f"process {pid}" for pid in (task / "children").read_text().split())
        except FileNotFoundError:  # a thread that ended meanwhile
            continue
    return found


def _threads() -> set[str]:
    """Those that the end of the process waits for; libraries keep others for as long as it lives."""
    threads = (thread.name for thread in threading.enumerate() if not thread.daemon)
    return {f"thread {name}" for name in threads if name not in _KEPT_FOR_LATER}
