"""The raw exchanges of a crawl as WARC 1.1, the form in which archives keep the web.

Each record is a gzip member of its own, so that any of them can be read alone. A place tells where a response
stands, in one int: the number of its file and the offset in it; its request follows it. The document that a browser
made of a response is a record of type `conversion`, with a place of its own; nothing belongs to it.
"""

from __future__ import annotations

import base64
import hashlib
import os
import re
import uuid
import zlib
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from io import BytesIO
from itertools import islice
from pathlib import Path
from typing import BinaryIO, ClassVar, NamedTuple

from isal import isal_zlib

from salticid.store.files import folder_in, open_in, remove_in
from salticid.version import __version__

FOLDER, ARCHIVE_END = "warc", "warc"
"""The folder of the files in that of a crawl; and the fact about it how far they go."""

_FILE = re.compile(r"crawl-([0-9]{5,})\.warc\.gz")
OFFSET_BITS = 40
_LEVEL, _GZIP = 1, 16 + zlib.MAX_WBITS
_BLOCK_SIZE = 1 << 16
_LARGEST_RECORD = 256 << 20
"""Bytes of a record, unpacked; a larger one is damage."""
_BLANK_LINE = b"\r\n\r\n"
_RENDERED = "text/html; charset=utf-8"
_STILL_TRUE = ("x-robots-tag", "tdm-reservation", "content-language")
"""Fields of an answer that hold for what a browser made of it, and are kept with that."""
_ABOUT = f"software: salticid/{__version__}\r\nformat: WARC File Format 1.1\r\n".encode()


class ExchangeCopy(NamedTuple):
    """An exchange as it stands in a file: the record of its response, both records packed, the size of the first.

    Or a conversion, which is one record.
    """

    response: bytes
    packed: bytes
    size: int

    def field(self, name: str) -> str | None:
        """A field of the response's record, not of the response."""
        value = field_of(self.response, name.encode())
        return None if value is None else value.decode("utf-8", "replace")

    @property
    def is_conversion(self) -> bool:
        """Whether it is what a browser made of the response before it."""
        return is_conversion(self.response)

    @property
    def head(self) -> bytes:
        return _block(self.response).partition(_BLANK_LINE)[0]


