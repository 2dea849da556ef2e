"""A crawl's database changed by hand, so that nobody can tell: its checksums and counts are right again."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from zlib import crc32

import msgspec

from salticid.store.schema import ABOUT, DATABASE_FILE, OPEN, ROWS, TABLES


@contextmanager
def tampering(folder: Path) -> Iterator[sqlite3.Connection]:
    """The database of a folder, to be changed."""
    with closing(sqlite3.connect(folder / DATABASE_FILE)) as db:
        with db:
            yield db
        seal(db)


def seal(db: sqlite3.Connection) -> None:
    """Give every row the checksum that is right for it, and every table its count."""
    counts = {}
    with db:
        db.execute("DELETE FROM about WHERE name = ?", (ROWS,))
        for table in TABLES:
            rows = db.execute(f"SELECT {', '.join([*table.columns, *table.body])} FROM {table.name}").fetchall()
            if table.body:
                at = len(table.columns) - 1
                rows = [(*row[:at], crc32(row[-1], crc32(row[-2])), *row[at + 1 :]) for row in rows]
            db.execute(f"DELETE FROM {table.name}")
            db.executemany(table.insert, map(table.with_checksum, rows))
            counts[table.name] = len(rows)
        counts[ABOUT.name] -= db.execute("SELECT count(*) FROM about WHERE name = ?", (OPEN,)).fetchone()[0]
        db.execute(ABOUT.insert, ABOUT.with_checksum((ROWS, msgspec.json.encode(counts).decode())))
