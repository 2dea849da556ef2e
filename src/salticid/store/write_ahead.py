"""The write-ahead log: what a crawl wrote last stands beside its database, until it is folded into it.

Whoever copies the database alone leaves that behind, and what is left looks whole. So the database itself says that
a run is writing: from the first moment of a run to its orderly end, after which there is no such file.
"""

from __future__ import annotations

import sqlite3
from contextlib import suppress
from pathlib import Path

from salticid.store.damage import Damaged
from salticid.store.database import Database, facts
from salticid.store.schema import ABOUT, FILE, OPEN

AHEAD = f"{FILE}-wal"
_HEAD = 32
"""Bytes with which it begins, before anything is in it."""


def holds_nothing(folder: Path) -> bool:
    """Whether there is no write-ahead log, or an empty one; to be asked before the database is opened."""
    file = folder / AHEAD
    return not file.exists() or file.stat().st_size <= _HEAD


def begin(db: Database) -> None:
    """A run begins: say so where even those read it who have the database alone."""
    with suppress(sqlite3.OperationalError):  # on a full disk, a crawl waits for room as it is
        with db.transaction():
            db.insert(ABOUT, facts({OPEN: True}))
        db.connection.execute("PRAGMA wal_checkpoint(PASSIVE)")


def end(db: Database) -> None:
    """It ends in good order, and all will be in the database; where that cannot be written this file stays."""
    with suppress(sqlite3.DatabaseError), db.connection as connection:
        connection.execute("DELETE FROM about WHERE name = ?", (OPEN,))


def left_behind(folder: Path, db: Database) -> str | None:
    """The warning where a database without a write-ahead log should have one."""
    try:
        if db.one(ABOUT, OPEN) is None:
            return None
    except (sqlite3.DatabaseError, Damaged):  # reading on will raise an error that says so
        return None
    return (
        f"what was written last may be missing: the crawl in {folder} did not end in good order, and {AHEAD}, which "
        "should hold that, is not there or empty. If the folder was copied, copy that file too; what is gone for good "
        "is fetched anew when the crawl goes on"
    )
