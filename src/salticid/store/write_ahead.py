"""The write-ahead log: what a crawl wrote last stands beside its database, until it is folded into it.

Whoever copies the database alone leaves that behind, and what is left looks whole. So the database itself says that
somebody is writing: from the first moment of a run to its orderly end, after which there is no such file.
"""

from __future__ import annotations

import sqlite3
from contextlib import suppress
from pathlib import Path

from salticid.store.schema import FILE

AHEAD = f"{FILE}-wal"
_HEAD = 32
"""Bytes with which it begins, before anything is in it."""


def holds_nothing(folder: Path) -> bool:
    """Whether there is no write-ahead log, or an empty one; to be asked before the database is opened."""
    file = folder / AHEAD
    return not file.exists() or file.stat().st_size <= _HEAD


def begin(db: sqlite3.Connection) -> None:
    """A run begins: say so where even those read it who have the database alone."""
    with suppress(sqlite3.OperationalError), db:  # on a full disk, a crawl waits for room as it is
        db.execute("INSERT OR REPLACE INTO about VALUES ('open', 'true')")
        db.commit()
        db.execute("PRAGMA wal_checkpoint(PASSIVE)")


def end(db: sqlite3.Connection) -> None:
    """It ends in good order, and all will be in the database; where that cannot be written this file stays."""
    with suppress(sqlite3.DatabaseError), db:
        db.execute("DELETE FROM about WHERE name = 'open'")


def left_behind(folder: Path, db: sqlite3.Connection) -> str | None:
    """The sentence to tell where a database without a write-ahead log should have one."""
    try:
        is_open = db.execute("SELECT 1 FROM about WHERE name = 'open'").fetchone()
    except sqlite3.DatabaseError:  # whoever reads on is told that it is damaged
        return None
    if not is_open:
        return None
    return (
        f"what was written last may be missing: the crawl in {folder} did not end in good order, and {AHEAD}, which "
        "should hold that, is not there or empty. If the folder was copied, copy that file too; what is gone for good "
        "is fetched anew when the crawl goes on"
    )
