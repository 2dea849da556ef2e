"""The index of an archive, CDXJ: a line an answer, sorted, packed in blocks, and a list of where each block begins."""

from __future__ import annotations

import gzip
import hashlib
import json
import re
import tempfile
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from heapq import merge
from itertools import islice
from typing import BinaryIO, Self

from salticid.parse.reading import head_fields
from salticid.store.exports.surt import surt
from salticid.store.warc import ExchangeCopy

RUN = 100_000
"""Lines that are sorted in memory; more of them are sorted in files and merged."""
_BLOCK_LINES = 1024
_STATUS = re.compile(rb"HTTP/\S+ (\d{3})")


class ArchiveIndex:
    """The lines of an index. Use it as a context."""

    def __init__(self) -> None:
        self._lines: list[bytes] = []
        self._files: list[BinaryIO] = []
        self._open = ExitStack()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._open.close()

    def add(self, exchange: ExchangeCopy, file: str, offset: int) -> str:
        """Take a line for an exchange that stands in a file from an offset on; the time of its answer, 14 digits."""
        url, date = exchange.field("WARC-Target-URI") or "", exchange.field("WARC-Date") or ""
        time = re.sub(r"\D", "", date)[:14]
        status = _STATUS.match(exchange.head)
        kind = head_fields(exchange.head).get("content-type", "").partition(";")[0].strip()
        about = {
            "url": url,
            "mime": kind or "unk",
            "status": status[1].decode() if status else "",
            "digest": exchange.field("WARC-Payload-Digest") or "",
            "length": str(exchange.size),
            "offset": str(offset),
            "filename": file,
        }
        self._lines.append(f"{surt(url)} {time} {json.dumps(about)}\n".encode())
        if len(self._lines) >= RUN:
            run = self._open.enter_context(tempfile.TemporaryFile())  # noqa: SIM115 - open until all is merged
            run.writelines(sorted(self._lines))
            self._files.append(run)
            self._lines.clear()
        return time

    def write(self, write: Callable[[bytes], object], name: str) -> bytes:
        """Write all lines to a file that is called so; the list of its blocks."""
        lines, at = self._sorted(), 0
        blocks = [b'!meta 0 {"format": "cdxj-gzip-1.0", "filename": "%b"}\n' % name.encode()]
        while block := list(islice(lines, _BLOCK_LINES)):
            packed = gzip.compress(b"".join(block), mtime=0)
            write(packed)
            digest = f"sha256:{hashlib.sha256(packed).hexdigest()}"
            about = {"offset": at, "length": len(packed), "digest": digest, "filename": name}
            key = b" ".join(block[0].split(b" ", 2)[:2])
            blocks.append(b"%b %b\n" % (key, json.dumps(about).encode()))
            at += len(packed)
        return b"".join(blocks)

    def _sorted(self) -> Iterator[bytes]:
        for file in self._files:
            file.seek(0)
        return merge(*self._files, sorted(self._lines))
