"""A place in a log, and a mark of all that it holds up to there."""

from __future__ import annotations

from typing import Any

from msgspec import Struct

from salticid.store.database import Database
from salticid.store.schema import CHOICE, MESSAGE, PAGE, QUESTION, START_PAGE, URL, VISIT, WORDS, SqlTable

_CALLS = (QUESTION, CHOICE, VISIT, MESSAGE)
_WHAT_COUNTS = {
    VISIT: "(seq % 65521) * (choice % 65521) + final + status + length(outcome) + CAST(score * 1000000 AS INTEGER)"
}
"""Instead of the checksum: where the exchanges of a visit stand in the archive may change."""


class LogMark(Struct, frozen=True):
    """How far a log goes: the last call, and the first step, choice, URL and batch of words after it.

    `sums` tell, table by table, how many rows there are up to there and what their checksums add up to; of URLs and
    words, which are many and read anyway, the last alone. Logs with the same mark hold the same up to it.
    """

    seq: int
    step: int
    choice: int
    url: int
    words: int
    sums: list[tuple[str, int, int]]


def mark_of(db: Database) -> LogMark:
    """The mark of all that is in a log now."""
    ends = [row[at] for table, at in ((QUESTION, 0), (VISIT, 1), (MESSAGE, 0)) if (row := db.last(table))]
    step, choice, url, words = (
        row[0] + 1 if (row := db.last(table)) else 0 for table in (VISIT, CHOICE, URL, WORDS)
    )
    return _with_sums(db, LogMark(max(ends, default=0), step, choice, url, words, []))


def fits(db: Database, mark: LogMark) -> bool:
    """Whether a log holds what it held when it was marked; it may go on from there."""
    return _with_sums(db, mark) == mark


def _with_sums(db: Database, place: LogMark) -> LogMark:
    borders: list[tuple[SqlTable, str, Any]] = [(table, "seq <=", place.seq) for table in _CALLS]
    borders += [(PAGE, "step <", place.step), (START_PAGE, "place >", 0)]
    borders += [(URL, "id =", place.url - 1), (WORDS, "batch =", place.words - 1)]
    sums = []
    for table, column, border in borders:
        number = _WHAT_COUNTS.get(table, "sum")
        statement = f"SELECT count(*), ifnull(sum({number}), 0) FROM {table.name} WHERE {column} ?"
        sums.append((table.name, *next(db.run(statement, (border,)))))
    return LogMark(place.seq, place.step, place.choice, place.url, place.words, sums)
