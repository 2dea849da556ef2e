"""The snapshot of a live crawl: its state when a run ended, beside its log.

It holds the crawl, its strategy, its judge and what the driver knows of sites. A run that resumes fills itself from it
and replays only the visits that came after. It only saves time: without it, the log is replayed.

A snapshot is signed with a key that never leaves this machine. The signature is checked before anything is read, and
what is read is checked against the schema (`salticid.snapshots`). A snapshot of another machine, program, library or
log, or one that is damaged, is ignored.
"""

from __future__ import annotations

import os
import secrets
import stat
import sys
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from functools import cache
from hashlib import blake2b
from hmac import compare_digest
from importlib.metadata import PackageNotFoundError, requires, version
from pathlib import Path
from re import match
from types import MappingProxyType
from typing import IO, Any, NamedTuple

import msgspec
import zstandard

from salticid.crawl import Crawl
from salticid.model import Choice
from salticid.protocols import Judge, Strategy
from salticid.registry import settings_of
from salticid.snapshots import CannotBeKept, InvalidSnapshot, Known, Reading, Writing, is_declared
from salticid.store import SNAPSHOT, CrawlLog, LogMark, UnsafeFile, choice_at, fits, mark_of, open_in
from salticid.version import __version__

FORMAT = 2
LEAST_VISITS = 300
"""A log of fewer visits is replayed as quickly."""
_MAGIC = b"salticid"
_KEY_BYTES = _SIGNATURE_BYTES = 32
_AT_ONCE = 1 << 20
_ODD = (
    OSError, EOFError, ValueError, TypeError, LookupError, AttributeError, MemoryError, RecursionError,
    zstandard.ZstdError, msgspec.MsgspecError, UnsafeFile,
)  # fmt: skip
"""What reading a snapshot may raise that the schema does not allow."""

Others = Mapping[str, object]
Warn = Callable[[str], None]
_NOTHING_ELSE: Others = MappingProxyType({})


class Header(msgspec.Struct, frozen=True):
    """What a snapshot was made of: it fits if all of this is the same, and the log holds what it held."""

    made_by: dict[str, Any]
    mark: LogMark
    in_flight: list[int]
    """The choices in flight, by their numbers in the log."""


class Resumed(NamedTuple):
    """Where a crawl stands that was filled from a snapshot."""

    mark: LogMark
    in_flight: list[Choice]


def _silent(sentence: str) -> None:
    pass


def leave_snapshot(
    crawl: Crawl, judge: Judge, log: CrawlLog, others: Others = _NOTHING_ELSE, warn: Warn = _silent
) -> bool:
    """Write the state of a crawl beside its log, which is complete; whether that was possible.

    `others` know what the visits told them, too. A strategy or a judge that declares nothing has no snapshot.
    """
    file, parts = log.folder / SNAPSHOT, (crawl.strategy, judge)
    if crawl.step < LEAST_VISITS or log.trouble is not None or log.in_memory is not None:
        return False
    if not all(is_declared(type(part)) for part in parts) or (key := machine_key()) is None:
        return False
    header = Header(_made_by(*parts), mark_of(log.database), log.in_flight)
    partial = file.with_suffix(".partial")
    try:
        partial.unlink(missing_ok=True)
        with open_in(log.folder, partial.name, "xb") as disk:
            _write(disk, key, header, Writing(_known(crawl, judge, others)))
            disk.flush()
            os.fsync(disk.fileno())
        partial.replace(file)
    except (OSError, CannotBeKept) as error:
        with suppress(OSError):
            partial.unlink(missing_ok=True)
        if isinstance(error, CannotBeKept):
            warn(f"no snapshot was written, so resuming replays the log: {error}")
        return False
    fits_in = _has_room(log)
    if not fits_in:
        file.unlink()
    return fits_in


def _write(disk: IO[bytes], key: bytes, header: Header, state: Writing) -> None:
    """The state packed, its size unpacked, and the signature of both."""
    signed = _Signed(disk, key)
    signed.write(_MAGIC)
    data = msgspec.msgpack.encode(header)
    with zstandard.ZstdCompressor(level=1).stream_writer(signed, closefd=False) as packed:  # type: ignore[arg-type]
        packed.write(len(data).to_bytes(8, "little") + data)
        size = 8 + len(data) + state.write(packed)
    signed.write(size.to_bytes(8, "little"))
    disk.write(signed.signature.digest())


class _Signed:
    """A file to write to, and the signature of all that was written."""

    def __init__(self, disk: IO[bytes], key: bytes) -> None:
        self._disk, self.signature = disk, blake2b(key=key, digest_size=_SIGNATURE_BYTES)

    def write(self, data: bytes) -> int:
        self.signature.update(data)
        return self._disk.write(data)


def _has_room(log: CrawlLog) -> bool:
    """Whether the log may still grow as far as its person allows."""
    log.retry()
    return log.trouble is None


