"""A snapshot of a live crawl: what playing its log again would make of it, kept beside the log.

It is left when a run ends, and holds the crawl, its strategy, its judge and what the driver knows of sites. A run that
goes on fills itself from it and plays only the calls that came after. It is no more than a saving of time: whoever
loses it loses nothing, and one that is of another program, or of other libraries, or of another log, or cut short, or
changed, is passed over, and the log is played. What is no data (`store/object_graph.py`) is not kept: then there is no
snapshot.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from functools import cache
from hashlib import blake2b
from importlib.metadata import PackageNotFoundError, requires, version
from pathlib import Path
from re import match
from types import MappingProxyType
from typing import Any

import msgspec
import zstandard

from salticid.crawl import Crawl
from salticid.model import Choice
from salticid.protocols import Judge, Strategy
from salticid.registry import settings_of
from salticid.store.files import open_in
from salticid.store.graph_reading import ObjectGraph
from salticid.store.graph_writing import CannotBeKept, write_graph
from salticid.store.log import CrawlLog
from salticid.store.log_mark import LogMark, fits, mark_of
from salticid.store.record import choice_at
from salticid.store.schema import SNAPSHOT
from salticid.version import __version__

FORMAT = 1
LEAST_VISITS = 300
"""A log of fewer visits is played as quickly."""
_ROOMS = (
    "columns",
    "crawl",
    "drivers",
    "judges",
    "learning",
    "model",
    "scope",
    "strategies",
    "tables",
    "text",
)
"""Whose classes are data and what is done with it."""
_ODD = (
    OSError, EOFError, ValueError, TypeError, LookupError, AttributeError, zstandard.ZstdError, msgspec.MsgspecError,
)  # fmt: skip
"""What may come of reading a file that was damaged."""


Others = Mapping[str, object]
_NOTHING_ELSE: Others = MappingProxyType({})


class Header(msgspec.Struct, frozen=True):
    """Of what a snapshot is: it fits where all of this is the same, and the log holds what it held."""

    made_by: dict[str, Any]
    mark: LogMark
    in_flight: list[int]
    """The choices in flight, by their numbers in the log."""


def leave_snapshot(crawl: Crawl, judge: Judge, log: CrawlLog, others: Others = _NOTHING_ELSE) -> bool:
    """Keep what a crawl has come to beside its log, which has written everything; whether it can be kept.

    `others` know what the visits told them, too.
    """
    file = log.folder / SNAPSHOT
    if crawl.step < LEAST_VISITS or log.trouble is not None or log.in_memory is not None:
        return False
    header = Header(_made_by(crawl.strategy, judge), mark_of(log.database), log.in_flight)
    partial = file.with_suffix(".partial")
    try:
        partial.unlink(missing_ok=True)
        with open_in(log.folder, partial.name, "xb") as disk:
            packer = zstandard.ZstdCompressor(level=1, write_checksum=True)
            with packer.stream_writer(disk, closefd=False) as packed:
                data = msgspec.msgpack.encode(header)
                packed.write(len(data).to_bytes(8, "little") + data)
                roots, outside = _roots(crawl, judge, others), _outside(crawl)
                write_graph(packed, roots, outside, _allows(crawl.strategy, judge))
            disk.flush()
            os.fsync(disk.fileno())
        partial.replace(file)
    except (OSError, CannotBeKept):
        partial.unlink(missing_ok=True)
        return False
    fits_in = _has_room(log)
    if not fits_in:
        file.unlink()
    return fits_in


def _has_room(log: CrawlLog) -> bool:
    """Whether the log may still grow as far as its person allows."""
    log.retry()
    return log.trouble is None


class Snapshot:
    """The snapshot in a folder, read and checked against its log."""

    def __init__(self, header: Header, graph: ObjectGraph) -> None:
        self.mark, self._in_flight, self._graph = header.mark, header.in_flight, graph

    @classmethod
    def of(cls, log: CrawlLog, strategy: Strategy, judge: Judge) -> Snapshot | None:
        """The one of a log, which has been opened; None if there is none, or none that fits."""
        file = log.folder / SNAPSHOT
        try:
            with file.open("rb") as disk, zstandard.ZstdDecompressor().stream_reader(disk) as data:
                size = int.from_bytes(data.read(8), "little")
                header = msgspec.msgpack.decode(data.read(size), type=Header)
                if header.made_by != _made_by(strategy, judge) or not fits(log.database, header.mark):
                    return None
                graph = ObjectGraph(data, _allows(strategy, judge))
                if data.read(1):
                    return None
                return cls(header, graph)
        except _ODD:
            return None

    def fill(self, crawl: Crawl, judge: Judge, log: CrawlLog, others: Others = _NOTHING_ELSE) -> list[Choice]:
        """Make a crawl that has just begun what it was; the choices in flight.

        ValueError if that cannot be done: what it was given is of no use then.
        """
        try:
            self._graph.fill(_roots(crawl, judge, others), _outside(crawl))
        except _ODD as error:
            raise ValueError(f"the snapshot does not fit ({error!r})") from error
        choices = []
        for number in self._in_flight:
            choices.append(choice := choice_at(log.database, number).choice())
            log.launch(choice, number)
        return crawl.take_up_flight(choices)


def _roots(crawl: Crawl, judge: Judge, others: Others) -> dict[str, object]:
    brief = crawl.brief
    parts = {"crawl": crawl, "strategy": crawl.strategy, "judge": judge}
    return {**parts, "own_words": brief.own_words, "rng": brief.rng, **others}


def _outside(crawl: Crawl) -> dict[str, object]:
    """What a crawl has got before its first page; it is there again when it goes on."""
    brief = crawl.brief
    names = ("topic", "seeds", "examples", "negatives", "limits", "urls", "words", "backlinks")
    known_pages = enumerate((*brief.examples, *brief.negatives))
    return {
        "brief": brief,
        **{f"brief {name}": getattr(brief, name) for name in names},
        **{f"known page {number}": page for number, page in known_pages},
    }


def _allows(strategy: Strategy, judge: Judge) -> Callable[[str], bool]:
    """Classes of ours that are data, and those of the modules that a strategy or a judge of others is in."""
    own = {type(strategy).__module__, type(judge).__module__}

    def allows(module: str) -> bool:
        package, _, rest = module.partition(".")
        return module in own or (package == "salticid" and rest.partition(".")[0] in _ROOMS)

    return allows


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
    return [_digest_of_rooms(), *(_digest([file]) for file in own)]


@cache
def _digest_of_rooms() -> str:
    package = Path(__file__).parents[1]
    return _digest(
        file for room in _ROOMS for file in (package / f"{room}.py", *(package / room).rglob("*.py"))
    )


def _digest(files: Iterable[Path]) -> str:
    digest = blake2b(digest_size=16)
    for file in sorted(files):
        if file.is_file():
            digest.update(file.name.encode() + b"\0" + file.read_bytes())
    return digest.hexdigest()
