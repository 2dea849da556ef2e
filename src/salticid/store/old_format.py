"""Crawls of the format before ours: read as if they were of ours, and made so when they go on.

That format had no checksums, other names for some tables, and wrote what a crawl hears as a call and a body of JSON.
"""

from __future__ import annotations

import sqlite3
from typing import Any

import msgspec

from salticid.messages import Extension, Message, Offer, Report, Revision, SecondOffer, Sight
from salticid.model import Event
from salticid.store.schema import ABOUT, FORMAT, MESSAGE, OPEN, ROWS, TABLES, SqlTable

UPGRADE_FACT = "upgraded"
"""The fact about a crawl that some of its rows have no checksums."""
_TABLES = {
    "question": "choose", "message": "told", "memory": "kept", "start_page": "known", "recheck": "asked_again",
}  # fmt: skip
_COLUMNS = {
    ("recheck", "finding"): "found",
    ("version", "recheck"): "asked_again",
    ("message", "body"): "body_now(call, body)",
}


def show_as_new(db: sqlite3.Connection) -> None:
    """Views, of this connection alone, that have the names and columns of our tables."""
    db.create_function("body_now", 2, _body_now, deterministic=True)
    for table in TABLES:
        old_names = {name: _COLUMNS.get((table.name, name), name) for name in (*table.columns, *table.body)}
        old_names |= dict.fromkeys(_sums(table), "NULL")
        columns = ", ".join(f"{old} AS {name}" for name, old in old_names.items())
        db.execute(
            f"CREATE TEMP VIEW {table.name} AS SELECT {columns} FROM main.{_TABLES.get(table.name, table.name)}"
        )


def upgrade(db: sqlite3.Connection) -> None:
    """Make a database that is shown as new one of our format; rows that it has stay without checksums."""
    for table in TABLES:
        db.execute(f"DROP VIEW temp.{table.name}")
    with db:
        db.execute("BEGIN IMMEDIATE")
        db.execute(MESSAGE.create)
        calls = db.execute("SELECT seq, call, body FROM told")
        rows = ((seq, _body_now(*call)) for seq, *call in calls)
        db.executemany(MESSAGE.insert, map(MESSAGE.with_checksum, rows))
        db.execute("DROP TABLE told")
        db.execute("DROP INDEX asked_again_step")
        for new, old in _TABLES.items():
            if new != MESSAGE.name:
                db.execute(f"ALTER TABLE {old} RENAME TO {new}")
        for (name, new), old in _COLUMNS.items():
            if name != MESSAGE.name:
                db.execute(f"ALTER TABLE {name} RENAME COLUMN {old} TO {new}")
        counts = {}
        for each in TABLES:
            for column in _sums(each) if each is not MESSAGE else ():
                db.execute(f"ALTER TABLE {each.name} ADD COLUMN {column} INTEGER")
            counts[each.name] = db.execute(f"SELECT count(*) FROM {each.name}").fetchone()[0]
        is_open = db.execute("SELECT count(*) FROM about WHERE name = ?", (OPEN,)).fetchone()[0]
        counts[ABOUT.name] += 1 - is_open
        values = [(UPGRADE_FACT, b"true"), (ROWS, msgspec.json.encode(counts))]
        db.executemany(ABOUT.insert, [ABOUT.with_checksum((name, value.decode())) for name, value in values])
        db.execute(f"PRAGMA user_version = {FORMAT}")


def _sums(table: SqlTable) -> tuple[str, ...]:
    return ("sum", "body_sum") if table.body else ("sum",)


def _body_now(call: str, body: str) -> str:
    """What was heard, in the words of today."""
    return msgspec.json.encode(_message(call, msgspec.json.decode(body))).decode()


def _message(call: str, body: Any) -> Message:
    match call:
        case "offer":
            return msgspec.convert(body, Offer)
        case "offer again":
            return SecondOffer(body)
        case "glimpse":
            return msgspec.convert({"glimpse": body}, Sight)
        case "extend":
            return msgspec.convert({"limits": body}, Extension)
        case "revise":
            return msgspec.convert(body, Revision)
        case _:
            return Report([Event(name, tuple(values.items())) for name, values in body])
