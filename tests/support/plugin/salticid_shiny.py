"""An export format of another package: what a plug-in author writes."""

from __future__ import annotations

from typing import BinaryIO

from salticid.formats import Export, FileFormat


class Shiny(FileFormat):
    """A title a line."""

    title = "Shiny"
    about = "titles that glitter"
    suffix = "txt"
    has_chunks = True

    def write(self, export: Export, out: BinaryIO) -> None:
        with export.documents() as documents:
            for document in documents:
                out.write(f"* {document.title}\n".encode())
