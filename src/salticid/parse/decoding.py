"""Bytes to text: content codings undone within bounds, and charsets."""

from __future__ import annotations

import codecs
import io
import re
import zlib
from collections.abc import Iterable
from contextlib import suppress
from functools import lru_cache
from typing import Protocol

import cchardet
from fastwarc.stream_io import BrotliReader, ZstdReader
from resiliparse.parse.encoding import map_encoding_to_html5

_MARKS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
_MARK_BYTES = tuple(mark for mark, _ in _MARKS)
_LARGER = {"euc_kr": "cp949", "shift_jis": "cp932", "iso8859-11": "cp874"}
"""What browsers read under these names holds more than the standards of these names."""
_UNKNOWN_LABELS = {
    "uhc": "cp949",
    "johab": "johab",
    "hz-gb-2312": "hz",
    "iso-2022-kr": "iso2022_kr",
    "mac-cyrillic": "mac_cyrillic",
    "maccyrillic": "mac_cyrillic",
    "mac-centraleurope": "mac_latin2",
    "maccentraleurope": "mac_latin2",
    "utf-8-sig": "utf-8-sig",
    "utf-32": "utf-32",
    "utf-32le": "utf-32-le",
    "utf-32be": "utf-32-be",
    **{f"{maker}{page}": f"cp{page}" for maker in ("ibm", "cp") for page in (737, 852, 855, 862, 865, 949)},
}
"""Names that browsers do not know any more; pages bear them, and the detector finds them out."""
_SHIFTS = (b"\x1b$", b"~{")
_OF_SEVEN_BITS = ("iso2022_jp", "iso2022_kr", "hz")
_IN_META = re.compile(rb"<meta[^>]{0,200}?charset\s*=\s*[\"']?\s*([A-Za-z0-9_.:-]{2,40})", re.IGNORECASE)
_PRESCAN = 2048
_SAMPLE = 20_000


def decode(html: bytes, header: str | None = None) -> str:
    """The text of an HTML document. Never fails: what cannot be read becomes U+FFFD.

    >>> decode(b"caf\\xe9"), decode(b"caf\\xc3\\xa9"), decode(b"\\xe4", "iso-8859-5")
    ('café', 'café', 'ф')
    """
    for mark, codec in _MARKS:
        if html.startswith(mark):
            return html[len(mark) :].decode(codec, "replace")
    name = _named(html, header)
    if name is None:
        try:
            return html.decode()
        except UnicodeDecodeError as error:
            good_part = html[: error.start]
            if error.reason == "unexpected end of data" and not good_part.isascii():
                return good_part.decode()  # UTF-8, cut within a character
            name = _detect(html) or "cp1252"
    return html.decode(name, "replace")


def to_utf8(html: bytes, header: str | None = None) -> bytes:
    """The same in UTF-8; most documents are in that already."""
    if not html.startswith(_MARK_BYTES) and _named(html, header) in (None, "utf-8"):
        with suppress(UnicodeDecodeError):
            html.decode()
            return html
    return decode(html, header).encode("utf-8", "replace")


def _named(html: bytes, header: str | None) -> str | None:
    """The codec that a document is said to be in."""
    return _codec(header) or _named_in_meta(html) or _shift_codec(html)


def _detect(html: bytes) -> str | None:
    return _codec(cchardet.detect(html[:_SAMPLE])["encoding"])


def _shift_codec(html: bytes) -> str | None:
    """The codec of a document which says in ASCII that parts of it are none; they would pass for UTF-8."""
    starts = [at for shift in _SHIFTS if (at := html.find(shift)) >= 0]
    name = _detect(html[min(starts) :]) if starts and html.isascii() else None
    return name if name in _OF_SEVEN_BITS else None


def _named_in_meta(html: bytes) -> str | None:
    match = _IN_META.search(html, 0, _PRESCAN)
    name = _codec(match[1].decode("ascii")) if match else None
    # A meta tag that could be read at all was in neither UTF-16 nor UTF-32, whatever it says.
    return "utf-8" if name and name.startswith(("utf-16", "utf-32")) else name


@lru_cache(maxsize=100)
def _codec(label: str | None) -> str | None:
    """The codec browsers take for a label (latin-1 means windows-1252), or None for nonsense."""
    if not label:
        return None
    text = label.strip(" \"'").lower()
    name = map_encoding_to_html5(text, fallback_utf8=False) or _UNKNOWN_LABELS.get(text)
    name = _LARGER.get(name or "", name)
    try:
        # A codec that is no text encoding ("hex", "zlib") would not decode to text.
        return name if name and codecs.lookup(name)._is_text_encoding else None
    except LookupError:
        return None


# Undoes the codings of a body: chunks, gzip, deflate, brotli, zstd, each up to a limit.
#
# What a recording holds may be cut, damaged, or not encoded at all although its head says so.
# Nothing here raises for that, and nothing unpacks more than it was asked for.

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
