"""Undoes the codings of a body: chunks, gzip, deflate, brotli, zstd, each up to a limit.

What a recording holds may be cut, damaged, or not encoded at all although its head says so.
Nothing here raises for that, and nothing unpacks more than it was asked for.
"""

from __future__ import annotations

import io
import re
import zlib
from collections.abc import Iterable
from typing import Protocol

from fastwarc.stream_io import BrotliReader, ZstdReader

_BLOCK = 1 << 14
_MOST_CODINGS = 5
_CHUNK_SIZE = re.compile(rb"\s*([0-9A-Fa-f]{1,15})[ \t]*(?:;[^\n]*)?\r?\n")
_EITHER_HEADER, _NO_HEADER = 32 + zlib.MAX_WBITS, -zlib.MAX_WBITS


class Readable(Protocol):
    """All that is asked of a file here."""

    def read(self, size: int = ..., /) -> bytes: ...


def undo(body: bytes, codings: Iterable[str], limit: int) -> bytes | None:
    """`body` without its codings, given in the order in which they were applied; at most `limit` bytes.

    Where the data break off, what came before; None where nothing came or the coding is unknown.

    >>> undo(b"4\\r\\n<p>a\\r\\n0\\r\\n\\r\\n", ["chunked"], 100)
    b'<p>a'
    >>> undo(b"<p>plain", ["gzip"], 100) is None
    True
    """
    names = list(codings)
    if len(names) > _MOST_CODINGS:
        return None
    for coding in reversed(names):
        plain = _undo_one(body, coding, limit) if body else body
        if plain is None:
            return None
        body = plain
    return body[:limit]


class InflatingFile:
    """A file that reads gzip or zlib data member by member, and knows at its end whether they were whole.

    `damage` says what is wrong with the data, once that point is reached; it is empty until then.

    >>> cut = InflatingFile(io.BytesIO(zlib.compress(b"spiders")[:-1]))
    >>> cut.read(100), cut.read(100), cut.damage
    (b'spiders', b'', 'compressed data end too early')
    """

    def __init__(self, file: Readable, wbits: int = _EITHER_HEADER) -> None:
        self.damage = ""
        self._file = file
        self._wbits = wbits
        self._member = zlib.decompressobj(wbits)
        self._count = 0
        self._at_start = True

    def read(self, size: int = _BLOCK, /) -> bytes:
        """Up to `size` bytes, fewer where a member ends; none at the end of what can be read."""
        while not self.damage:
            data = self._next_bytes()
            if not data and (self._member.eof or self._at_start):
                break
            self._at_start = False
            try:
                plain = self._member.decompress(data, size)
            except zlib.error as error:
                self.damage = f"compressed data are damaged ({error})"
                break
            if plain:
                self._count += len(plain)
                return plain
            if not data and not self._member.eof:
                self.damage = "compressed data end too early"
        return b""

    def tell(self) -> int:
        """How many bytes have been read from this."""
        return self._count

    def seek(self, offset: int, whence: int = 0) -> int:
        raise io.UnsupportedOperation("compressed data are read from start to end")

    def close(self) -> None:
        """The file underneath stays open."""

    def _next_bytes(self) -> bytes:
        """The next compressed bytes, of a new member where one has ended."""
        if not self._member.eof:
            return self._member.unconsumed_tail or self._file.read(_BLOCK)
        # Zeros between members are padding.
        data = self._member.unused_data.lstrip(b"\0")
        while not data and (block := self._file.read(_BLOCK)):
            data = block.lstrip(b"\0")
        if data:
            self._member = zlib.decompressobj(self._wbits)
        return data


def _undo_one(body: bytes, coding: str, limit: int) -> bytes | None:
    match coding:
        case "chunked":
            return _unchunk(body)
        case "gzip" | "x-gzip":
            return _first_bytes(InflatingFile(io.BytesIO(body)), limit)
        case "deflate":
            # The standard means zlib's header; some servers send none.
            whole = _first_bytes(InflatingFile(io.BytesIO(body)), limit)
            return whole or _first_bytes(InflatingFile(io.BytesIO(body), _NO_HEADER), limit)
        case "br":
            return _first_bytes(BrotliReader(io.BytesIO(body)), limit)
        case "zstd":
            return _first_bytes(ZstdReader(io.BytesIO(body)), limit)
        case _:
            return None


def _first_bytes(file: Readable, limit: int) -> bytes | None:
    plain = io.BytesIO()  # which gives its bytes away without a copy
    while limit > 0:
        try:
            part = file.read(min(limit, _BLOCK))
        except OSError:  # damaged
            break
        if not part:
            break
        plain.write(part)
        limit -= len(part)
    return plain.getvalue() or None


def _unchunk(body: bytes) -> bytes | None:
    parts: list[bytes] = []
    at = 0
    while size := _CHUNK_SIZE.match(body, at):
        length = int(size[1], 16)
        if not length:
            return b"".join(parts)
        at = size.end() + length
        parts.append(body[size.end() : at])
    return b"".join(parts) or None
