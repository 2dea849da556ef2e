"""The crawls of a search are made by this process, by processes beside it, or by another `Crawlers`."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from dataclasses import dataclass
from functools import lru_cache, partial
from multiprocessing import get_context, parent_process
from pathlib import Path
from threading import Thread
from typing import Protocol, TypeVar

import numpy as np

from salticid.errors import SalticidError
from salticid.evolve.genome import normalise
from salticid.evolve.scored_pages import LEARNING
from salticid.evolve.simulation import Simulation, Watch
from salticid.model import Topic
from salticid.strategies.parts.rank_terms import USUAL_RANKING, Ranking

T = TypeVar("T")
R = TypeVar("R")
GroupWatch = Callable[[int, int], None]
"""Called with the number of crawls that are made, and of how many."""


@dataclass(frozen=True, slots=True)
class Stage:
    """What crawls are simulated on; enough to open it in any process that sees the folder."""

    world: Path
    topic: Topic
    judge: str = LEARNING
    least_good: int | None = None
    ranking: Ranking = USUAL_RANKING

    def open(self, watch: Watch | None = None) -> Simulation:
        return Simulation(
            self.world,
            self.topic,
            watch=watch,
            judge=self.judge,
            least_good=self.least_good,
            ranking=self.ranking,
        )


class Crawlers(Protocol):
    """Does a piece of work many times, on a simulation that each process opens once.

    `work` is a function of a module, and what it takes and gives is plain data: both may travel. The results
    come in the order of the tasks, and are the same wherever they were made.
    """

    def map(self, work: Callable[[Simulation, T], R], tasks: Sequence[T]) -> Iterator[R]:
        """The result of each task."""
        ...


@dataclass(frozen=True, slots=True)
class Here:
    """Crawls one after the other, in this process."""

    stage: Stage

    def map(self, work: Callable[[Simulation, T], R], tasks: Sequence[T]) -> Iterator[R]:
        """The result of each task, made when it is asked for."""
        return (run_task(self.stage, work, task) for task in tasks)


@dataclass(frozen=True, slots=True)
class Processes:
    """Crawls in processes of this machine, as many at once as there are."""

    stage: Stage
    pool: ProcessPoolExecutor

    def map(self, work: Callable[[Simulation, T], R], tasks: Sequence[T]) -> Iterator[R]:
        """The result of each task, as soon as those before it are done."""
        try:
            yield from self.pool.map(partial(run_task, self.stage, work), tasks)
        except BrokenProcessPool:
            raise SalticidError(
                "a worker has died, perhaps for want of memory; try fewer --workers"
            ) from None


@contextmanager
def crawlers(stage: Stage, workers: int) -> Iterator[Crawlers]:
    """So many at work; all gone when this ends, however it ends."""
    if workers == 1:
        yield Here(stage)
        return
    pool = ProcessPoolExecutor(workers, mp_context=get_context("spawn"), initializer=_serve)
    try:
        yield Processes(stage, pool)
    finally:
        pool.shutdown(wait=True, cancel_futures=True)


def in_groups(
    crawlers: Crawlers, work: Callable[[Simulation, T], R], tasks: Sequence[T], size: int, watch: GroupWatch
) -> list[list[R]]:
    """The results of all tasks in groups of `size`, one after the other."""
    results: list[R] = []
    for result in crawlers.map(work, tasks):
        results.append(result)
        watch(len(results), len(tasks))
    return [results[at : at + size] for at in range(0, len(results), size)]


def run_task(stage: Stage, work: Callable[[Simulation, T], R], task: T) -> R:
    """One task done in this process, on the simulation it has opened."""
    return work(simulation_of(stage), task)


def prepare(stage: Stage, terms: Sequence[str], watch: Watch) -> Simulation:
    """Work out what crawls by these terms need and keep it, so that no worker has to."""
    simulation = stage.open(watch)
    weights = [[1.0 if term in terms else 0.0 for term in simulation.terms]]
    simulation.crawl(normalise(np.array(weights)), seed=0, length=1)
    return simulation


@lru_cache(maxsize=1)
def simulation_of(stage: Stage) -> Simulation:
    """The simulation of a stage, opened once a process."""
    return stage.open()


def _serve() -> None:
    """Leave Ctrl-C to the process that was started, and end with it."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    Thread(target=_end_with_parent, daemon=True).start()


def _end_with_parent() -> None:
    parent = parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)
