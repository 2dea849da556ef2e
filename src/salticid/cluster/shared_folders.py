"""Folders that every node of a cluster has to see: used where they are visible, else copied once."""

from __future__ import annotations

import fcntl
import hashlib
import os
import shutil
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

import ray
from ray.util.scheduling_strategies import NodeAffinitySchedulingStrategy

from salticid.errors import SalticidError
from salticid.store.files import UnsafeFile, open_in

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
        (str(file.relative_to(folder)), file.stat().st_size, _print_of(file))
        for file in inside
        if file.is_file()
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
