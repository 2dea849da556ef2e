"""Pages of the shared collections, some of each, as they came."""

from __future__ import annotations

import lzma
import os
import shutil
import tarfile
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from fastwarc.warc import ArchiveIterator, WarcRecordType

from benchmarks.material import CACHE, ROOT
from salticid.parse.decoding import decode
from salticid.parse.precheck import prescan
from salticid.urls import host
from salticid.worlds.building import build
from salticid.worlds.warc_source import WarcFiles
from salticid.worlds.writer import MAX_BLOCK, split, to_answer

DATA = Path(os.environ.get("SALTICID_SHARED") or ROOT.parent / "shared") / "data"


class CollectedPage(NamedTuple):
    """A page that a parser may see, decoded."""

    url: str
    host: str
    html: str


def documentation(every: int) -> Iterator[CollectedPage]:
    """Every so manieth page of the documentation of scientific Python; none if it is absent."""
    file = DATA / "scidocs.warc.xz"
    if not file.exists():
        return
    number = 0
    with lzma.open(file) as opened:
        for record in ArchiveIterator(opened, record_types=WarcRecordType.response, parse_http=False):
            number += 1
            if number % every == 0:
                yield from _page(record.headers["WARC-Target-URI"], record.reader.read(MAX_BLOCK))


def encyclopedia(every: int) -> Iterator[CollectedPage]:
    """Every so manieth article of schools-wikipedia."""
    for name, body in _files("schools-wikipedia.tar.xz", every):
        if name.endswith(".htm"):
            yield from _page(
                f"http://schools-wikipedia.org/{name}", b"HTTP/1.0 200 OK\nContent-Type: text/html\n\n" + body
            )


def universities(every: int) -> Iterator[CollectedPage]:
    """Every so manieth page of the four universities of WebKB."""
    for name, body in _files("webkb.tar.xz", every):
        yield from _page(name.rpartition("/")[2].replace("^", "/"), body)


def _files(archive: str, every: int) -> Iterator[tuple[str, bytes]]:
    file = DATA / archive
    if not file.exists():
        return
    with tarfile.open(file) as tar:
        for number, member in enumerate(each for each in tar if each.isfile()):
            if number % every == 0 and (opened := tar.extractfile(member)) is not None:
                yield member.name, opened.read(MAX_BLOCK)


def _page(url: str, block: bytes) -> Iterator[CollectedPage]:
    parts = split(block)
    answer = None if parts is None else to_answer(url, *parts)
    if answer is not None and answer.html and answer.status == 200 and not prescan(answer.html):
        yield CollectedPage(url, host(url), decode(answer.html, answer.charset))


class Query(NamedTuple):
    """Keywords as a person types them, and the pages that answer them by grade, 3 for the one wanted first."""

    name: str
    kind: str
    keywords: str
    starts: tuple[str, ...]
    grades: dict[str, int]


def known_items() -> tuple[Path, list[Query]]:
    """The world of the sites with known answers, built once, and the queries; no queries where these are absent."""
    world, folder = CACHE / "known-items", DATA / "known-items"
    lines, packed = folder / "known-items.public.tsv", folder / "knownitem.public.warc.xz"
    if not packed.exists():
        return world, []
    if not world.exists():
        CACHE.mkdir(parents=True, exist_ok=True)
        warc = CACHE / "known-items.warc"
        with lzma.open(packed) as source, warc.open("wb") as file:
            shutil.copyfileobj(source, file)
        build(world, WarcFiles([warc]))
        warc.unlink()
    rows = [line.split("\t") for line in lines.read_text().splitlines()[1:]]
    queries: dict[str, Query] = {}
    for name, kind, keywords, starts, url, grade in rows:
        query = queries.setdefault(name, Query(name, kind, keywords, tuple(starts.split()), {}))
        query.grades[url] = int(grade)
    return world, list(queries.values())
