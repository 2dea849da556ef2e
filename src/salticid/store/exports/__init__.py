"""What all export formats need: which pages, their texts and link texts, chunks, and new files that appear whole."""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from salticid.store.exports.documents import (
        Anchors,
        Chunk,
        Document,
        Documents,
        DocumentStream,
        NewsChunk,
        NewsDocument,
    )
    from salticid.store.exports.new_files import GENERATOR, new_file, new_folder, size_of
    from salticid.store.exports.selection import Criteria, ExportPage, Pages, Reference, SkipReason, Watch, one_line
else:
    from salticid.doors import lazy_names

    __getattr__ = lazy_names(__name__)


__all__ = [
    "GENERATOR",
    "Anchors",
    "Chunk",
    "Criteria",
    "Document",
    "DocumentStream",
    "Documents",
    "ExportPage",
    "NewsChunk",
    "NewsDocument",
    "PageOrder",
    "Pages",
    "Reference",
    "SkipReason",
    "Watch",
    "new_file",
    "new_folder",
    "one_line",
    "size_of",
]


class PageOrder(StrEnum):
    """In which order pages come."""

    BEST = "best"
    VISITS = "visits"
