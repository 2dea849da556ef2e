"""The process that reads PDFs: the bytes of a file in, a document of HTML out."""

from __future__ import annotations

import msgspec

from salticid.parse.page_process import ChildLimits, serve
from salticid.parse.pdf import read_pdf

MAX_MEMORY = 1 << 30
"""Bytes of address space it may have."""
PDF_MEMORY = 80 << 20
TIMES_ITS_SIZE = 2
"""Bytes that one document may cost it beyond what it has, and for each of its own."""


class _PdfReader:
    full = False

    def read(self, message: bytes) -> bytes:
        return msgspec.msgpack.encode(read_pdf(message))


def work() -> None:
    """Answer each PDF with a `PdfDocument`, or None."""
    serve(_PdfReader, ChildLimits(MAX_MEMORY, PDF_MEMORY, TIMES_ITS_SIZE))
