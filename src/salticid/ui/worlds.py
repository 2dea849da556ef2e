"""The recorded worlds that lie in the folder of data: a crawl of the page may hunt in one of them."""

from __future__ import annotations

from pathlib import Path

from salticid.errors import unknown
from salticid.webs.arrays import MANIFEST

FOLDER = "worlds"


def world_names(data: Path) -> list[str]:
    """The names of the worlds in the folder of data, and in its folder `worlds`."""
    return sorted(_worlds(data))


def world_at(data: Path, name: str) -> Path:
    """The folder of a world; UserError if there is none of that name."""
    there = _worlds(data)
    if name not in there:
        raise unknown("world", name, there)
    return there[name]


def _worlds(data: Path) -> dict[str, Path]:
    manifests = [*data.glob(f"*/{MANIFEST}"), *data.glob(f"{FOLDER}/*/{MANIFEST}")]
    return {file.parent.name: file.parent for file in manifests if file.is_file()}
