"""What can be chosen of an export; apart, so that who only names it need not wait for those who write."""

from __future__ import annotations

from enum import StrEnum


class Format(StrEnum):
    """What pages can be written as."""

    JSONL = "jsonl"
    CSV = "csv"
    PARQUET = "parquet"
    WARC = "warc"
    RIS = "ris"
    BIBTEX = "bibtex"


class PageOrder(StrEnum):
    """In which order pages come."""

    BEST = "best"
    VISITS = "visits"