def machine_key() -> bytes | None:
    """The key of this user on this machine, which the first call makes; None if there can be none."""
    state = Path(os.environ.get("XDG_STATE_HOME") or Path.home() / ".local" / "state")
    file = state / "salticid" / "snapshot.key"
    try:
        if not file.exists():
            file.parent.mkdir(0o700, parents=True, exist_ok=True)
            partial = file.with_suffix(f".{secrets.token_hex(8)}")
            with os.fdopen(os.open(partial, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as disk:
                disk.write(secrets.token_bytes(_KEY_BYTES))
            with suppress(FileExistsError):
                os.link(partial, file)
            partial.unlink()
        with os.fdopen(os.open(file, os.O_RDONLY | os.O_NOFOLLOW), "rb") as disk:
            kept = os.fstat(disk.fileno())
            key = disk.read(_KEY_BYTES + 1)
    except (OSError, RuntimeError):
        return None
    ours = stat.S_ISREG(kept.st_mode) and kept.st_uid == os.geteuid() and not kept.st_mode & 0o077
    return key if ours and len(key) == _KEY_BYTES else None


def resume_from_snapshot(
    crawl: Crawl, judge: Judge, log: CrawlLog, others: Others = _NOTHING_ELSE, warn: Warn = _silent
) -> Resumed | None:
    """Make a crawl that has just begun what it was when its last run ended.

    None if there is no snapshot, or none that is valid: then nothing was changed, and the log is to be replayed.
    """
    try:
        with open_in(log.folder, SNAPSHOT) as disk:
            header = _fill(disk, crawl, judge, log, others)
        flight = [choice_at(log.database, number).choice() for number in header.in_flight]
    except FileNotFoundError:
        return None
    except _ODD as error:
        reason = error if isinstance(error, InvalidSnapshot) else f"it is damaged ({type(error).__name__})"
        warn(f"{SNAPSHOT} is ignored and the log is replayed: {reason}")
        return None
    for choice, number in zip(flight, header.in_flight, strict=True):
        log.launch(choice, number)
    return Resumed(header.mark, crawl.take_up_flight(flight))


def _fill(disk: IO[bytes], crawl: Crawl, judge: Judge, log: CrawlLog, others: Others) -> Header:
    size = _verified_size(disk)
    disk.seek(len(_MAGIC))
    with zstandard.ZstdDecompressor().stream_reader(disk, closefd=False) as data:
        length = int.from_bytes(data.read(8), "little")
        if length > size:
            raise InvalidSnapshot("its header is damaged")
        header = msgspec.msgpack.decode(data.read(length), type=Header)
        if header.made_by != _made_by(crawl.strategy, judge):
            raise InvalidSnapshot("another version or other settings made it")
        if not fits(log.database, header.mark):
            raise InvalidSnapshot("it belongs to another log")
        Reading(data, size - 8 - length).fill(_known(crawl, judge, others))
    return header


def _verified_size(disk: IO[bytes]) -> int:
    """The size of a snapshot unpacked, if this machine signed it."""
    left = os.fstat(disk.fileno()).st_size - _SIGNATURE_BYTES
    if left < len(_MAGIC) + 8 or disk.read(len(_MAGIC)) != _MAGIC:
        raise InvalidSnapshot("it is in another format")
    if (key := machine_key()) is None:
        raise InvalidSnapshot("this machine has no key to check it with")
    signature, last = blake2b(_MAGIC, key=key, digest_size=_SIGNATURE_BYTES), b""
    left -= len(_MAGIC)
    while left and (data := disk.read(min(left, _AT_ONCE))):
        signature.update(data)
        left, last = left - len(data), (last + data)[-8:]
    if left or not compare_digest(disk.read(), signature.digest()):
        raise InvalidSnapshot("this machine did not sign it, or it was changed since")
    return int.from_bytes(last, "little")


def _known(crawl: Crawl, judge: Judge, others: Others) -> Known:
    """What a crawl has before its first page: the objects to fill, and what they may refer to."""
    brief = crawl.brief
    roots = {"crawl": crawl, "strategy": crawl.strategy, "judge": judge}
    roots |= {"own_words": brief.own_words, "rng": brief.rng, **others}
    pages = {f"page {number}": page for number, page in enumerate((*brief.examples, *brief.negatives))}
    settings = frozenset((*settings_of(crawl.strategy), *settings_of(judge)))
    return Known(roots, {"limits": brief.limits, "seeds": brief.seeds, **pages}, settings)


def _made_by(strategy: Strategy, judge: Judge) -> dict[str, Any]:
    """All that decides what a snapshot looks like and how it would go on, besides the log."""
    facts = {
        "format": FORMAT,
        "salticid": __version__,
        "python": list(sys.version_info[:2]),
        "byte order": sys.byteorder,
        "libraries": dict(_libraries()),
        "code": _code(strategy, judge),
        "strategy": [f"{type(strategy).__module__}.{type(strategy).__qualname__}", settings_of(strategy)],
        "judge": [f"{type(judge).__module__}.{type(judge).__qualname__}", settings_of(judge)],
    }
    return msgspec.json.decode(msgspec.json.encode(facts), type=dict[str, Any])


@cache
def _libraries() -> Mapping[str, str]:
    found = {}
    with suppress(PackageNotFoundError):
        for requirement in requires("salticid") or ():
            name = match(r"[\w.-]+", requirement)
            if name is not None and "extra" not in requirement:
                found[name[0]] = version(name[0])
    return MappingProxyType(found)


def _code(strategy: Strategy, judge: Judge) -> list[str]:
    """Digests of the files that the classes are in: one that was changed has perhaps other attributes."""
    modules = sorted({type(strategy).__module__, type(judge).__module__})
    own = (Path(getattr(sys.modules.get(module), "__file__", None) or module) for module in modules)
    return [_digest_of_package(), *(_digest([file]) for file in own)]


@cache
def _digest_of_package() -> str:
    return _digest(Path(__file__).parents[1].rglob("*.py"))


def _digest(files: Iterable[Path]) -> str:
    digest = blake2b(digest_size=16)
    for file in sorted(files):
        if file.is_file():
            digest.update(file.name.encode() + b"\0" + file.read_bytes())
    return digest.hexdigest()
