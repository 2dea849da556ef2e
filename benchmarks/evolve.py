"""The paper's whole genetic search on a generated web of three million pages, on two cores."""

from __future__ import annotations

import os
import shutil
import time
from pathlib import Path

from benchmarks.material import CACHE
from benchmarks.report import figure, say
from salticid.evolve.search import PAPER_TERMS, Checkpoint, Evolution, SearchPlan, digest_of, versions
from salticid.evolve.simulation import Stage, crawlers, prepare_worker
from salticid.lab.reproduce.rank_search import topic_of
from salticid.worlds.answers import labels_of
from salticid.worlds.generating.building import WebEdition, build_generated

PAGES, LENGTH, WORKERS = 3_000_000, 10_000, 2
SECONDS = 600.0


def run() -> None:
    """50 strategies, 50 generations, 3 crawls of 10,000 pages each; set EVOLVE_WORLD to a world that is there."""
    world = _world()
    labels = labels_of(world)
    largest = max(sorted(labels), key=lambda label: len(labels[label]))
    topic, _ = topic_of(largest, labels[largest], LENGTH)
    stage = Stage(world, topic)
    begin = time.perf_counter()
    simulation = prepare_worker(stage, PAPER_TERMS, lambda what, done, of: None)
    figure("opening, and scoring all pages if it was not done before", time.perf_counter() - begin, "s")
    plan = SearchPlan(
        simulation.digest, topic.name, digest_of(topic), topic.seeds, simulation.terms, PAPER_TERMS,
        crawl_length=LENGTH, versions=versions(),
    )  # fmt: skip
    folder = CACHE / "search"
    shutil.rmtree(folder, ignore_errors=True)
    with crawlers(stage, WORKERS) as made:
        evolution = Evolution(plan, made, Checkpoint(folder))
        begin = time.perf_counter()
        state = evolution.run(lambda done: None)
        seconds = time.perf_counter() - begin
    figure("the whole search", seconds, "s", SECONDS, at_most=True)
    crawls = len(state.tried) * plan.runs
    figure("strategies tried, none twice", len(state.tried), f"of {evolution.total:,}")
    figure("pages a second, on all cores", crawls * LENGTH / seconds, "pages/s")
    say(f"  fitness {state.history[0].best:.3f} in the first population, {state.history[-1].best:.3f} in the last")


def _world() -> Path:
    if named := os.environ.get("EVOLVE_WORLD"):
        return Path(named)
    world = CACHE / f"generated-{PAGES}"
    if not world.exists():
        CACHE.mkdir(parents=True, exist_ok=True)
        build_generated(world, WebEdition(PAGES))
    return world
