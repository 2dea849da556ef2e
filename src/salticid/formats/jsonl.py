"""JSON Lines: one JSON object a page."""

from __future__ import annotations

from typing import BinaryIO

import msgspec

from salticid.formats import Export, FileFormat


class Jsonl(FileFormat):
    """UTF-8, a line a document."""

    title = "JSON lines"
    about = "one object a page"
    suffix = "jsonl"
    has_chunks = True

    def write(self, export: Export, out: BinaryIO) -> None:
        encoder = msgspec.json.Encoder()
        with export.documents() as documents:
            for document in documents:
                out.write(encoder.encode(document) + b"\n")
