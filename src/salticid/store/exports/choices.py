"""What a person may choose of an export; apart, so that whoever only asks need not wait for what writes it."""

from __future__ import annotations

from enum import StrEnum


class PageOrder(StrEnum):
    """In which order pages come."""

    BEST = "best"
    VISITS = "visits"
