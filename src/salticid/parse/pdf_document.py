"""What is read of a PDF."""

from __future__ import annotations

import msgspec


class PdfDocument(msgspec.Struct, frozen=True, array_like=True):
    """A document of HTML in UTF-8 that says what a PDF says; and when that was last changed, in seconds since 1970."""

    html: bytes
    modified: float | None