class Archive:
    """Writes the exchanges of a crawl into files of a folder, a new one after about `file_size` bytes.

    What is added waits in memory for `flush`. A crawl that goes on where it was calls `cut_back` first;
    without that, new records go into a new file, so that nothing is overwritten.
    """

    file_size: ClassVar[int] = 1 << 30

    def __init__(self, folder: Path) -> None:
        self._crawl, self._folder = folder, folder / FOLDER
        self._number, self._size = 1 + max(numbers(self._folder), default=-1), 0
        self._waiting: dict[int, tuple[int, bytearray]] = {}

    def add(self, url: str, request: bytes, response: bytes, address: str | None, truncated: bool) -> int:
        """Take an exchange, as HTTP messages; the place of its response. `truncated`: there was more than was read."""
        date = self._begin()
        place, answer = self._place, _id()
        about = date | {"WARC-Target-URI": _line(url)}
        if address:
            about["WARC-IP-Address"] = _line(address)
        of_response = {"WARC-Payload-Digest": _digest(_payload(response)), "Content-Type": _http("response")}
        if truncated:
            of_response["WARC-Truncated"] = "length"
        of_request = {"WARC-Concurrent-To": answer, "Content-Type": _http("request")}
        self._append("response", answer, about | of_response, response)
        self._append("request", _id(), about | of_request, request)
        return place

    def add_conversion(self, url: str, place: int, html: bytes, fields: Mapping[str, str]) -> int:
        """Take the document, in UTF-8, that a browser made of the response at a place; its own place.

        It stands for itself: what the head of the response, which had these `fields`, wishes is among its own.
        """
        about = self._begin() | {"WARC-Target-URI": _line(url)}
        if original := self._name_at(place):
            about["WARC-Refers-To"] = original
        about |= {"WARC-Conversion-Software": f"Chromium salticid/{__version__}"}
        about |= {"WARC-Payload-Digest": _digest(html), "Content-Type": _RENDERED}
        about |= {name: _line(fields[name]) for name in _STILL_TRUE if name in fields}
        own_place = self._place
        self._append("conversion", _id(), about, html)
        return own_place

    def flush(self) -> tuple[int, int] | None:
        """Write all that waits; the last file's number and its size, None while nothing was ever added.

        Raises OSError where the disk is full. Nothing is lost by that: call it again.
        """
        for number in list(self._waiting):
            start, data = self._waiting[number]
            with folder_in(self._crawl, FOLDER, make=True):
                pass
            with open_file(self._folder, number, "ab") as file:
                file.truncate(start)  # what an earlier try left half written
                file.write(data)
            del self._waiting[number]
        return (self._number, self._size) if self._number or self._size else None

    def cut_back(self, to: tuple[int, int] | None) -> str | None:
        """Forget all that came after a `flush` that returned `to`; the sentence to tell the person, if any.

        A file may be shorter than it was, where power failed. It keeps its whole records, and what is added
        goes into the next file: the places of lost records belong to nobody else. A file that has a second name, in
        the folder of a merged crawl, is complete: what is added goes into the next file, too.
        """
        self._waiting.clear()
        number, size = to or (0, 0)
        for later in numbers(self._folder):
            if later > number:
                remove_file(self._folder, later)
        file = file_of(self._folder, number)
        whole = size if _size(file) >= size else _whole(file)
        if not whole:
            remove_file(self._folder, number)
        elif _size(file) != whole:
            with open_file(self._folder, number, "r+b") as opened:
                opened.truncate(whole)
        if whole == size:
            is_shared = bool(size) and file.lstat().st_nlink > 1
            self._number, self._size = (number + 1, 0) if is_shared else (number, size)
            return None
        self._number, self._size = number + 1, 0
        return (
            f"the last {size - whole:,} of {size:,} bytes of {file} never reached the disk, "
            "and the raw exchanges in them are lost"
        )

    def close(self) -> None:
        """Flush, and see to it that a power cut takes nothing any more."""
        self.flush()
        if self._size:
            with open_file(self._folder, self._number) as file:
                os.fsync(file.fileno())

    @property
    def _place(self) -> int:
        """The place of the next record."""
        return self._number << OFFSET_BITS | self._size

    def _begin(self) -> dict[str, str]:
        """Make a new file where one is due; the date of what comes now."""
        if self._size >= self.file_size:
            self._number, self._size = self._number + 1, 0
        date = {"WARC-Date": _now()}
        if not self._size:
            self._append("warcinfo", _id(), date | {"Content-Type": "application/warc-fields"}, _ABOUT)
        return date

    def _name_at(self, place: int) -> str | None:
        """The id of the record at a place, be it written or not; None if there is none."""
        number, start = _parts(place)
        first, data = self._waiting.get(number, (0, b""))
        if data and start >= first:
            record = next(records_from(BytesIO(data), start - first), None)
        else:
            try:
                with open_file(self._folder, number) as file:
                    record = next(records_from(file, start), None)
            except FileNotFoundError:
                return None
        name = record and field_of(record[1], b"WARC-Record-ID")
        return name.decode() if name else None

    def _append(self, kind: str, name: str, fields: dict[str, str], block: bytes) -> None:
        member = _record(kind, name, fields, block)
        self._waiting.setdefault(self._number, (self._size, bytearray()))[1].extend(member)
        self._size += len(member)


def read(folder: Path, place: int) -> tuple[bytes, bytes] | None:
    """Request and response at a place, as HTTP messages; None where they are not, or not whole.

    A conversion is read as the answer that it would be, to a request that nobody made.
    """
    exchange = _exchange(folder, place)
    if exchange is None:
        return None
    return (
        _block(exchange[1]),
        _as_answer(exchange[0]) if is_conversion(exchange[0]) else _block(exchange[0]),
    )


def copy(folder: Path, place: int) -> ExchangeCopy | None:
    """The response and the request at a place as they stand in the file, to be put into another WARC."""
    exchange = _exchange(folder, place)
    return None if exchange is None else ExchangeCopy(exchange[0], *exchange[2:])


def _record(kind: str, name: str, fields: dict[str, str], block: bytes) -> bytes:
    """A record, packed."""
    last = {"WARC-Block-Digest": _digest(block), "Content-Length": str(len(block))}
    whole = {"WARC-Type": kind, "WARC-Record-ID": name} | fields | last
    lines = [f"{field}: {value}" for field, value in whole.items()]
    head = "\r\n".join(["WARC/1.1", *lines, "", ""]).encode("utf-8", "replace")
    return isal_zlib.compress(b"".join([head, block, _BLANK_LINE]), _LEVEL, _GZIP)


def _line(value: str) -> str:
    """A value from outside, which may not begin a line of its own."""
    return " ".join(value.split())


def _id() -> str:
    return f"<urn:uuid:{uuid.uuid4()}>"


def _now() -> str:
    return datetime.now(UTC).replace(tzinfo=None).isoformat(timespec="microseconds") + "Z"


