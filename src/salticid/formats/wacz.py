"""WACZ: the raw exchanges of the pages, an index of them and a list of the pages, in a file that replay tools open."""

from __future__ import annotations

import gzip
import hashlib
import json
import re
import tempfile
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack, closing, contextmanager
from datetime import UTC, datetime
from heapq import merge
from itertools import islice
from typing import Any, BinaryIO, Self
from urllib.parse import urlsplit
from zipfile import ZIP_DEFLATED, ZIP_STORED, ZipFile, ZipInfo

from salticid.formats import Export, FileFormat
from salticid.formats.warc import check, warcinfo
from salticid.parse import head_fields
from salticid.store import CrawlFolder
from salticid.store.archive import ExchangeCopy, copy
from salticid.store.exports import GENERATOR, Document, Documents, ExportPage, Pages, SkipReason

VERSION = "1.1.1"
_WARC, _INDEX = "data.warc.gz", "index.cdx.gz"
_PART = 1 << 20
RUN = 100_000
"""Lines of the index that are sorted in memory; more of them are sorted in files and merged."""
_BLOCK_LINES = 1024
_STATUS = re.compile(rb"HTTP/\S+ (\d{3})")
_WWW = re.compile(r"^www\d*\.")
_SLASHES = re.compile("/+")
_PORTS = {"http": 80, "https": 443}
_PAGES = {"format": "json-pages-1.0", "id": "pages", "title": "All Pages", "hasText": True}


class Wacz(FileFormat):
    """The exchanges of pages and all that belongs to them; a page that has none is left out."""

    title = "WACZ"
    about = "to open in a replay tool"
    suffix = "wacz"
    is_text = False

    def write(self, export: Export, out: BinaryIO) -> None:
        check(export.crawl.folder)
        with ArchiveIndex() as index, tempfile.TemporaryFile() as listed, _Package(out) as package:
            with package.file(f"archive/{_WARC}") as warc:
                main_page = _write_archive(export.crawl, export.pages, warc, index, listed)
            with package.file(f"indexes/{_INDEX}") as file:
                blocks = index.write(file.write, _INDEX)
            with package.file("indexes/index.idx") as file:
                file.write(blocks)
            with package.file("pages/pages.jsonl") as file:
                listed.seek(0)
                file.writelines(iter(lambda: listed.read(_PART), b""))
            package.describe({"title": export.title, **main_page})


def _write_archive(
    crawl: CrawlFolder, pages: Pages, warc: _HashedFile, index: ArchiveIndex, listed: BinaryIO
) -> dict[str, str]:
    """Write exchanges, and in the list a line a page; what is said of the first of them."""
    archived = _Archived(crawl, pages, warc, index)
    main_page: dict[str, str] = {}
    listed.write(json.dumps(_PAGES).encode() + b"\n")
    with closing(Documents(crawl, archived, markdown=False)) as documents:
        for number, document in enumerate(documents):
            time = archived.times.popleft()
            listed.write(
                json.dumps(_entry(number, document, time), ensure_ascii=False).encode("utf-8", "replace") + b"\n"
            )
            main_page = main_page or {"mainPageUrl": document.final_url, "mainPageDate": time}
    return main_page


def _entry(number: int, document: Document, time: str) -> dict[str, Any]:
    about_page = {"id": f"{number:08}", "url": document.final_url, "ts": time, "title": document.title}
    return about_page | {"text": document.text}


class _Archived:
    """Pages whose exchanges are written as they pass; `times` of their answers, for those not asked for yet."""

    def __init__(self, crawl: CrawlFolder, pages: Pages, warc: _HashedFile, index: ArchiveIndex) -> None:
        self.times: deque[str] = deque()
        self.versions = pages.versions
        self._folder, self._pages, self._warc, self._index = crawl.folder, pages, warc, index

    def text(self, page: ExportPage) -> str:
        return self._pages.text(page)

    def __iter__(self) -> Iterator[ExportPage]:
        self._warc.write(warcinfo(self._folder))
        for page in self._pages:
            time = ""
            for place in page.records:
                if exchange := copy(self._folder, place):
                    if not exchange.is_conversion:  # what is replayed is what was sent
                        time = self._index.add(exchange, _WARC, self._warc.size)
                    self._warc.write(exchange.packed)
            if not time:
                self._pages.leave_out(SkipReason.NO_EXCHANGE)
                continue
            moment = datetime.strptime(time, "%Y%m%d%H%M%S").replace(tzinfo=UTC)
            self.times.append(moment.strftime("%Y-%m-%dT%H:%M:%SZ"))
            yield page


class _HashedFile:
    """A file in the package, its size and its digest."""

    def __init__(self, out: Any) -> None:
        self.size = 0
        self.digest = hashlib.sha256()
        self._out = out

    def write(self, data: bytes) -> int:
        self.size += len(data)
        self.digest.update(data)
        return int(self._out.write(data))

    def writelines(self, parts: Iterable[bytes]) -> None:
        for part in parts:
            self.write(part)


