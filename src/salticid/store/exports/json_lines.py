"""JSON Lines: one JSON object a page."""

from __future__ import annotations

from typing import BinaryIO

import msgspec

from salticid.store.exports.documents import DocumentStream


def write(documents: DocumentStream, out: BinaryIO) -> None:
    """Write documents as UTF-8, a line each."""
    encoder = msgspec.json.Encoder()
    for document in documents:
        out.write(encoder.encode(document) + b"\n")
