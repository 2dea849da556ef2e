"""PDFs are read in processes of their own (`pdf_process`); no other process but those that export loads pdfium."""

from __future__ import annotations

import subprocess

import msgspec

from salticid.parse.pdf_document import PdfDocument
from salticid.parse.process_pool import ProcessPool

SECONDS = 10.0
"""Seconds of processor time that a document may take."""
_PROGRAM = "from salticid.parse.pdf_process import work; work()"


class PdfPool(ProcessPool[PdfDocument | None]):
    """Reads PDFs in worker processes, which start with the first of them."""

    def __init__(self, workers: int = 1, limit: float = SECONDS) -> None:
        super().__init__(_PROGRAM, lambda: _document, workers, limit, subprocess.DEVNULL)

    async def read(self, pdf: bytes) -> PdfDocument | None:
        """What it says. None: it is locked or damaged, took longer than `limit`, or its worker died of it."""
        return await self.ask(pdf)


def _document(answer: bytes) -> PdfDocument | None:
    return msgspec.msgpack.decode(answer, type=PdfDocument | None)
