"""WARC files as the source of a world, whatever state they are in."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from lzma import FORMAT_XZ, LZMADecompressor, LZMAError
from pathlib import Path
from typing import BinaryIO

from fastwarc.stream_io import ZstdReader

from salticid.errors import UserError
from salticid.parse import InflatingFile, Readable
from salticid.worlds.answers import Answer, Unread, path_text
from salticid.worlds.warc_records import WarcRecord, records
from salticid.worlds.writer import Head, longest_block, split, to_answer

# Revisit records: an answer that was the same as another, which stands elsewhere, perhaps in another file.

_NOT_MODIFIED = 304
_OWN_FIELDS = ("content-type", "last-modified", "location")
"""Fields of an answer of its own that a revisit may have."""
_CODING_FIELDS = ("content-encoding", "transfer-encoding")


@dataclass(frozen=True, slots=True)
class _Revisit:
    """The URL that was asked, and what of the head is its own."""

    url: str
    head: Head | None


class Revisits:
    """Those that were met, and by what name each knows the record that holds its answer.

    That is the record's id, its URL and date, or the digest of its payload; the first record with any of them counts.
    """

    def __init__(self) -> None:
        self._revisits: dict[int, _Revisit] = {}
        self._by_name: dict[str, list[int]] = {}

    def __len__(self) -> int:
        return len(self._revisits)

    def add(self, revisit: WarcRecord) -> None:
        """A revisit, whose answer is to be found."""
        number = len(self._revisits)
        self._revisits[number] = _Revisit(target(revisit), _own_head(revisit))
        fields = revisit.fields
        date = fields.get("warc-refers-to-date", "")
        uri = _bare(fields.get("warc-refers-to-target-uri", "")) or target(revisit)
        for name in _names(fields.get("warc-refers-to", ""), uri, date, fields.get("warc-payload-digest", "")):
            self._by_name.setdefault(name, []).append(number)

    def answers(self, record: WarcRecord) -> Iterator[Answer]:
        """The answers of all revisits to this record that have none yet."""
        if record.fields.get("warc-type", "").lower() != "response":
            return
        fields = record.fields
        names = _names(
            fields.get("warc-record-id", ""),
            target(record),
            fields.get("warc-date", ""),
            fields.get("warc-payload-digest", ""),
        )
        numbers = sorted({number for name in names for number in self._by_name.get(name, ())})
        for number in numbers:
            parts = split(record.block) if number in self._revisits else None
            if parts is not None and parts[0].status is not None:
                yield _answer(self._revisits.pop(number), *parts)

    def unread(self) -> Iterator[Unread]:
        """Those whose answer was not found."""
        for revisit in self._revisits.values():
            yield Unread("revisit record", revisit.url)


def target(record: WarcRecord) -> str:
    """The URL of a record."""
    return _bare(record.fields.get("warc-target-uri", ""))


def _bare(uri: str) -> str:
    return uri.removeprefix("<").removesuffix(">")


def _names(identity: str, uri: str, date: str, digest: str) -> list[str]:
    """Names that a record may be referred to by, those that are known of it."""
    place_and_date = f"{uri} {date}" if uri and date else ""
    return [name for name in (identity, place_and_date, digest) if name]


def _own_head(revisit: WarcRecord) -> Head | None:
    """What the server said this time, if the record holds it and it is more than that nothing has changed."""
    parts = split(revisit.block)
    if parts is None or parts[0].status in (None, _NOT_MODIFIED):
        return None
    return Head(parts[0].status, _pick(parts[0], _OWN_FIELDS))


def _answer(revisit: _Revisit, head: Head, body: bytes) -> Answer:
    """The answer that a revisit stands for: its own head, if it has one, and the body of the other."""
    own = revisit.head or Head(head.status, _pick(head, _OWN_FIELDS))
    return to_answer(revisit.url, Head(own.status, {**own.fields, **_pick(head, _CODING_FIELDS)}), body)


def _pick(head: Head, names: tuple[str, ...]) -> dict[str, str]:
    return {name: head.fields[name] for name in names if name in head.fields}


_GZIP, _XZ, _ZSTD = b"\x1f\x8b", b"\xfd7zXZ", (b"\x28\xb5\x2f\xfd", b"\x5d\x2a\x4d\x18")
_ARC = b"filedesc://"
_BLOCK = 1 << 16
_MOST_OF_XZ = 128 << 20
"""Bytes that a file in xz may make us take to read it; its own tool takes half as many at the most."""
_ARC_FILE = "ARC file, the form before WARC (warcio recompress OLD.arc.gz NEW.warc.gz makes it a WARC)"
_ABOUT_OTHERS = ("warcinfo", "request", "metadata")
"""Records that hold no answer, so that nothing is lost with them."""
_OTHERS = ("conversion", "continuation")


class WarcFiles:
    """The answers in WARC files, plain or compressed with gzip, zstd or xz, in their order.

    Responses and resources are answers. A revisit stands for an answer that is elsewhere: when all files are read and
    there are any, the files are read again for those. What is not found, and other records, are `Unread`; so is what
    is cut, damaged or no WARC at all, with the reason. Of each record at most `longest_block` bytes are in memory.
    """

    def __init__(self, paths: Sequence[Path]) -> None:
        if not paths:
            raise UserError("no WARC file given; name at least one .warc, .warc.gz or .warc.zst")
        self.size = sum(_size(path) for path in paths)
        self.done = 0
        self.name = f"WARC {path_text(paths[0])}" + (f" and {len(paths) - 1} more" if len(paths) > 1 else "")
        self._paths = tuple(paths)

    def __iter__(self) -> Iterator[Answer | Unread]:
        self.done = 0
        revisits = Revisits()
        for item in self._records():
            if isinstance(item, Unread):
                yield item
            elif item.fields.get("warc-type", "").lower() == "revisit":
                revisits.add(item)
            elif (answer := _item(item)) is not None:
                yield answer
        if revisits:
            for item in self._records():
                if isinstance(item, WarcRecord):
                    yield from revisits.answers(item)
        yield from revisits.unread()

    def _records(self) -> Iterator[WarcRecord | Unread]:
        before = 0
        for path in self._paths:
            try:
                with path.open("rb") as file:
                    for item in _file_records(file, path_text(path)):
                        self.done = before + file.tell()
                        yield item
                    before += file.seek(0, 2)
                    self.done = before
            except OSError as error:  # readable a while ago
                yield _damage(path_text(path), error.strerror or str(error))


def _size(path: Path) -> int:
    try:
        with path.open("rb") as file:
            return file.seek(0, 2)
    except IsADirectoryError:
        raise UserError(f"{path} is a folder; name the WARC files in it, such as {path}/*.warc.gz") from None
    except FileNotFoundError:
        raise UserError(f"there is no file {path}; check the name of the WARC file") from None
    except OSError as error:
        raise UserError(f"cannot read {path}: {error.strerror}; check its permissions") from None


def _file_records(file: BinaryIO, name: str) -> Iterator[WarcRecord | Unread]:
    if _is_arc(file):
        yield Unread(_ARC_FILE, name)
        return
    for item in records(partial(_stream, file), longest_block):
        yield item if isinstance(item, WarcRecord) else _damage(name, item.what)


def _is_arc(file: BinaryIO) -> bool:
    try:
        return _stream(file).read(len(_ARC)) == _ARC
    except OSError:
        return False


def _stream(file: BinaryIO) -> Readable:
    """The file from its start, without its compression."""
    file.seek(0)
    start = file.read(len(_XZ))
    file.seek(0)
    plain: Readable = file
    if start.startswith(_GZIP):
        plain = _GunzipReader(file)
    elif start.startswith(_ZSTD):
        plain = _Unzstd(file)
    elif start.startswith(_XZ):
        plain = _Unxz(file)
    return plain


class _GunzipReader(InflatingFile):
    """Where its data end too early or are damaged it raises, as files do."""

    def read(self, size: int = -1, /) -> bytes:
        plain = super().read(size)
        if not plain and self.damage:
            raise OSError(self.damage)
        return plain


class _Unzstd:
    """Gives all that comes before a damage: the reader would keep what it has read in the same call."""

    def __init__(self, file: BinaryIO) -> None:
        self._file = file
        self._position = 0
        self._careful = False
        self._reader = ZstdReader(file)

    def read(self, size: int = -1, /) -> bytes:
        try:
            plain: bytes = self._reader.read(1 if self._careful else size)
        except OSError:
            if self._careful:
                raise
            self._careful = True
            self._file.seek(0)
            self._reader = ZstdReader(self._file)
            rest = self._position
            while rest:
                rest -= len(self._reader.read(min(rest, size)))
            return self.read(size)
        self._position += len(plain)
        return plain


class _Unxz:
    """Gives all that comes before a damage, and raises there, as files do."""

    def __init__(self, file: BinaryIO) -> None:
        self._file = file
        self._stream: LZMADecompressor | None = None

    def read(self, size: int = -1, /) -> bytes:
        plain = b""
        while not plain:
            data = b""
            if self._stream is None or self._stream.eof:
                data = (self._stream.unused_data if self._stream else b"") or self._file.read(_BLOCK)
                if not data:
                    break
                self._stream = LZMADecompressor(FORMAT_XZ, memlimit=_MOST_OF_XZ)
            elif self._stream.needs_input and not (data := self._file.read(_BLOCK)):
                raise OSError("compressed data end too early")
            try:
                plain = self._stream.decompress(data, size)
            except LZMAError as error:
                raise OSError(f"compressed data are damaged ({error})") from None
        return plain


def _item(record: WarcRecord) -> Answer | Unread | None:
    url = target(record)
    match record.fields.get("warc-type", "").lower():
        case "resource":
            fields = {"content-type": record.fields.get("content-type", "")}
            return to_answer(url, Head(200, fields), record.block)
        case "response":
            parts = split(record.block)
            if parts is None or parts[0].status is None:
                return Unread("no HTTP answer", url)
            return to_answer(url, *parts)
        case kind if kind in _ABOUT_OTHERS:
            return None
        case kind:
            return Unread(f"{kind if kind in _OTHERS else 'unknown'} record", url)


def _damage(name: str, what: str) -> Unread:
    return Unread("damaged WARC", f"{name}: {what}")
