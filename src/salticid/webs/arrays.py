"""A folder of flat arrays: written as a stream, opened as a memory map, whatever their size.

`world.json` names the format, the digest of all arrays, and the type and CRC-32 of each. The arrays of one
world never change once they are written. A world may come from somebody else, so it is checked when it is opened.
"""

from __future__ import annotations

import errno
import hashlib
import mmap
import os
import stat
from array import array
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, BinaryIO, Generic, TypeVar

import msgspec
import numpy as np
import numpy.typing as npt
from isal.isal_zlib import crc32

from salticid.errors import UserError

# The arrays of a world: what each is called on disk and of which type it is. Who writes or reads one names it here.
#
# Rows are answers, in the order of recording. A page, in that order too, has a stretch of each of the arrays of
# `TOKEN`, `AREA`, `LINK`, `TITLE` and `TEXT`; their `end` says of each page where its stretch ends.

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
    each.name: each
    for group in (URL, HOST, WORD, ROW, PAGE, TOKEN, AREA, LINK, TITLE, TEXT, STEM)
    for attribute in dir(group)
    if isinstance(each := getattr(group, attribute), WorldArray)
} | {STEM_OF.name: STEM_OF}
"""All arrays of a world by name."""


FORMAT = 1
MANIFEST = "world.json"
_CRAWL = "crawl.db"
"""What a folder holds that a crawl was told by --out, and somebody takes for a world."""
_BLOCK = 1 << 20
_LARGEST_MANIFEST = 16 << 20


class Manifest(msgspec.Struct, forbid_unknown_fields=True):
    """What stands in a world's manifest."""

    format: int
    digest: Annotated[str, msgspec.Meta(pattern="^[0-9a-f]{32}$")]
    built_from: str
    stems: str
    left_out: dict[str, int]
    arrays: dict[str, str]
    checksums: dict[str, int] = {}
    """The CRC-32 of each array; worlds of earlier versions have none."""


class _Version(msgspec.Struct):
    format: int


