"""The arrays of a world: what each is called on disk and of which type it is. Who writes or reads one names it here.

Rows are answers, in the order of recording. A page, in that order too, has a stretch of each of the arrays of
`TOKEN`, `AREA`, `LINK`, `TITLE` and `TEXT`; their `end` says of each page where its stretch ends.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Generic, TypeVar

import numpy as np

Number = TypeVar("Number", bound=np.generic)


@dataclass(frozen=True, slots=True)
class WorldArray(Generic[Number]):
    """One array: its name and the type of its numbers.

    >>> PAGE.url
    WorldArray(name='page.url', kind=<class 'numpy.int32'>)
    """

    name: str
    kind: type[Number]

    @property
    def dtype(self) -> str:
        """The type as a manifest spells it."""
        return np.dtype(self.kind).str


class TextArrays:
    """Texts by id, one after the other; where each ends; their hashes in ascending order, and whose these are."""

    def __init__(self, name: str) -> None:
        self.text = WorldArray(f"{name}.text", np.uint8)
        self.end = WorldArray(f"{name}.end", np.uint64)
        self.hash = WorldArray(f"{name}.hash", np.uint64)
        self.by_hash = WorldArray(f"{name}.by_hash", np.int32)


class _Url(TextArrays):
    row = WorldArray("url.row", np.int32)
    """That of its answer, -1 where none was recorded."""
    host = WorldArray("url.host", np.int32)


class _Row:
    kind = WorldArray("row.kind", np.uint8)
    """A place in `salticid.webs.recorded.OUTCOMES`, or REDIRECT."""
    status = WorldArray("row.status", np.int16)
    target = WorldArray("row.target", np.int32)
    page = WorldArray("row.page", np.int32)
    size = WorldArray("row.size", np.int32)
    seconds = WorldArray("row.seconds", np.float64)
    modified = WorldArray("row.modified", np.float64)


class _Page:
    url = WorldArray("page.url", np.int32)
    canonical = WorldArray("page.canonical", np.int32)
    refresh = WorldArray("page.refresh", np.int32)
    flags = WorldArray("page.flags", np.uint8)


class _Token:
    word = WorldArray("token", np.int32)
    end = WorldArray("token.end", np.uint64)


class _Area:
    kind = WorldArray("area", np.uint8)
    start = WorldArray("area.start", np.int32)
    end = WorldArray("area.end", np.uint64)


class _Link:
    url = WorldArray("link.url", np.int32)
    start = WorldArray("link.start", np.int32)
    stop = WorldArray("link.stop", np.int32)
    """Where its anchor ends in the page's tokens."""
    nofollow = WorldArray("link.nofollow", np.bool_)
    end = WorldArray("link.end", np.uint64)


class _Bytes:
    def __init__(self, name: str) -> None:
        self.byte = WorldArray(name, np.uint8)
        self.end = WorldArray(f"{name}.end", np.uint64)


URL, HOST, WORD = _Url("url"), TextArrays("host"), TextArrays("word")
ROW, PAGE, TOKEN, AREA, LINK = _Row(), _Page(), _Token(), _Area(), _Link()
TITLE, TEXT = _Bytes("title"), _Bytes("text")
"""In UTF-8; texts packed with zstd."""

DERIVED_PREFIX = "derived."
"""How the names of arrays begin that only save work."""
STEM, STEM_OF = TextArrays(f"{DERIVED_PREFIX}stem"), WorldArray(f"{DERIVED_PREFIX}stem_of", np.int32)
"""The stems of the words, and which each word has."""

ARRAYS: dict[str, WorldArray[Any]] = {
    array.name: array
    for group in (URL, HOST, WORD, ROW, PAGE, TOKEN, AREA, LINK, TITLE, TEXT, STEM)
    for attribute in dir(group)
    if isinstance(array := getattr(group, attribute), WorldArray)
} | {STEM_OF.name: STEM_OF}
"""All arrays of a world by name."""
