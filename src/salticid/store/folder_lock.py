"""Who holds a folder: one program at a time may crawl into it, with the lock on it and its database."""

from __future__ import annotations

import fcntl
import os
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO

from salticid.errors import UserError
from salticid.store.database import Connection, Database, Facts, facts
from salticid.store.database import connect as guarded
from salticid.store.files import PRIVATE, UnsafeFile, open_in
from salticid.store.packing import Damaged
from salticid.store.schema import ABOUT, DATABASE_FILE, FORMAT, OPEN
from salticid.store.views import make_views

# The write-ahead log: what a crawl wrote last stands beside its database, until it is folded into it.
#
# Whoever copies the database alone leaves that behind, and what is left looks whole. So the database itself says that
# a run is writing: from the first moment of a run to its orderly end, after which there is no such file.

AHEAD = f"{DATABASE_FILE}-wal"
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


LOCK = "lock"

CHECKPOINT_PAGES = 16_384
"""Pages of 4 KiB the write-ahead log may grow to before it is folded into the database."""
SHARDS = "shards"
"""The folder, in that of a crawl by many machines, in which each of them keeps its part."""
IN_MEMORY = Path(":memory:")
"""In the place of a folder: the crawl is gone when the program ends, and nothing is written."""
_SYNCHRONOUS = "NORMAL"
"""What is written last may be lost by a power cut, but nothing before it."""
_FILES = (DATABASE_FILE, AHEAD, f"{DATABASE_FILE}-shm", LOCK)


def thing_of_others(folder: Path) -> str | None:
    """The name of something in a folder without a crawl that no crawl put there; None if there is nothing."""
    if not folder.is_dir() or (folder / DATABASE_FILE).exists() or (folder / SHARDS).exists():
        return None
    names = sorted(each.name for each in folder.iterdir())
    return next((name for name in names if name not in _FILES and not name.startswith(".")), None)


def lock(folder: Path) -> BinaryIO:
    """Take a folder, made if need be, for this program alone; it is free again when the file is closed.

    A folder that it makes is for its owner alone: what a person reads is private. The system lets
    go of the lock when a program ends, however it ends.
    """
    try:
        folder.mkdir(PRIVATE, parents=True, exist_ok=True)
        file = open_in(folder, LOCK, "a+b")
    except OSError as error:
        raise UserError(
            f"cannot write a crawl into {folder}: {error.strerror}; name another folder with --out"
        ) from None
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        file.seek(0)
        holder = file.read(20).strip().decode("ascii", "replace")
        file.close()
        raise UserError(
            f"another program{f' (process {holder})' if holder else ''} is crawling into {folder}; "
            "wait until it ends, or name another folder with --out"
        ) from None
    with suppress(OSError):  # the disk is full; the lock holds all the same
        os.ftruncate(file.fileno(), 0)
        os.write(file.fileno(), str(os.getpid()).encode())
    return file


class LockedFolder:
    """A folder, made if need be, and its open database; UserError if it cannot be had.

    It is `empty` as long as no crawl was begun in it; given back empty, it is left as it was before. `missing` is the
    sentence to tell when the write-ahead log of the crawl was left behind.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        if (folder / SHARDS).is_dir() and not (folder / DATABASE_FILE).exists():
            raise UserError(
                f"{folder} holds a crawl in shards; go on with --ray and --shards, or name another folder with --out"
            )
        self._new_folders = [path for path in (folder, *folder.parents) if not path.exists()]
        self._new_files = [name for name in _FILES if not (folder / name).exists()]
        self._lock = lock(folder)
        self.empty, connection = True, None
        nothing_ahead = holds_nothing(folder)
        try:
            connection = connect(folder / DATABASE_FILE)
            self.db = Database(connection, folder / DATABASE_FILE)
            version = self.db.format
            foreign = not version and connection.execute("SELECT count(*) FROM sqlite_schema").fetchone()[0]
        except UnsafeFile:
            self._let_go(connection)
            raise
        except (sqlite3.Error, Damaged) as error:
            self._let_go(connection)
            raise UserError(f"cannot write a crawl into {folder}: {error}; name another folder with --out") from None
        self.empty = not version
        if foreign or version not in (0, FORMAT):
            self._let_go(connection)
            raise UserError(
                f"{folder / DATABASE_FILE} is no crawl; name another folder with --out"
                if foreign
                else f"the crawl in {folder} was made by another version of salticid (its format is {version}, ours "
                f"{FORMAT}); go on with the version that made it, or crawl into a new folder with --out"
            )
        self.missing = left_behind(folder, self.db) if nothing_ahead and not self.empty else None

    def facts(self) -> Facts | None:
        """The facts about the crawl it holds; None when it holds none yet."""
        return None if self.empty else self.db.facts()

    def write(self) -> None:
        """Somebody writes into the crawl that it holds now; what was left behind of it is made good."""
        if self.db.format != FORMAT:
            self.db = Database(self.db.connection, self.db.file)
        self.empty, self.missing = False, None
        make_views(self.db.connection)
        begin(self.db)

    def give_back(self) -> None:
        """Close the database and let others have the folder."""
        if not self.empty and self.missing is None:
            end(self.db)
        self._let_go(self.db.connection)

    def _let_go(self, db: Connection | None) -> None:
        if db is not None:
            db.close()
        if self.empty:
            for name in self._new_files:
                (self.folder / name).unlink(missing_ok=True)
            with suppress(OSError):  # somebody else has put something there
                for path in self._new_folders:
                    path.rmdir()
        self._lock.close()


@contextmanager
def opened_to_rewrite(folder: Path) -> Iterator[Database]:
    """The database of a crawl that nobody else may hold meanwhile; what is written is on the disk at once."""
    locked = LockedFolder(folder)
    try:
        locked.write()
        with written_at_once(folder, locked.db) as db:
            yield db
    finally:
        locked.give_back()


@contextmanager
def written_at_once(folder: Path, db: Database) -> Iterator[Database]:
    """The database of a crawl of which everything that is written meanwhile is on the disk before it goes on."""
    try:
        db.connection.execute("PRAGMA synchronous = FULL")
        yield db
    except (OSError, sqlite3.OperationalError) as error:
        raise UserError(
            f"{folder} cannot be written anew: {error}; make room, and give the command again: what is not done yet is "
            "done then"
        ) from None
    finally:
        db.connection.execute(f"PRAGMA synchronous = {_SYNCHRONOUS}")


class NoFolder:
    """In the place of a folder: a database in memory, for a crawl that is not to be kept."""

    missing = None

    def __init__(self) -> None:
        self.db = Database(guarded(":memory:"), IN_MEMORY)

    def facts(self) -> None:
        """It never holds a crawl yet."""

    def write(self) -> None:
        """Nothing to be made good."""

    def give_back(self) -> None:
        """It is gone when nobody reads it any more."""


def connect(file: Path) -> Connection:
    """A database that survives the program's death at any moment."""
    db = guarded(file)
    db.execute("PRAGMA journal_mode = WAL")
    db.execute(f"PRAGMA synchronous = {_SYNCHRONOUS}")
    db.execute(f"PRAGMA wal_autocheckpoint = {CHECKPOINT_PAGES}")
    return db


def is_held(folder: Path) -> bool:
    """Whether a program holds a folder."""
    try:
        with open_in(folder, LOCK) as file:
            fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    except OSError:
        return False
    return False