class ArrayWriter:
    """Writes named arrays side by side; `close` seals them under a digest."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        folder.mkdir(parents=True)
        self._files: dict[str, BinaryIO] = {}
        self._types: dict[str, str] = {}

    def path(self, array: WorldArray[Number]) -> Path:
        """The file of an array that the caller writes."""
        self._types[array.name] = array.dtype
        return self.folder / f"{array.name}.bin"

    def append(self, array: WorldArray[Number], values: npt.NDArray[Number] | Sequence[float]) -> None:
        """Add values to an array."""
        if not isinstance(values, np.ndarray):
            values = np.array(values, array.kind)
        elif values.dtype != array.kind:
            raise TypeError(f"array {array.name} holds {array.dtype}, not {values.dtype.str}")
        file = self._files.get(array.name)
        if file is None:
            file = self._files[array.name] = self.path(array).open("wb", buffering=_BLOCK)
        file.write(np.ascontiguousarray(values).data)

    def abandon(self) -> None:
        """Let go of all files."""
        for file in self._files.values():
            file.close()

    def close(self, built_from: str, stems: str, left_out: dict[str, int]) -> Manifest:
        """Finish all arrays and write the manifest last, so that a world is whole or not there.

        Arrays that only save work do not count for the digest.
        """
        self.abandon()
        digest = hashlib.blake2b(digest_size=16)
        types, checksums = dict(sorted(self._types.items())), {}
        for name, kind in types.items():
            counts, checksum = not name.startswith(DERIVED_PREFIX), 0
            if counts:
                digest.update(f"{name} {kind}\n".encode())
            with (self.folder / f"{name}.bin").open("rb") as file:
                while block := file.read(_BLOCK):
                    checksum = crc32(block, checksum)
                    if counts:
                        digest.update(block)
            checksums[name] = checksum
        manifest = Manifest(FORMAT, digest.hexdigest(), built_from, stems, left_out, types, checksums)
        (self.folder / MANIFEST).write_bytes(msgspec.json.format(msgspec.json.encode(manifest), indent=1))
        return manifest


class Arrays:
    """The arrays of a finished folder, each mapped when it is first asked for."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        try:
            with open_regular(folder / MANIFEST) as file:
                data = file.read(_LARGEST_MANIFEST)
            version = msgspec.json.decode(data, type=_Version).format
            if version != FORMAT:
                raise UserError(f"{folder} is a world of format {version}, this program reads {FORMAT}; build it again")
            self.manifest = msgspec.json.decode(data, type=Manifest)
        except FileNotFoundError:
            if (folder / _CRAWL).is_file():
                raise UserError(
                    f"{folder} is a crawl, no world; make one of it with "
                    f"'salticid world build {folder}-world --crawl {folder}', and name that"
                ) from None
            raise UserError(
                f"{folder} is no world: it has no {MANIFEST}; make one with 'salticid world build {folder} ...'"
            ) from None
        except (msgspec.DecodeError, OSError) as error:
            raise UserError(f"{folder} cannot be read as a world: {error}; build it again") from None

    def __getitem__(self, array: WorldArray[Number]) -> npt.NDArray[Number]:
        name, dtype = array.name, np.dtype(array.kind)
        try:
            kind = self.manifest.arrays[name]
            file = open_regular(self.folder / f"{name}.bin")
        except (KeyError, OSError):
            raise UserError(f"{self.folder} is not whole: its array {name} is missing; build it again") from None
        with file:
            if kind != array.dtype:
                raise UserError(
                    f"{self.folder} is not whole: its array {name} holds {kind}, not {array.dtype}; build it again"
                )
            size = file.seek(0, 2)
            if size % dtype.itemsize:
                raise self.damage(name, f"{size} bytes are not a multiple of {dtype.itemsize}")
            if not size:
                return np.zeros(0, dtype)
            return np.frombuffer(mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ), dtype, size // dtype.itemsize)

    def check_sums(self, derived: bool = False) -> None:
        """All arrays, or all derived ones, must have the checksums of the manifest, if it has any."""
        checksums = self.manifest.checksums
        if not checksums:
            return
        for name, known in ARRAYS.items():
            if name.startswith(DERIVED_PREFIX) == derived and crc32(self[known].data) != checksums.get(name):
                raise self.damage(name, "its checksum is wrong")

    def damage(self, name: str, what: str) -> UserError:
        """The error that says what is wrong with an array."""
        return UserError(f"{self.folder / name}.bin is damaged: {what}; build or download the world again")

    def check_length(self, array: WorldArray[Number], length: int) -> None:
        """An array must have as many numbers as those beside it."""
        if len(self[array]) != length:
            raise self.damage(array.name, f"it holds {len(self[array])} numbers, not {length}")

    def check_range(self, array: WorldArray[np.int32], least: int, end: int) -> None:
        """All numbers of an array must be from `least` to below `end`: compiled loops use them as places."""
        numbers = self[array]
        if len(numbers) and (int(numbers.min()) < least or int(numbers.max()) >= end):
            raise self.damage(array.name, f"a number is outside {least} to {end - 1}")

    def check_texts(self, table: TextArrays) -> None:
        """The texts of a table must fill its bytes, and each must be found by its hash."""
        many = len(self[table.end])
        self.check_ends(table.end, many, len(self[table.text]))
        self.check_length(table.hash, many)
        self.check_length(table.by_hash, many)
        self.check_range(table.by_hash, 0, many)

    def check_places(
        self, places: WorldArray[np.int32], ends: WorldArray[np.uint64], tokens: npt.NDArray[np.uint64]
    ) -> None:
        """The places of each page, whose last is before its end, must be within its `tokens`."""
        most = np.repeat(tokens, np.diff(self[ends], prepend=np.uint64(0)).astype(np.int64))
        if (self[places].view(np.uint32) > most).any():
            raise self.damage(places.name, "a number is outside its page")

    def check_order(self, places: WorldArray[np.int32], ends: WorldArray[np.uint64]) -> None:
        """The places of each page, whose last is before its end, must ascend."""
        is_first = np.zeros(len(self[places]) + 1, np.bool_)
        is_first[self[ends].astype(np.int64)] = True
        if ((np.diff(self[places]) < 0) & ~is_first[1:-1]).any():
            raise self.damage(places.name, "the numbers of a page do not ascend")

    def check_ends(self, array: WorldArray[np.uint64], many: int, size: int) -> None:
        """Ends must ascend, one for each of `many`, up to `size`."""
        self.check_length(array, many)
        ends = self[array]
        if (int(ends[-1]) if many else 0) != size or (ends[1:] < ends[:-1]).any():
            raise self.damage(array.name, f"its ends do not ascend to {size}")


def open_regular(path: Path) -> BinaryIO:
    """Open a file of a world for reading; UserError if it is a symlink, pipe or device, which could lead anywhere."""
    try:
        file = os.fdopen(os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC), "rb")
        if stat.S_ISREG(os.fstat(file.fileno()).st_mode):
            return file
        file.close()
    except OSError as error:
        if error.errno not in (errno.ELOOP, errno.EMLINK, errno.ENXIO, errno.EISDIR):
            raise
    raise UserError(f"{path} is a symlink or not a regular file; replace it by a copy of what it leads to")


def text_hash(text: bytes) -> int:
    """The hash under which a text is found on disk: the same on every machine."""
    return int.from_bytes(hashlib.blake2b(text, digest_size=8).digest(), "little")


def write_texts(writer: ArrayWriter, table: TextArrays, texts: Sequence[bytes]) -> None:
    """A table of texts, small enough to be at hand."""
    writer.append(table.text, np.frombuffer(b"".join(texts), np.uint8))
    write_index(writer, table, array("Q", np.cumsum([len(text) for text in texts]).tolist()), texts)


def write_index(writer: ArrayWriter, table: TextArrays, ends: array[int], texts: Iterable[bytes]) -> None:
    """Make the texts of a heap findable: their ends, and their hashes in ascending order with their ids."""
    writer.append(table.end, np.frombuffer(ends, np.uint64) if ends else np.zeros(0, np.uint64))
    hashes = np.fromiter(map(text_hash, texts), np.uint64, len(ends))
    order = np.argsort(hashes, kind="stable").astype(np.int32)
    writer.append(table.hash, hashes[order])
    writer.append(table.by_hash, order)
