"""The frontier at a million links: memory, and the cost of one push and one pop."""

from __future__ import annotations

import subprocess
import sys
import time

import numpy as np

from benchmarks.report import figure, peak_memory
from salticid.strategies.parts.frontier import Frontier
from salticid.tables.texts import Urls

LINKS = 1_000_000
HOSTS = 20_000
SIZES = (10_000, LINKS)


def run() -> None:
    """Fill it in a fresh process, so that the memory is its own."""
    code = "from benchmarks.frontier import fill; fill()"
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    memory, *costs = map(float, out.split())
    figure(f"{LINKS:,} links, full and evicting", memory, "MB", target=300, at_most=True)
    for size, push, pop in zip(SIZES, costs[::2], costs[1::2], strict=True):
        figure(f"push at {size:,} links", push, "us")
        figure(f"pop at {size:,} links, 100 hosts busy", pop, "us")


class _Hosts(Urls):
    """A table that only knows hosts: the frontier asks for nothing else."""

    def host(self, url: int) -> int:
        return url % HOSTS


def fill() -> None:
    """Print the growth of memory in MB, then microseconds a push and a pop at each size."""
    rng = np.random.default_rng(0)
    costs: list[float] = []
    grown = 0.0
    for size in SIZES:
        before = peak_memory()
        frontier = Frontier(_Hosts(), limit=size)
        for begin in range(0, size, 100):
            frontier.push(np.arange(begin, begin + 100, dtype=np.int32), rng.random(100), 1, range(100))
        start = time.process_time()
        for begin in range(size, size + 10_000, 100):
            frontier.push(np.arange(begin, begin + 100, dtype=np.int32), rng.random(100), 1, range(100))
        costs.append((time.process_time() - start) / 10_000 * 1e6)
        grown = peak_memory() - before
        busy = frozenset(range(100))
        start = time.process_time()
        for _ in range(5_000):
            frontier.pop(1, busy)
        costs.append((time.process_time() - start) / 5_000 * 1e6)
    sys.stdout.write(" ".join(map(str, [grown, *costs])))
