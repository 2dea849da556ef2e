"""WACZ: the raw exchanges of the pages, an index of them and a list of the pages, in a file that replay tools open."""

from __future__ import annotations

import hashlib
import json
import tempfile
from collections import deque
from collections.abc import Iterable, Iterator
from contextlib import closing, contextmanager
from datetime import UTC, datetime
from typing import Any, BinaryIO
from zipfile import ZIP_DEFLATED, ZIP_STORED, ZipFile, ZipInfo

from salticid.store.crawl_folder import CrawlFolder
from salticid.store.exports.archive_index import ArchiveIndex
from salticid.store.exports.documents import Document, Documents
from salticid.store.exports.exchanges import about
from salticid.store.exports.new_folder import GENERATOR
from salticid.store.exports.selection import ExportPage, Pages, SkipReason
from salticid.store.warc import copy

VERSION = "1.1.1"
_WARC, _INDEX = "data.warc.gz", "index.cdx.gz"
_PART = 1 << 20
_PAGES = {"format": "json-pages-1.0", "id": "pages", "title": "All Pages", "hasText": True}


def write(crawl: CrawlFolder, pages: Pages, out: BinaryIO) -> None:
    """Write the exchanges of pages and all that belongs to them; a page that has none is left out."""
    with ArchiveIndex() as index, tempfile.TemporaryFile() as listed, _Package(out) as package:
        with package.file(f"archive/{_WARC}") as warc:
            main_page = _write_archive(crawl, pages, warc, index, listed)
        with package.file(f"indexes/{_INDEX}") as file:
            blocks = index.write(file.write, _INDEX)
        with package.file("indexes/index.idx") as file:
            file.write(blocks)
        with package.file("pages/pages.jsonl") as file:
            listed.seek(0)
            file.writelines(iter(lambda: listed.read(_PART), b""))
        topic = crawl.about().get("topic") or {}
        package.describe({"title": str(topic.get("name") or crawl.folder.absolute().name), **main_page})


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
                json.dumps(_entry(number, document, time), ensure_ascii=False).encode("utf-8", "replace")
                + b"\n"
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
        self._warc.write(about(self._folder))
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
