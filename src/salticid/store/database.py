"""The database of a crawl: every row it gives is as it was written, and none is missing, or `Damaged` is raised."""

from __future__ import annotations

import sqlite3
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeVar

import msgspec

from salticid.store.damage import Damaged, unpacks
from salticid.store.old_format import UPGRADE_FACT, show_as_new
from salticid.store.schema import ABOUT, FORMAT, MEMORY, OPEN, ROWS, SqlTable

Row = tuple[Any, ...]
R = TypeVar("R")
_DAMAGE = ("Could not decode", "user-defined function")
"""Causes, besides those that SQLite calls damage, for which stored data cannot be read."""
_REPLACING = (ABOUT, MEMORY)
"""Tables whose rows are replaced, so that not every row that is inserted is one more."""


class Database:
    """An open database in our format, or in the old one, whose rows have no checksums and are believed."""

    def __init__(self, connection: sqlite3.Connection, file: Path) -> None:
        self.connection, self.file = connection, file
        self.format: int = connection.execute("PRAGMA user_version").fetchone()[0]
        self._counts: Counter[str] = Counter()
        self._unchecked = self.is_old
        if self.is_old:
            show_as_new(connection)
        elif self.format == FORMAT:
            self._unchecked = next(self.select(ABOUT, "WHERE name = ?", (UPGRADE_FACT,)), None) is not None

    @property
    def is_old(self) -> bool:
        """Whether it is of the format before ours."""
        return self.format == FORMAT - 1

    def run(self, statement: str, values: Sequence[Any] = ()) -> Iterator[Row]:
        """What a statement gives, unchecked."""
        try:
            for row in self.connection.cursor().execute(statement, values):  # noqa: UP028 - which would close it late
                yield row
        except sqlite3.DatabaseError as error:
            raise self._cause(error) from None

    def select(
        self, table: SqlTable, rest: str = "", values: Sequence[Any] = (), body: bool = False
    ) -> Iterator[Row]:
        """Rows of a table, checksums included. The `rest` should look at nothing but keys, for what it leaves out is
        not checked."""
        for row in self.run(f"SELECT {table.names(body=body)} FROM {table.name} {rest}", values):
            yield self.check(table, row)

    def one(self, table: SqlTable, key: object, body: bool = False) -> Row | None:
        """The row of a key, if there is one."""
        try:
            row = self.connection.execute(table.by_key_in_full if body else table.by_key, (key,)).fetchone()
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
        if not table.is_whole(row) and not (self._unchecked and row[table.width - 1] is None):
            raise self.damage(f"{table.name} {str(row[0])[:40]} is not as it was written")
        return row

    def counts(self) -> Counter[str]:
        """How many rows each table has at least."""
        if self.format < FORMAT:
            return Counter()
        return Counter(_counts(self.row(ABOUT, ROWS)[1]))

    def facts(self) -> dict[str, Any]:
        """The facts about the crawl."""
        least, facts = self.counts()[ABOUT.name], {}
        for name, value, _ in self.select(ABOUT):
            if name != ROWS:
                facts[name] = _decode(value)
        if len(facts) - (OPEN in facts) < least:
            raise self.damage("facts about the crawl are missing")
        return facts

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
