"""The lab's work, done by a cluster: crawls and measures of `compare`, individuals of `evolve`, as tasks."""

from __future__ import annotations

import fcntl
import hashlib
import os
import shutil
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Executor, Future
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Any, TypeVar

import ray
from msgspec import structs
from ray.util.scheduling_strategies import NodeAffinitySchedulingStrategy

from salticid.errors import SalticidError
from salticid.evolve import Simulation, Stage, run_task
from salticid.lab import Case, Experiment
from salticid.store import UnsafeFile, open_in

# Folders that every node of a cluster has to see: used where they are visible, else copied once.

_CHUNK = 8 << 20
_STRETCH, _STRETCHES = 64 << 10, 64


class _Shelf:
    """Reads parts of files on the node where they are."""

    def __init__(self, folder: str) -> None:
        self._folder = Path(folder)

    def read(self, name: str, offset: int) -> bytes:
        with open_in(self._folder, name) as file:
            file.seek(offset)
            return file.read(_CHUNK)


@dataclass(frozen=True)
class SharedFolder:
    """A folder of the machine that ordered the work; its files with their sizes, and who reads them out."""

    folder: str
    files: tuple[tuple[str, int, str], ...]
    digest: str
    shelf: Any

    def here(self) -> Path:
        """The folder on this node: itself where it is visible and the same, else a copy, made once a node."""
        return _here(self.folder, self.digest, _Holder(self))


def lend(folder: Path) -> SharedFolder:
    """Make a folder visible to all nodes; UnsafeFile if a symlink in it leads elsewhere."""
    inside = sorted(folder.rglob("*"))
    for file in inside:
        if file.is_symlink():
            raise UnsafeFile.at(file)
    files = tuple(
        (str(file.relative_to(folder)), file.stat().st_size, _print_of(file)) for file in inside if file.is_file()
    )
    digest = hashlib.blake2b(repr(files).encode(), digest_size=16).hexdigest()
    at_home = NodeAffinitySchedulingStrategy(ray.get_runtime_context().get_node_id(), soft=False)
    shelf = ray.remote(_Shelf).options(
        num_cpus=0, scheduling_strategy=at_home, max_concurrency=8, max_restarts=-1, max_task_retries=-1
    )
    return SharedFolder(str(folder.resolve()), files, digest, shelf.remote(str(folder.resolve())))


class _Holder:
    """Hides what it holds from the cache that it is handed through: two of the same digest are the same."""

    def __init__(self, folder: SharedFolder) -> None:
        self.folder = folder

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Holder)

    def __hash__(self) -> int:
        return 0


@lru_cache(maxsize=16)
def _here(folder: str, digest: str, holder: _Holder) -> Path:
    source, at = holder.folder, Path(folder)
    if all(_is_there(at / name, size, print_) for name, size, print_ in source.files):
        return at
    return _cached_copy(source, digest)


def _cached_copy(source: SharedFolder, digest: str) -> Path:
    """A copy of the folder in this node's cache; the first process that wants it makes it, the others wait."""
    cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "salticid" / "lent"
    cache.mkdir(parents=True, exist_ok=True)
    target = cache / digest
    with (cache / f"{digest}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not target.exists():
            partial = cache / f"{digest}.partial"
            shutil.rmtree(partial, ignore_errors=True)
            partial.mkdir()
            for name, size, print_ in source.files:
                _copy(source, name, size, partial / name)
                if not _is_there(partial / name, size, print_):
                    raise SalticidError(f"{source.folder}/{name} changed while it was copied; try again")
            partial.rename(target)
    return target


def _copy(source: SharedFolder, name: str, size: int, to: Path) -> None:
    to.parent.mkdir(parents=True, exist_ok=True)
    with to.open("wb") as file:
        for offset in range(0, size, _CHUNK):
            file.write(ray.get(source.shelf.read.remote(name, offset)))


def _is_there(file: Path, size: int, print_: str) -> bool:
    return file.is_file() and file.stat().st_size == size and _print_of(file) == print_


def _print_of(file: Path) -> str:
    """What tells a file from another of its name and size: all of it, or of a large one many stretches.

    That is enough for a world's arrays, which never change: a world that was built anew has another digest in
    its manifest, which is small.
    """
    size, digest = file.stat().st_size, hashlib.blake2b(digest_size=8)
    with file.open("rb") as stream:
        for offset in range(0, size, max(_STRETCH, (size - _STRETCH) // _STRETCHES)):
            stream.seek(offset)
            digest.update(stream.read(_STRETCH))
    return digest.hexdigest()


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


def _crawls(at: SharedFolder, stage: Stage, work: Callable[[Simulation, T], R], tasks: Sequence[T]) -> list[R]:
    here = replace(stage, world=at.here())
    return [run_task(here, work, task) for task in tasks]
