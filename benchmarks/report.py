"""How measurements are printed: the figure, its target, and the ratio between them."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from pathlib import Path


def say(line: str) -> None:
    """One line of the report."""
    sys.stdout.write(line + "\n")
    sys.stdout.flush()


def figure(what: str, value: float, unit: str, target: float | None = None, at_most: bool = False) -> None:
    """A measured value; with a target, how it compares, on the good side or not."""
    line = f"  {what:<58} {value:>12,.1f} {unit}"
    if target is not None:
        good = value <= target if at_most else value >= target
        bound = "at most" if at_most else "at least"
        line += f"  ({bound} {target:,g}: {value / target:.2f}x, {'met' if good else 'MISSED'})"
    say(line)


def peak_memory() -> float:
    """The most resident memory this process has had, in MB; unlike ru_maxrss it owes nothing to its parent."""
    lines = Path("/proc/self/status").read_text().splitlines()
    (kilobytes,) = (line.split()[1] for line in lines if line.startswith("VmHWM:"))
    return int(kilobytes) / 1024


def cpu_seconds(work: Callable[[], object]) -> float:
    """The CPU time of this process for a piece of work: what one core would need."""
    begin = time.process_time()
    work()
    return time.process_time() - begin