class _Package:
    """The zip file, and what is in it. Nothing is packed twice, so that replay tools can read any part alone."""

    def __init__(self, out: BinaryIO) -> None:
        self._zip = ZipFile(out, "w", ZIP_STORED, allowZip64=True)
        self._resources: list[dict[str, Any]] = []

    def __enter__(self) -> _Package:
        return self

    def __exit__(self, *_: object) -> None:
        self._zip.close()

    @contextmanager
    def file(self, path: str) -> Iterator[_HashedFile]:
        """A new file in the package, for as long as the context lasts."""
        info = ZipInfo(path)
        info.compress_type = ZIP_STORED if path.endswith(".gz") else ZIP_DEFLATED
        with self._zip.open(info, "w", force_zip64=True) as out:
            yield (file := _HashedFile(out))
        digest = f"sha256:{file.digest.hexdigest()}"
        name = path.rpartition("/")[2]
        self._resources.append({"name": name, "path": path, "hash": digest, "bytes": file.size})

    def describe(self, values: dict[str, str]) -> None:
        """Write what the package is, and the digest of that."""
        now = datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
        fixed = {"profile": "data-package", "wacz_version": VERSION, "created": now, "software": GENERATOR}
        described = json.dumps({**fixed, **values, "resources": self._resources}, indent=2).encode()
        self._zip.writestr("datapackage.json", described)
        digest = {"path": "datapackage.json", "hash": f"sha256:{hashlib.sha256(described).hexdigest()}"}
        self._zip.writestr("datapackage-digest.json", json.dumps(digest))


class ArchiveIndex:
    """The index of an archive, CDXJ: a line an answer, sorted, packed in blocks, and a list of where each block begins.

    Use it as a context.
    """

    def __init__(self) -> None:
        self._lines: list[bytes] = []
        self._files: list[BinaryIO] = []
        self._open = ExitStack()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._open.close()

    def add(self, exchange: ExchangeCopy, file: str, offset: int) -> str:
        """Take a line for an exchange that stands in a file from an offset on; the time of its answer, 14 digits."""
        url, date = exchange.field("WARC-Target-URI") or "", exchange.field("WARC-Date") or ""
        time = re.sub(r"\D", "", date)[:14]
        status = _STATUS.match(exchange.head)
        kind = head_fields(exchange.head).get("content-type", "").partition(";")[0].strip()
        about = {
            "url": url,
            "mime": kind or "unk",
            "status": status[1].decode() if status else "",
            "digest": exchange.field("WARC-Payload-Digest") or "",
            "length": str(exchange.size),
            "offset": str(offset),
            "filename": file,
        }
        self._lines.append(f"{surt(url)} {time} {json.dumps(about)}\n".encode())
        if len(self._lines) >= RUN:
            run = self._open.enter_context(tempfile.TemporaryFile())  # noqa: SIM115 - open until all is merged
            run.writelines(sorted(self._lines))
            self._files.append(run)
            self._lines.clear()
        return time

    def write(self, write: Callable[[bytes], object], name: str) -> bytes:
        """Write all lines to a file that is called so; the list of its blocks."""
        lines, at = self._sorted(), 0
        blocks = [b'!meta 0 {"format": "cdxj-gzip-1.0", "filename": "%b"}\n' % name.encode()]
        while block := list(islice(lines, _BLOCK_LINES)):
            packed = gzip.compress(b"".join(block), mtime=0)
            write(packed)
            digest = f"sha256:{hashlib.sha256(packed).hexdigest()}"
            about = {"offset": at, "length": len(packed), "digest": digest, "filename": name}
            key = b" ".join(block[0].split(b" ", 2)[:2])
            blocks.append(b"%b %b\n" % (key, json.dumps(about).encode()))
            at += len(packed)
        return b"".join(blocks)

    def _sorted(self) -> Iterator[bytes]:
        for file in self._files:
            file.seek(0)
        return merge(*self._files, sorted(self._lines))


def surt(url: str) -> str:
    """The key by which indexes sort a canonical URL: the host from its end, then the path, all in lower case.

    Those of http and https are the same, as are those with and without www.

    >>> surt("https://www.A.example:8080/Eyes/?b=2&a=1"), surt("http://a.example/")
    ('example,a:8080)/eyes?a=1&b=2', 'example,a)/')
    """
    parts = urlsplit(url.lower())
    name = _WWW.sub("", parts.hostname or "")
    host = name if ":" in name else ",".join(reversed(name.split(".")))
    port = "" if parts.port in (None, _PORTS.get(parts.scheme)) else f":{parts.port}"
    path = _SLASHES.sub("/", parts.path).rstrip("/") or "/"
    query = "&".join(sorted(parts.query.split("&"))) if parts.query else ""
    return f"{host}{port}){path}{'?' if query else ''}{query}"
