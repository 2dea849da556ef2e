"""The database of a crawl: every row it gives is as it was written, and none is missing, or `Damaged` is raised.

Somebody else may have made the file. `connect` is the one door to SQLite for files that lie in a crawl folder: it
opens nothing but regular files, believes nothing that a schema says, and `Database` accepts only our own schema.
"""

from __future__ import annotations

import sqlite3
import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Any, TypeVar
from weakref import ref

import msgspec

from salticid.store.files import check_regular
from salticid.store.packing import Damaged, unpacks
from salticid.store.schema import ABOUT, FORMAT, MEMORY, OPEN, OURS, ROWS, SqlTable
from salticid.topic import Scope

Row = tuple[Any, ...]
R = TypeVar("R")
SchemaEntry = tuple[str, str, str | None]
_DAMAGE = ("Could not decode", "interrupted", "string or blob too big")
"""Causes, besides those that SQLite calls damage, for which stored data cannot be read."""
_REPLACING = (ABOUT, MEMORY)
"""Tables whose rows are replaced, so that not every row that is inserted is one more."""


_LARGEST_VALUE = 512 << 20
_STRIDE, _STRIDES, _STRIDES_A_MEGABYTE = 1_000_000, 50, 20
"""Steps of SQLite's machine between two looks at a statement, and how many of these it may take for its next row."""
_ROWS_AT_ONCE = 1 << 20


_Count = Annotated[int, msgspec.Meta(ge=0, le=1 << 62)]
_Seconds = Annotated[float, msgspec.Meta(ge=0)]


class _Topic(msgspec.Struct):
    name: str = ""
    keywords: str = ""
    seeds: list[str] = []
    examples: list[str] = []
    negatives: list[str] = []
    language: str | list[str] | None = None
    scope: Scope | None = None


class _Limits(msgspec.Struct):
    max_pages: _Count = 0
    max_fetches: _Count | None = None
    max_buffer: _Count | None = None
    max_seconds: _Seconds | None = None
    min_harvest: float | None = None
    timeout: _Seconds = 0.0
    min_remaining: float | None = None


class _Encoder(msgspec.Struct):
    name: str
    version: str
    digest: str
    width: Annotated[int, msgspec.Meta(ge=1, le=1024)]


class _Forgotten(msgspec.Struct):
    salt: Annotated[str, msgspec.Meta(pattern="^([0-9a-f]{2}){1,64}$")]
    hashes: list[str]


class _Unwanted(msgspec.Struct):
    places: list[_Count] = []
    files: list[_Count] = []


class _Shapes(msgspec.Struct):
    """The types of all facts about a crawl that a program reads; any fact may be missing."""

    version: str = ""
    topic: _Topic | None = None
    strategy: dict[str, Any] = {}
    judge: dict[str, Any] = {}
    web: dict[str, Any] = {}
    limits: _Limits | None = None
    arrivals: str = ""
    seed: Annotated[int, msgspec.Meta(ge=0)] = 0
    backlinks: str | None = None
    known_crawls: list[str] = []
    encoder: _Encoder | None = None
    as_given: str = ""
    line: float = 0.0
    seconds: float = 0.0
    stopped: str = ""
    folder: str = ""
    known: bool = False
    thinned: bool = False
    merged: Annotated[list[str], msgspec.Meta(min_length=1)] | None = None
    forgotten: _Forgotten | None = None
    forgetting: bool = False
    unwanted: _Unwanted | None = None
    warc: tuple[_Count, _Count] | None = None
    posted: dict[Annotated[str, msgspec.Meta(pattern=r"^-?\d{1,9}$")], int] = {}


class Facts(dict[str, Any]):
    """The facts about a crawl, their types checked; Damaged if one is asked for that is missing."""

    def __init__(self, facts: Mapping[str, Any], file: Path) -> None:
        super().__init__(facts)
        self._file = file
        try:
            msgspec.convert(facts, _Shapes)
        except msgspec.ValidationError as error:
            raise Damaged(f"facts about the crawl: {error}", file) from None

    def __missing__(self, name: str) -> Any:
        raise Damaged(f"the fact {name!r} about the crawl is missing", self._file)


class Connection(sqlite3.Connection):
    """A connection that ends a statement which takes longer for a row than the size of the file can explain."""

    strides = 0
    """Since the last row; whoever takes a row sets it to 0."""


