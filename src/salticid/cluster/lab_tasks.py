"""The lab's work, done by a cluster: crawls and measures of `compare`, individuals of `evolve`, as tasks."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Executor, Future
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any, TypeVar

import ray
from msgspec import structs

from salticid.cluster.shared_folders import SharedFolder, lend
from salticid.evolve.simulation import Simulation
from salticid.evolve.workers import Stage, run_task
from salticid.lab.experiment import Case, Experiment

T = TypeVar("T")
R = TypeVar("R")

_TRIES_AGAIN = 10
"""So many times a task is given to another worker when its own has died."""


class Tasks(Executor):
    """Does the tasks of an experiment on the nodes of a cluster. What comes out is what a local run gives."""

    def __init__(self, experiment: Experiment) -> None:
        self._world = ray.put(lend(Path(experiment.world)))
        self._topics = ray.put(lend(Path(experiment.topics)))
        self._remote: Any = ray.remote(_task).options(num_cpus=1, max_retries=_TRIES_AGAIN)

    def submit(self, work: Callable[..., T], /, *arguments: Any, **keywords: Any) -> Future[T]:
        future: Future[T] = self._remote.remote(self._world, self._topics, work, arguments).future()
        return future


def _task(world: SharedFolder, topics: SharedFolder, work: Callable[..., T], arguments: tuple[Any, ...]) -> T:
    return work(*_localize(arguments, world, topics))


def _localize(value: Any, world: SharedFolder, topics: SharedFolder) -> Any:
    """The same arguments with the paths of this node."""
    if isinstance(value, Experiment):
        return structs.replace(value, world=str(world.here()), topics=str(topics.here()))
    if isinstance(value, Case):
        return structs.replace(value, topic=str(topics.here() / Path(value.topic).name))
    if isinstance(value, tuple | list):
        values = [_localize(each, world, topics) for each in value]
        return values if isinstance(value, list) else tuple(values)
    if isinstance(value, dict):
        return {str(topics.here() / Path(key).name): each for key, each in value.items()}
    return value


@dataclass(frozen=True)
class OnRay:
    """Makes the crawls of a search on the nodes of a cluster, some of them in one task."""

    stage: Stage
    at_once: int

    def map(self, work: Callable[[Simulation, T], R], tasks: Sequence[T]) -> Iterator[R]:
        """The result of each task, as soon as those before it are done."""
        remote: Any = ray.remote(_crawls).options(num_cpus=1, max_retries=_TRIES_AGAIN)
        size = max(1, len(tasks) // (4 * self.at_once))
        parts = [tasks[at : at + size] for at in range(0, len(tasks), size)]
        for part in [remote.remote(self._world, self.stage, work, part) for part in parts]:
            yield from ray.get(part)

    @cached_property
    def _world(self) -> Any:
        """The world, lent once for all generations."""
        return ray.put(lend(self.stage.world))


def _crawls(
    at: SharedFolder, stage: Stage, work: Callable[[Simulation, T], R], tasks: Sequence[T]
) -> list[R]:
    here = replace(stage, world=at.here())
    return [run_task(here, work, task) for task in tasks]
