"""Pages of the shared collections, some of each, as they came."""

from __future__ import annotations

import lzma
import os
import tarfile
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from fastwarc.warc import ArchiveIterator, WarcRecordType

from benchmarks.material import ROOT
from salticid.parse.decoding import decode
from salticid.parse.precheck import prescan
from salticid.urls import host
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