def connect(file: Path | str, query: str = "", wait: float = 5.0) -> Connection:
    """Open a database file, or one in memory, whose schema is believed nothing; `query` is that of SQLite's URI.

    UnsafeFile if the file, or one that SQLite keeps beside it, is not a regular file.
    """
    if not isinstance(file, Path):
        return _guarded(sqlite3.connect(file, wait, check_same_thread=False, factory=Connection), None)
    read_only = "mode=ro" in query
    check_regular(file.parent, tuple(file.name + end for end in ("", "-wal", "-shm", "-journal")), not read_only)
    uri = f"{file.absolute().as_uri()}?{query}"
    db = sqlite3.connect(uri, wait, uri=True, factory=Connection)
    return _guarded(db, file if read_only else None)


def _guarded(db: Connection, watched: Path | None) -> Connection:
    """The connection with SQLite's defenses on; a `watched` file is only read, so that its statements are short."""
    db.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, _LARGEST_VALUE)
    if sys.version_info >= (3, 12):
        db.setconfig(sqlite3.SQLITE_DBCONFIG_DEFENSIVE)
    for setting in ("trusted_schema = OFF", "cell_size_check = ON"):
        db.execute(f"PRAGMA {setting}")
    if watched is not None:
        watch = _Watch(db, watched)
        db.set_progress_handler(watch, _STRIDE)
    return db


class _Watch:
    """Says when a statement has taken too long for a row."""

    def __init__(self, db: Connection, file: Path) -> None:
        self._db, self._file = ref(db), file

    def __call__(self) -> bool:
        if (db := self._db()) is None:
            return True
        db.strides += 1
        return db.strides > _STRIDES + _STRIDES_A_MEGABYTE * (size_of(self._file) >> 20)


def size_of(file: Path) -> int:
    """The bytes of a database and its write-ahead log."""
    names = (file, file.with_name(f"{file.name}-wal"))
    return sum(name.stat().st_size for name in names if name.exists())


def schema_of(db: sqlite3.Connection) -> set[SchemaEntry]:
    """All that a schema holds: kind, name and statement; that of a view is left out, for no view is read."""
    entries = set()
    for kind, name, statement in db.execute("SELECT type, name, sql FROM sqlite_schema"):
        is_text = isinstance(statement, str) and kind != "view"
        entries.add((str(kind), str(name), " ".join(statement.split()) if is_text else None))
    return entries


def _check_schema(db: sqlite3.Connection, file: Path) -> None:
    """Damaged unless tables and indexes are ours, and nothing but our views is beside them."""
    there = schema_of(db)
    odd = min(there - OURS, default=None, key=lambda entry: entry[:2])
    if odd is not None:
        raise Damaged(f"its schema is not ours: {odd[0][:20]} {odd[1][:40]!r}", file)
    missing = min((name for kind, name, _ in OURS - there if kind != "view"), default=None)
    if missing is not None:
        raise Damaged(f"its schema is not ours: {missing!r} is missing", file)


