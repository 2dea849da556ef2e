"""JSON Lines: one JSON object a page."""

from __future__ import annotations

from collections.abc import Iterable
from typing import BinaryIO

import msgspec

from salticid.store.exports.documents import Document


def write(documents: Iterable[Document], out: BinaryIO) -> None:
    """Write documents as UTF-8, a line each."""
    encoder = msgspec.json.Encoder()
    for document in documents:
        out.write(encoder.encode(document) + b"\n")
