"""WARC files as the source of a world, whatever state they are in."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import BinaryIO

from fastwarc.warc import ArchiveIterator, WarcRecord, WarcRecordType

from salticid.errors import UserError
from salticid.parse.codings import Inflated
from salticid.worlds.answers import Answer, Unread
from salticid.worlds.http import MAX_BLOCK, Head, split, to_answer
from salticid.worlds.paths import shown

_GZIP = b"\x1f\x8b"
_ABOUT_OTHERS = (WarcRecordType.warcinfo, WarcRecordType.request, WarcRecordType.metadata)
"""Records that hold no answer, so that nothing is lost with them."""


class WarcFiles:
    """The answers in WARC files, plain or compressed with gzip or zstd, in their order.

    Responses and resources are answers; revisits and other records that stand for one without holding
    it are `Unread`. A file that is cut, damaged or no WARC at all gives what can be read of it, then one
    `Unread` with the reason. Of each record at most `MAX_BLOCK` bytes are in memory.
    """

    def __init__(self, paths: Sequence[Path]) -> None:
        if not paths:
            raise UserError("no WARC file given; name at least one .warc, .warc.gz or .warc.zst")
        self.size = sum(_size(path) for path in paths)
        self.done = 0
        self.name = f"WARC {shown(paths[0])}" + (f" and {len(paths) - 1} more" if len(paths) > 1 else "")
        self._paths = tuple(paths)

    def __iter__(self) -> Iterator[Answer | Unread]:
        self.done = 0
        for path in self._paths:
            before = self.done
            try:
                with path.open("rb") as file:
                    for item in _records(file, shown(path)):
                        self.done = before + file.tell()
                        yield item
                    self.done = before + file.seek(0, 2)
            except OSError as error:  # readable a while ago
                yield _damaged(shown(path), error.strerror or str(error))


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


def _records(file: BinaryIO, name: str) -> Iterator[Answer | Unread]:
    packed = Inflated(file) if _starts_with(file, _GZIP) else None
    records = iter(ArchiveIterator(packed or file, parse_http=False))
    damage, seen = "", 0
    while not damage:
        try:
            record = next(records, None)
            block = _block(record) if record else b""
        except OSError as error:
            damage = f"cannot be read further ({error})"
            break
        if record is None:
            damage = "" if seen else "holds no WARC record"
            break
        if block is None:
            damage = "ends in the middle of a record"
        elif record.record_type not in _ABOUT_OTHERS:
            yield _item(record, block)
        seen += 1
    # fastwarc cannot tell where unpacking failed from where the file ends.
    damage = (packed.damage if packed else "") or damage
    if damage:
        yield _damaged(name, damage)


def _starts_with(file: BinaryIO, mark: bytes) -> bool:
    start = file.read(len(mark))
    file.seek(0)
    return start == mark


def _block(record: WarcRecord) -> bytes | None:
    """The first `MAX_BLOCK` bytes of a record, the rest passed over; None if the file ends within it."""
    length = (record.headers.get("Content-Length") or "").strip()
    block = record.reader.read(MAX_BLOCK)
    whole = length.isdecimal() and len(block) + record.reader.consume() >= int(length)
    return block if whole else None


def _item(record: WarcRecord, block: bytes) -> Answer | Unread:
    url = (record.headers.get("WARC-Target-URI") or "").strip().removeprefix("<").removesuffix(">")
    match record.record_type:
        case WarcRecordType.resource:
            fields = {"content-type": record.headers.get("Content-Type") or ""}
            return to_answer(url, Head(200, fields), block)
        case WarcRecordType.response:
            parts = split(block)
            if parts is None or parts[0].status is None:
                return Unread("no HTTP answer", url)
            return to_answer(url, *parts)
        case other:
            return Unread(f"{other} record", url)


def _damaged(name: str, what: str) -> Unread:
    return Unread("damaged WARC", f"{name}: {what}")
