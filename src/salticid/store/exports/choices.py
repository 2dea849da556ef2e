"""What a person may choose of an export; apart, so that whoever only asks need not wait for what writes it."""

from __future__ import annotations

from enum import StrEnum


class Format(StrEnum):
    """What pages can be written as."""

    JSONL = "jsonl"
    CSV = "csv"
    PARQUET = "parquet"
    WARC = "warc"
    WACZ = "wacz"
    MARKDOWN = "markdown"
    DATASET = "dataset"
    RIS = "ris"
    BIBTEX = "bibtex"
    SQLITE = "sqlite"


FOLDERS = frozenset((Format.MARKDOWN, Format.DATASET))
"""Formats that are a folder; the others are a file."""
BINARY = frozenset((Format.PARQUET, Format.WARC, Format.WACZ, Format.SQLITE))
"""Files that are no text."""
CUT = frozenset((Format.JSONL, Format.CSV, Format.PARQUET, Format.MARKDOWN, Format.DATASET))
"""Formats in which pages can be cut into chunks."""


class PageOrder(StrEnum):
    """In which order pages come."""

    BEST = "best"
    VISITS = "visits"
