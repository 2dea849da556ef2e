"""A crawl folder that this program alone writes into: its lock and its database."""

from __future__ import annotations

import sqlite3
from contextlib import suppress
from pathlib import Path
from typing import Any

import msgspec

from salticid.errors import UserError
from salticid.store import write_ahead
from salticid.store.lock import FILE as LOCK
from salticid.store.lock import lock
from salticid.store.schema import FILE, FORMAT

CHECKPOINT_PAGES = 16_384
"""Pages of 4 KiB the write-ahead log may grow to before it is folded into the database."""
SHARDS = "shards"
"""The folder, in that of a crawl by many machines, in which each of them keeps its part."""
IN_MEMORY = Path(":memory:")
"""In the place of a folder: the crawl is gone when the program ends, and nothing is written."""
_FILES = (FILE, write_ahead.AHEAD, f"{FILE}-shm", LOCK)


class TakenFolder:
    """A folder, made if need be, and its open database; UserError if it cannot be had.

    It is `empty` as long as no crawl was begun in it; given back empty, it is left as it was found. `missing` is the
    sentence to tell when the write-ahead log of the crawl was left behind.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        if (folder / SHARDS).is_dir() and not (folder / FILE).exists():
            raise UserError(
                f"{folder} holds a crawl in shards; go on with --ray and --shards, or name another folder with --out"
            )
        self._made = [path for path in (folder, *folder.parents) if not path.exists()]
        self._new_files = [name for name in _FILES if not (folder / name).exists()]
        self._lock = lock(folder)
        self.empty, opened = True, None
        nothing_ahead = write_ahead.holds_nothing(folder)
        try:
            opened = self.db = connect(folder / FILE)
            version = opened.execute("PRAGMA user_version").fetchone()[0]
            foreign = not version and opened.execute("SELECT count(*) FROM sqlite_schema").fetchone()[0]
        except sqlite3.Error as error:
            self._let_go(opened)
            raise UserError(
                f"cannot write a crawl into {folder}: {error}; name another folder with --out"
            ) from None
        self.empty = not version
        if foreign or version not in (0, FORMAT):
            self._let_go(opened)
            raise UserError(
                f"{folder / FILE} is no crawl; name another folder with --out"
                if foreign
                else f"the crawl in {folder} was made by another version of salticid (its format is {version}, ours "
                f"{FORMAT}); go on with the version that made it, or crawl into a new folder with --out"
            )
        self.missing = write_ahead.left_behind(folder, self.db) if nothing_ahead and not self.empty else None

    def facts(self) -> dict[str, Any] | None:
        """The facts about the crawl it holds; None when it holds none yet."""
        if self.empty:
            return None
        rows = self.db.execute("SELECT name, value FROM about")
        return {name: msgspec.json.decode(value) for name, value in rows}

    def write(self) -> None:
        """Somebody writes into the crawl that it holds now; what was left behind of it is made good."""
        self.empty, self.missing = False, None
        write_ahead.begin(self.db)

    def give_back(self) -> None:
        """Close the database and let others have the folder."""
        if not self.empty and self.missing is None:
            write_ahead.end(self.db)
        self._let_go(self.db)

    def _let_go(self, db: sqlite3.Connection | None) -> None:
        if db is not None:
            db.close()
        if self.empty:
            for name in self._new_files:
                (self.folder / name).unlink(missing_ok=True)
            with suppress(OSError):  # somebody else has put something there
                for path in self._made:
                    path.rmdir()
        self._lock.close()


class NoFolder:
    """In the place of a folder: a database in memory, for a crawl that is not to be kept."""

    missing = None

    def __init__(self) -> None:
        self.db = sqlite3.connect(":memory:", check_same_thread=False)

    def facts(self) -> None:
        """It never holds a crawl yet."""

    def write(self) -> None:
        """Nothing to be made good."""

    def give_back(self) -> None:
        """It is gone with whoever reads it last."""


def connect(file: Path) -> sqlite3.Connection:
    """A database that survives the program's death at any moment."""
    db = sqlite3.connect(file)
    db.execute("PRAGMA journal_mode = WAL")
    db.execute("PRAGMA synchronous = NORMAL")
    db.execute(f"PRAGMA wal_autocheckpoint = {CHECKPOINT_PAGES}")
    return db