class Database:
    """An open database; Damaged if it says that it has our format and has another schema."""

    def __init__(self, connection: Connection, file: Path) -> None:
        self.connection, self.file = connection, file
        self.format: int = connection.execute("PRAGMA user_version").fetchone()[0]
        self._counts: Counter[str] = Counter()
        if self.format == FORMAT:
            _check_schema(connection, file)

    def run(self, statement: str, values: Sequence[Any] = ()) -> Iterator[Row]:
        """What a statement gives, unchecked."""
        db = self.connection
        try:
            for number, row in enumerate(db.cursor().execute(statement, values), 1):
                db.strides = 0
                if not number % _ROWS_AT_ONCE and self.file.is_file() and number > size_of(self.file):
                    raise self.damage("a table has more rows than the file has bytes")
                yield row
        except sqlite3.DatabaseError as error:
            raise self._cause(error) from None

    def select(self, table: SqlTable, rest: str = "", values: Sequence[Any] = (), body: bool = False) -> Iterator[Row]:
        """Rows of a table, checksums included. The `rest` should look at nothing but keys, for what it leaves out is
        not checked."""
        for row in self.run(f"SELECT {table.names(body=body)} FROM {table.name} {rest}", values):
            yield self.check(table, row)

    def one(self, table: SqlTable, key: object, body: bool = False) -> Row | None:
        try:
            row = self.connection.execute(table.by_key_in_full if body else table.by_key, (key,)).fetchone()
            self.connection.strides = 0
        except sqlite3.DatabaseError as error:
            raise self._cause(error) from None
        return None if row is None else self.check(table, row)

    def row(self, table: SqlTable, key: object, body: bool = False) -> Row:
        """The row of a key that must be there."""
        row = self.one(table, key, body)
        if row is None:
            raise self.damage(f"{table.name} {key} is missing")
        return row

    def last(self, table: SqlTable) -> Row | None:
        """The row with the highest key."""
        return next(self.select(table, f"ORDER BY {table.columns[0]} DESC LIMIT 1"), None)

    def all(self, table: SqlTable, body: bool = False) -> Iterator[Row]:
        """All rows, by key."""
        rows = self.select(table, f"ORDER BY {table.columns[0]}", body=body)
        return self.complete(table, ((row[0], row) for row in rows))

    def complete(self, table: SqlTable, rows: Iterable[tuple[Any, R]]) -> Iterator[R]:
        """Hands on what are said to be all rows of a table, each with its key."""
        least, count, last = self.counts()[table.name], 0, None
        for key, row in rows:
            if last is not None and key <= last:
                raise self.damage(f"{table.name} {key} comes after {last}")
            count, last = count + 1, key
            yield row
        if count < least:
            raise self.damage(f"{least - count} rows of {table.name} are missing")

    def check(self, table: SqlTable, row: Row) -> Row:
        """The row, if it is whole."""
        if not table.has_types(row) or not table.is_whole(row):
            raise self.damage(f"{table.name} {str(row[0])[:40]} is not as it was written")
        return row

    def counts(self) -> Counter[str]:
        """How many rows each table has at least."""
        return Counter(_counts(self.row(ABOUT, ROWS)[1]))

    def facts(self) -> Facts:
        """The facts about the crawl."""
        least, facts = self.counts()[ABOUT.name], {}
        for name, value, _ in self.select(ABOUT):
            if name != ROWS:
                facts[name] = _decode(value)
        if len(facts) - (OPEN in facts) < least:
            raise self.damage("facts about the crawl are missing")
        return Facts(facts, self.file)

    @contextmanager
    def moment(self) -> Iterator[None]:
        """All that is read meanwhile is of one moment."""
        self.connection.execute("BEGIN")
        try:
            yield
        finally:
            self.connection.rollback()

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """All that is inserted meanwhile is written, or nothing."""
        before = self._counts
        self._counts = before.copy() or self.counts()
        try:
            with self.connection:
                yield
                self.insert(ABOUT, facts({ROWS: self._counts}))
        except BaseException:
            self._counts = before
            raise

    def insert(self, table: SqlTable, rows: Iterable[Sequence[Any]]) -> None:
        """Add rows, within a transaction."""
        full = table.with_checksums(rows)
        self._counts[table.name] += self._new_names(table, full) if table in _REPLACING else len(full)
        self.connection.executemany(table.insert, full)

    def replace(self, table: SqlTable, rows: Iterable[Sequence[Any]]) -> None:
        """Write rows in the place of those that have their keys, within a transaction."""
        self.connection.executemany(table.replace, table.with_checksums(rows))

    def remove(self, table: SqlTable, keys: Iterable[Any]) -> None:
        """Take out rows, within a transaction."""
        gone = [(key,) for key in keys]
        self.connection.executemany(f"DELETE FROM {table.name} WHERE {table.columns[0]} = ?", gone)
        self._counts[table.name] -= len(gone)

    def _new_names(self, table: SqlTable, rows: list[Row]) -> int:
        """How many of these rows replace none."""
        names = {row[0] for row in rows} - {ROWS, OPEN}
        marks = ",".join("?" * len(names))
        there = next(self.run(f"SELECT count(*) FROM {table.name} WHERE name IN ({marks})", list(names)))[0]
        return len(names) - int(there)

    def append(self, table: SqlTable, rows: Iterable[Sequence[Any]]) -> None:
        """Add rows without keys: they are numbered from 1 on."""
        first = self._counts[table.name] + 1
        self.insert(table, [(number, *row) for number, row in enumerate(rows, first)])

    def _cause(self, error: sqlite3.DatabaseError) -> Exception:
        """Damage, or what else it was that SQLite complains about."""
        is_damage = type(error) is sqlite3.DatabaseError or any(cause in str(error) for cause in _DAMAGE)
        return self.damage(error) if is_damage else error

    def damage(self, what: object) -> Damaged:
        """The error to raise."""
        return Damaged(what, self.file)


def facts(values: Mapping[str, object]) -> list[tuple[str, str]]:
    """Facts as rows of `about`."""
    return [(name, msgspec.json.encode(value).decode()) for name, value in values.items()]


@unpacks
def _decode(value: str) -> Any:
    return msgspec.json.decode(value)


@unpacks
def _counts(value: str) -> dict[str, int]:
    return msgspec.json.decode(value, type=dict[str, int])
