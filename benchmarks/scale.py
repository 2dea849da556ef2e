"""A crawl that has seen ten million URLs, and one of a million visits: in, on disk, in memory, and on again."""

from __future__ import annotations

import sqlite3
from pathlib import Path

from benchmarks._written import Made, Size, made_apart, went_on_apart
from benchmarks.material import CACHE
from benchmarks.report import figure, say
from salticid.store.schema import DATABASE_FILE

WIDE = Size(visits=133_334, tokens=300, links=80, new_links=75, new_words=5, hosts=5000, max_buffer=10_000)
"""Ten million URLs seen."""
LONG = Size(visits=1_000_000, tokens=100, links=20, new_links=5, new_words=1, hosts=5000, max_buffer=10_000)
"""A million pages visited, small ones, for it is the visits that are many here."""


def run() -> None:
    """Each crawl is made in its folder, measured, gone on with, and left there for the next time."""
    wide = CACHE / f"scale-{WIDE.visits}"
    _make(wide, WIDE, target=50_000)
    figure("tables on disk", tables_on_disk(wide) / 1e6, "MB", target=2000, at_most=True)
    on = went_on_apart(wide, WIDE)
    figure("tables in memory", on.tables, "MB", target=600, at_most=True)
    figure("CPU until the tables are filled again", on.filling, "s")
    figure(f"CPU until a crawl of {on.visits:,} visits goes on", on.cpu, "s", target=60, at_most=True)
    figure("the same by the clock", on.seconds, "s")
    figure("memory at the peak, going on", on.memory, "MB")
    long = CACHE / f"scale-{LONG.visits}"
    _make(long, LONG)
    on = went_on_apart(long, LONG)
    figure(f"CPU until a crawl of {on.visits:,} visits goes on", on.cpu, "s", target=300, at_most=True)
    figure("the same by the clock", on.seconds, "s")
    figure("memory at the peak, going on", on.memory, "MB")


def _make(folder: Path, size: Size, target: float | None = None) -> None:
    """Make a crawl, unless it is there, and say how quick that was: the target is of URLs a second."""
    if folder.exists():
        return
    say(f"  making a crawl of {size.visits:,} visits")
    made: Made = made_apart(folder, size)
    figure(f"{made.urls:,} URLs through tables, frontier and log", made.urls / made.cpu, "URLs/CPU-s", target)
    figure("visits of it", size.visits / made.cpu, "visits/CPU-s")
    figure("memory at the peak, crawling", made.memory, "MB")


def tables_on_disk(folder: Path) -> int:
    """Bytes of the database that spell out URLs and words."""
    db = sqlite3.connect(folder / DATABASE_FILE)
    try:
        found: int = db.execute(
            "SELECT sum(pgsize) FROM dbstat WHERE aggregate = 1 AND name IN ('url', 'words')"
        ).fetchone()[0]
        return found
    finally:
        db.close()