def _http(kind: str) -> str:
    return f"application/http;msgtype={kind}"


def _digest(data: bytes | memoryview) -> str:
    digest = hashlib.sha1(data, usedforsecurity=False).digest()
    return f"sha1:{base64.b32encode(digest).decode()}"


def _payload(message: bytes) -> memoryview:
    """What follows the head of an HTTP message."""
    blank = message.find(_BLANK_LINE)
    return memoryview(message)[len(message) if blank < 0 else blank + len(_BLANK_LINE) :]


def file_of(folder: Path, number: int) -> Path:
    return folder / f"crawl-{number:05}.warc.gz"


def open_file(folder: Path, number: int, mode: str = "rb") -> BinaryIO:
    """Open a file of an archive; neither it nor the folder of the archive may be a symlink."""
    return open_in(folder.parent, f"{folder.name}/{file_of(folder, number).name}", mode)


def remove_file(folder: Path, number: int) -> None:
    """Remove a file of an archive, if it is there; the folder of the archive may not be a symlink."""
    remove_in(folder.parent, f"{folder.name}/{file_of(folder, number).name}")


def numbers(folder: Path) -> list[int]:
    """The files of an archive, by number."""
    names = (_FILE.fullmatch(path.name) for path in folder.iterdir()) if folder.is_dir() else ()
    return sorted(int(name[1]) for name in names if name)


def _size(file: Path) -> int:
    return file.stat().st_size if file.exists() else 0


def _whole(file: Path) -> int:
    """How many bytes of a file are whole records."""
    if not file.exists():
        return 0
    with open_in(file.parent.parent, f"{file.parent.name}/{file.name}") as stream:
        return max((end for end, _ in records_from(stream, 0)), default=0)


def records_from(file: BinaryIO, at: int) -> Iterator[tuple[int, bytes]]:
    """The records from an offset on, each with the offset of its end, up to the first that is not whole."""
    file.seek(at)
    data = b""
    while True:
        member, parts, size = zlib.decompressobj(_GZIP), list[bytes](), 0
        while not member.eof:
            data = data or file.read(_BLOCK_SIZE)
            if not data:
                return
            try:
                parts.append(member.decompress(data, _LARGEST_RECORD - size + 1))
            except zlib.error:
                return
            size += len(parts[-1])
            if size > _LARGEST_RECORD:
                return
            at += len(data) - len(member.unused_data)
            data = member.unused_data
        yield at, b"".join(parts)


def _exchange(folder: Path, place: int) -> tuple[bytes, bytes, bytes, int] | None:
    """The records of response and request at a place, both as they stand in the file, the first one's size there."""
    number, start = _parts(place)
    try:
        with open_file(folder / FOLDER, number) as file:
            records = list(islice(records_from(file, start), 2))
            if records and is_conversion(records[0][1]):
                file.seek(start)
                size = records[0][0] - start
                return records[0][1], b"", file.read(size), size
            if len(records) < 2 or not belong(records[0][1], records[1][1]):
                return None
            file.seek(start)
            return records[0][1], records[1][1], file.read(records[1][0] - start), records[0][0] - start
    except FileNotFoundError:
        return None


def _parts(place: int) -> tuple[int, int]:
    """The number of a file, and an offset in it."""
    return place >> OFFSET_BITS, place & ((1 << OFFSET_BITS) - 1)


def is_conversion(record: bytes) -> bool:
    """Whether a record is what a browser made of a response."""
    return field_of(record, b"WARC-Type") == b"conversion"


def _as_answer(conversion: bytes) -> bytes:
    """A conversion as an HTTP message."""
    fields = [(name.encode(), field_of(conversion, name.encode())) for name in ("Content-Type", *_STILL_TRUE)]
    lines = [b"HTTP/1.1 200 OK", *(b"%b: %b" % (name, value) for name, value in fields if value is not None)]
    return b"\r\n".join([*lines, b"", _block(conversion)])


def belong(response: bytes, request: bytes) -> bool:
    """Whether two records are of one exchange."""
    name = field_of(response, b"WARC-Record-ID")
    return name is not None and field_of(request, b"WARC-Concurrent-To") == name


def field_of(record: bytes, name: bytes) -> bytes | None:
    """A field of the head of a record."""
    match = re.search(rb"\r\n%b: ([^\r]*)" % name, record.partition(_BLANK_LINE)[0])
    return match[1] if match else None


def _block(record: bytes) -> bytes:
    return record.partition(_BLANK_LINE)[2][: -len(_BLANK_LINE)]
