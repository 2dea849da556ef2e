"""WARC: the raw exchanges of the pages, redirects included, as they were recorded."""

from __future__ import annotations

import gzip
import uuid
from datetime import UTC, datetime
from pathlib import Path
from typing import BinaryIO

from salticid.errors import UserError
from salticid.formats import Export, FileFormat
from salticid.store.archive import FOLDER, copy
from salticid.store.exports import SkipReason
from salticid.version import __version__


class Warc(FileFormat):
    """A gzip member a record; a page that has none is left out."""

    title = "WARC"
    about = "the pages themselves, as they came"
    suffix = "warc.gz"
    is_text = False

    def write(self, export: Export, out: BinaryIO) -> None:
        folder = export.crawl.folder
        check(folder)
        out.write(warcinfo(folder))
        for page in export.pages:
            records = [found.packed for place in page.records if (found := copy(folder, place))]
            if not records:
                export.pages.leave_out(SkipReason.NO_EXCHANGE)
            out.writelines(records)


def check(folder: Path) -> None:
    """Complain when a crawl kept no exchanges."""
    if not (folder / FOLDER).is_dir():
        raise UserError(
            f"{folder} holds no WARC: only a live crawl without --no-warc keeps raw exchanges; "
            "choose --to jsonl, csv, parquet or markdown"
        )


def warcinfo(folder: Path) -> bytes:
    """A warcinfo record, packed."""
    crawl = " ".join(folder.absolute().name.split())
    block = f"software: salticid/{__version__}\r\nformat: WARC File Format 1.1\r\ndescription: pages of {crawl}\r\n"
    fields = {
        "WARC-Type": "warcinfo",
        "WARC-Record-ID": f"<urn:uuid:{uuid.uuid4()}>",
        "WARC-Date": datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ"),
        "Content-Type": "application/warc-fields",
        "Content-Length": str(len(block.encode())),
    }
    head = "".join(f"{name}: {value}\r\n" for name, value in fields.items())
    return gzip.compress(f"WARC/1.1\r\n{head}\r\n{block}\r\n\r\n".encode())
