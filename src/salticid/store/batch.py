"""The rows that were added to the log since it last wrote: they are written together."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from salticid.model import Page
from salticid.store.database import Database
from salticid.store.schema import (
    ABOUT,
    CHOICE,
    MESSAGE,
    PAGE,
    QUESTION,
    RECHECK,
    SESSION,
    START_PAGE,
    VERSION,
    VISIT,
    SqlTable,
)
from salticid.store.twins import Sketch, Twins

_WITHOUT_KEYS = (SESSION, START_PAGE)
_TABLES = (ABOUT, QUESTION, CHOICE, VISIT, PAGE, MESSAGE, RECHECK, VERSION)


class Batch:
    """Rows by table, and the pages of the visits among them by step."""

    def __init__(self) -> None:
        self._rows: dict[SqlTable, list[Sequence[Any]]] = {table: [] for table in (*_WITHOUT_KEYS, *_TABLES)}
        self.pages: list[tuple[int, Page]] = []

    def add(self, table: SqlTable, *rows: Sequence[Any]) -> None:
        """These rows are to be written; a visit lacks its last column."""
        self._rows[table].extend(rows)

    @property
    def visits(self) -> int:
        """How many there are."""
        return len(self._rows[VISIT])

    def write(self, db: Database, twins: Twins) -> None:
        """Write all, within a transaction; near-duplicates are found on the way."""
        twin_of = twins.find([(step, Sketch.of(page)) for step, page in self.pages if len(page.tokens)])
        visits = [(*row, twin_of.get(row[0])) for row in self._rows[VISIT]]
        for table in _WITHOUT_KEYS:
            db.append(table, self._rows[table])
        for table in _TABLES:
            db.insert(table, visits if table is VISIT else self._rows[table])

    def clear(self) -> None:
        """All of it is written."""
        for rows in self._rows.values():
            rows.clear()
        self.pages.clear()
