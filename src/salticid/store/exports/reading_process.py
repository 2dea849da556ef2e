"""The process that reads pages from records: it opens the WARC of a crawl itself."""

from __future__ import annotations

from pathlib import Path

import msgspec

from salticid.parse import (
    MAX_LETTERS,  # noqa: F401 - loaded before the fork, so that no child has to
    ChildLimits,
    read_answer,
    serve,
)
from salticid.store.archive import read

MAX_MEMORY = 1 << 30
"""Bytes of address space it may have."""


class ReadingRequest(msgspec.Struct, frozen=True, array_like=True):
    """Which record is to be read, where it is from, and whether the parts of its text are wanted.

    `repeated` are lines that are left out of its edges.
    """

    place: int
    url: str
    with_blocks: bool
    repeated: list[str]


class _RecordReader:
    full = False

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def read(self, message: bytes) -> bytes:
        asked = msgspec.msgpack.decode(message, type=ReadingRequest)
        exchange = read(self._folder, asked.place)
        if exchange is None:
            return msgspec.msgpack.encode(None)
        return msgspec.msgpack.encode(read_answer(exchange[1], asked.url, asked.with_blocks, asked.repeated))


def work(folder: str) -> None:
    """Answer each request with a `Reading`, or None."""
    serve(lambda: _RecordReader(Path(folder)), ChildLimits(MAX_MEMORY))
