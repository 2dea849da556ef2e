"""The process that takes main texts from records: it reads the WARC of a crawl itself."""

from __future__ import annotations

from pathlib import Path

import msgspec

from salticid.parse.main_text import main_text
from salticid.parse.page_process import ChildLimits, serve
from salticid.store.warc import read

MAX_MEMORY = 1 << 30
"""Bytes of address space it may have."""


class _RecordReader:
    full = False

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def read(self, message: bytes) -> bytes:
        exchange = read(self._folder, msgspec.msgpack.decode(message, type=int))
        return msgspec.msgpack.encode(main_text(exchange[1]) if exchange else None)


def work(folder: str) -> None:
    """Answer the place of each record with its main text, or None."""
    serve(lambda: _RecordReader(Path(folder)), ChildLimits(MAX_MEMORY))
