"""The records of a WARC file, one after the other; a record that lies about its length costs itself alone."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from salticid.parse import Readable

_CHUNK = 1 << 16
_LONGEST_HEAD = 1 << 16
_HEAD = re.compile(rb"WARC/\d\.\d+[ \t]*\r?\n(.*?\n)\r?\n", re.DOTALL)
_FOLD = re.compile(r"\r?\n[ \t]+")
_START = re.compile(rb"(?<=\n)WARC/\d\.\d+[ \t]*\r?\n[\w-]+:")
_LONGEST_START = 200
_SEPARATOR, _BLANKS, _NEXT = b"\r\n\r\n", b"\r\n", b"WARC/"
_MOST_REWINDS = 20


@dataclass(frozen=True, slots=True)
class WarcRecord:
    """The fields of a record, names in lower case, and its block, or the start of a long one."""

    fields: dict[str, str]
    block: bytes


@dataclass(frozen=True, slots=True)
class DamagedPart:
    """A part of the file that could not be read, in words."""

    what: str


def records(open_stream: Callable[[], Readable], longest: Callable[[bytes], int]) -> Iterator[WarcRecord | DamagedPart]:
    """All records of a stream, with at most as many bytes of each block in memory as `longest` says of its start.

    Where a record does not end where it says, or where there is none, the next one is looked for from its head on.
    For this the stream is opened again when much of it was passed over already, but not without end.
    """
    window, rewinds, has_records = _Window(open_stream()), 0, False
    while window.fill(_LONGEST_HEAD):
        start = window.at
        head = _HEAD.match(window.data, 0, _LONGEST_HEAD)
        record = _record(window, head, longest) if head else None
        if record is not None:
            has_records = True
            yield record
            window.drop_blanks()
            continue
        behind = start + (head.end() if head else 1)
        if behind < window.at:
            rewinds += 1
            if rewinds > _MOST_REWINDS:
                yield DamagedPart(f"more than {_MOST_REWINDS} long records do not end where they say")
                return
            window = _Window(open_stream())
            window.drop(behind - 1)
        if not window.find(_START, behind - window.at):
            cause = "ends in the middle of a record" if has_records or head else _NO_RECORD
            yield DamagedPart(window.trouble or cause)
            return
        yield DamagedPart(f"no whole record at byte {start:,}, where one should be")
    if window.trouble or not has_records:
        yield DamagedPart(window.trouble or _NO_RECORD)


_NO_RECORD = "holds no WARC record"


class _Window:
    """What was read of a stream and not passed over yet.

    `at` is where it begins in the stream; `trouble` says why the stream ended, where it should not have.
    """

    def __init__(self, stream: Readable) -> None:
        self.data = bytearray()
        self.at = 0
        self.trouble = ""
        self._stream = stream

    def fill(self, size: int) -> int:
        """Read until there are so many bytes, if there are; how many there are then."""
        while len(self.data) < size:
            try:
                block = self._stream.read(_CHUNK)
            except OSError as error:
                self.trouble = f"cannot be read further ({error})"
                break
            if not block:
                break
            self.data += block
        return len(self.data)

    def copy(self, start: int, size: int) -> bytes:
        with memoryview(self.data) as data:
            return bytes(data[start : start + size])

    def drop(self, size: int) -> bool:
        """Pass over so many bytes; whether there were as many."""
        end = self.at + size
        while self.at < end and self.fill(min(end - self.at, _CHUNK)):
            count = min(end - self.at, len(self.data))
            del self.data[:count]
            self.at += count
        return self.at == end

    def drop_blanks(self) -> None:
        """Pass over empty lines."""
        while self.fill(_CHUNK) and self.data[0] in _BLANKS:
            self.drop(len(self.data) - len(self.data.lstrip(_BLANKS)))

    def find(self, start: re.Pattern[bytes], after: int) -> bool:
        """Pass over all that stands before the next match; False when there is none."""
        while not (match := start.search(self.data, after)):
            size = len(self.data)
            if self.fill(size + 1) == size:
                return False
            count = max(size - _LONGEST_START, 0)
            self.drop(count)
            after = max(after - count, 1)
        return self.drop(match.start())


def _record(window: _Window, head: re.Match[bytes], longest: Callable[[bytes], int]) -> WarcRecord | None:
    """The record with this head, which is passed over; None when it does not end where it says."""
    fields, end = _fields(head[1].decode("utf-8", "replace")), head.end()
    length = fields.get("content-length", "")
    if not (length.isdecimal() and length.isascii()):
        return None
    size = int(length[:18])
    start = min(size, _CHUNK)
    window.fill(end + start)
    room = min(size, longest(window.copy(end, start)))
    if window.fill(end + room) < end + room:
        return None
    block = window.copy(end, room)
    end += size
    if size > room:
        if not window.drop(end):
            return None
        end = 0
    window.fill(end + _CHUNK)
    behind = window.copy(end, _CHUNK)
    if not (behind.startswith(_SEPARATOR) or _NEXT.startswith(behind.lstrip(_BLANKS)[: len(_NEXT)])):
        return None
    window.drop(end)
    return WarcRecord(fields, block)


def _fields(head: str) -> dict[str, str]:
    """The first field of every name."""
    fields: dict[str, str] = {}
    for line in _FOLD.sub(" ", head).splitlines():
        name, colon, value = line.partition(":")
        if colon:
            fields.setdefault(name.strip().lower(), value.strip())
    return fields
