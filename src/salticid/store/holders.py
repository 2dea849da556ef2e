"""Pages of a crawl that another crawl holds, too: notes in the log, by step."""

from __future__ import annotations

from typing import NamedTuple

import msgspec

from salticid.store.damage import unpacks
from salticid.store.database import Database
from salticid.store.schema import MEMORY

_NOTE = "known "
"""What the names of these notes begin with; the step follows."""


class Holder(NamedTuple):
    """Which crawl holds a page, and at which URL."""

    folder: str
    url: str


def note(step: int, holder: Holder) -> tuple[str, bytes]:
    """The note that the page of a step is one of another crawl, under its name."""
    return f"{_NOTE}{step}", msgspec.json.encode(holder)


def holders(db: Database) -> dict[int, Holder]:
    """The steps of a crawl whose pages others hold, and who."""
    rows = db.select(MEMORY, "WHERE name >= ? AND name < ?", (_NOTE, f"{_NOTE}~"))
    return {int(name.removeprefix(_NOTE)): _holder(value) for name, value, _ in rows}


@unpacks
def _holder(value: bytes) -> Holder:
    return msgspec.json.decode(value, type=Holder)
