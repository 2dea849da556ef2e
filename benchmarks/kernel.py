"""The compiled crawl on a generated web of three million pages: one core, short crawls and long ones."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from functools import partial
from pathlib import Path

import numpy as np

from benchmarks.evolve import PAGES
from benchmarks.material import CACHE
from benchmarks.report import cpu_seconds, figure, peak_memory
from salticid.evolve.simulation import Simulation
from salticid.strategies.linear_rank import LinearRank
from salticid.strategies.parts.rank_terms import TERMS
from salticid.topic import Topic
from salticid.worlds.answers import labels_of
from salticid.worlds.generating.building import WebEdition, build_generated

LENGTHS = (10_000, 30_000, 100_000, 300_000)
SEEDS = 139
"""As many as the paper's crawls began with."""


def run() -> None:
    """In a fresh process, so that the memory is its own; set EVOLVE_WORLD to a world that is there."""
    world = Path(os.environ.get("EVOLVE_WORLD", CACHE / f"generated-{PAGES}"))
    if not world.exists():
        CACHE.mkdir(parents=True, exist_ok=True)
        build_generated(world, WebEdition(PAGES))
    subprocess.run([sys.executable, "-c", f"from benchmarks.kernel import crawl; crawl({str(world)!r})"], check=True)


def crawl(folder: str) -> None:
    """Crawl by the paper's weights, a little to warm up, then at each length."""
    world = Path(folder)
    topic = _topic(world)
    begin, cpu = time.perf_counter(), time.process_time()
    simulation = Simulation(world, topic)
    figure(
        "opening, and scoring all pages if it was not done before",
        time.perf_counter() - begin,
        "s",
        180,
        True,
    )
    figure("the same in CPU time", time.process_time() - cpu, "s")
    weights = np.array([[getattr(LinearRank(), term) for term in TERMS]])
    simulation.crawl(weights, 0, 100)
    micros = []
    for length in LENGTHS:
        simulation.crawl(weights, 0, length)
        spent = min(cpu_seconds(partial(simulation.crawl, weights, seed, length)) for seed in (1, 2, 3))
        micros.append(1e6 * spent / length)
        figure(f"{length:,} pages", 1000 * spent, "ms", 100 if length == LENGTHS[0] else None, at_most=True)
        figure("  a page", micros[-1], "us")
    figure(
        "a page of the longest crawl costs",
        micros[-1] / micros[0],
        "times one of the shortest",
        2,
        at_most=True,
    )
    on_disk = sum(file.stat().st_size for file in world.iterdir() if file.is_file()) / 1e6
    figure(
        f"memory at the peak; the world is {on_disk:,.0f} MB",
        peak_memory(),
        "MB",
        on_disk + 200,
        at_most=True,
    )
    figure("not mapped from files, after the longest crawl", _own_memory(), "MB")


def _own_memory() -> float:
    """The memory of this process that is no part of a file, in MB."""
    lines = Path("/proc/self/status").read_text().splitlines()
    (kilobytes,) = (line.split()[1] for line in lines if line.startswith("RssAnon:"))
    return int(kilobytes) / 1024


def _topic(world: Path) -> Topic:
    """The topic with the most pages, and some of these."""
    label, urls = max(sorted(labels_of(world).items()), key=lambda found: len(found[1]))
    order = np.random.default_rng(0).permutation(len(urls))[:SEEDS].tolist()
    return Topic(label, label.replace(".", " "), tuple(urls[at] for at in order))
