"""The tables of a crawl's log; each row carries a checksum of itself.

`seq` counts all calls made to the strategy in the order they were made, across tables, so that the log can be played
back. URLs and words are ids of the crawl, spelled out in `url` and `words`; words, of which there are many and none is
ever looked up alone, a batch at a time. What a checksum cannot tell is that a row is missing: the fact ROWS in `about`
says how many each table has.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any
from zlib import crc32

import msgspec

FORMAT = 3
DATABASE_FILE = "crawl.db"
SNAPSHOT = "snapshot.zst"
ROWS, OPEN = "rows", "open"
"""Facts in `about` that are not about the crawl: how many rows the tables have, these two apart; a run is writing."""

_pack = msgspec.msgpack.Encoder().encode


class SqlTable:
    """A table: a key, other columns, their checksum; then the columns of a `body`, which have one of their own."""

    def __init__(self, name: str, columns: str, body: str = "", rest: str = "") -> None:
        self.name = name
        self.columns, self.body = (
            [column.split()[0] for column in part.split(",") if part] for part in (columns, body)
        )
        self.width = len(self.columns) + 1
        parts = [columns, "sum INTEGER NOT NULL", *filter(None, (body,))]
        self.create = f"CREATE TABLE {name} ({', '.join(parts)}){rest}"
        names = [*self.columns, "sum", *self.body]
        marks = ",".join("?" * len(names))
        verb = "INSERT OR REPLACE" if rest else "INSERT"
        into = f"INTO {name} ({', '.join(names)}) VALUES ({marks})"
        self.insert, self.replace = f"{verb} {into}", f"REPLACE {into}"
        self._seed = crc32(name.encode())
        declared = ", ".join(filter(None, (columns, "sum INTEGER NOT NULL", body))).split(",")
        self._types = [_types(column.split()) for column in declared]
        self._seen: set[tuple[type, ...]] = set()
        self.by_key, self.by_key_in_full = (
            f"SELECT {self.names(body=body)} FROM {name} WHERE {self.columns[0]} = ?" for body in (False, True)
        )

    def names(self, of: str = "", body: bool = False) -> str:
        """Its columns and the checksum, and the body if it is wanted, as a SELECT names them."""
        prefix = f"{of}." if of else ""
        return ", ".join(prefix + name for name in (*self.columns, "sum", *(self.body if body else ())))

    def with_checksum(self, values: Sequence[Any]) -> tuple[Any, ...]:
        """A row with its checksum."""
        head = tuple(values[: self.width - 1])
        return (*head, crc32(_pack(head), self._seed), *values[self.width - 1 :])

    def with_checksums(self, rows: Iterable[Sequence[Any]]) -> list[tuple[Any, ...]]:
        """Many rows with theirs."""
        return [self.with_checksum(row) for row in rows]

    def has_types(self, row: Sequence[Any]) -> bool:
        """Whether the values of a row have the types of its columns, which SQLite does not enforce."""
        types = tuple(map(type, row))
        if types not in self._seen:
            if not all(type_ in allowed for type_, allowed in zip(types, self._types, strict=False)):
                return False
            self._seen.add(types)
        return True

    def is_whole(self, row: Sequence[Any]) -> bool:
        """Whether a row is as it was written, its body aside."""
        return bool(row[self.width - 1] == crc32(_pack(row[: self.width - 1]), self._seed))


def _types(column: list[str]) -> tuple[type, ...]:
    """The types that the values of a column may have."""
    of_value: dict[str, type] = {"INTEGER": int, "REAL": float, "TEXT": str, "BLOB": bytes}
    required = {"PRIMARY", "NOT"} & set(column)
    return (of_value[column[1]],) if required else (of_value[column[1]], type(None))


class SqlTextTable(SqlTable):
    """A table of ids and URLs, of which there are so many that the checksum has to be quick."""

    def with_checksum(self, values: Sequence[Any]) -> tuple[Any, ...]:
        return self.with_checksums([values])[0]

    def with_checksums(self, rows: Iterable[Sequence[Any]]) -> list[tuple[Any, ...]]:
        return [(at, text, crc32(text.encode(), at)) for at, text in rows]

    def is_whole(self, row: Sequence[Any]) -> bool:
        at, text, checksum = row
        return bool(checksum == crc32(text.encode(), at)) and "//" in text


_PAGE = """url INTEGER NOT NULL, title TEXT NOT NULL, canonical INTEGER NOT NULL, refresh INTEGER NOT NULL,
    noindex INTEGER NOT NULL, nofollow INTEGER NOT NULL, body_sum INTEGER NOT NULL"""
_BODY = "stream BLOB NOT NULL, text BLOB NOT NULL"

ABOUT = SqlTable("about", "name TEXT PRIMARY KEY, value TEXT NOT NULL", rest=" WITHOUT ROWID")
SESSION = SqlTable("session", "id INTEGER PRIMARY KEY, wall REAL NOT NULL, at REAL NOT NULL, settings TEXT NOT NULL")
URL = SqlTextTable("url", "id INTEGER PRIMARY KEY, text TEXT NOT NULL")
WORDS = SqlTable("words", "batch INTEGER PRIMARY KEY, ids BLOB NOT NULL, texts BLOB NOT NULL")
START_PAGE = SqlTable("start_page", f"place INTEGER PRIMARY KEY, kind TEXT NOT NULL, {_PAGE}", _BODY)
QUESTION = SqlTable("question", "seq INTEGER PRIMARY KEY, room INTEGER NOT NULL, busy TEXT")
CHOICE = SqlTable(
    "choice",
    """id INTEGER PRIMARY KEY, seq INTEGER NOT NULL, url INTEGER NOT NULL, source INTEGER NOT NULL,
    place INTEGER NOT NULL, score REAL NOT NULL, agent INTEGER, why TEXT""",
)
VISIT = SqlTable(
    "visit",
    """step INTEGER PRIMARY KEY, seq INTEGER NOT NULL, choice INTEGER NOT NULL, final INTEGER NOT NULL,
    outcome TEXT NOT NULL, status INTEGER NOT NULL, score REAL NOT NULL, positive INTEGER NOT NULL,
    depth INTEGER NOT NULL, seconds REAL NOT NULL, at REAL NOT NULL, size INTEGER NOT NULL,
    modified REAL, etag TEXT, revisit INTEGER NOT NULL, records TEXT, duplicate_of INTEGER""",
)
PAGE = SqlTable("page", f"step INTEGER PRIMARY KEY, {_PAGE}", _BODY)
MESSAGE = SqlTable("message", "seq INTEGER PRIMARY KEY, body TEXT NOT NULL")
VECTOR = "vector:"
"""The names of vectors in the table of memory begin so."""
MEMORY = SqlTable("memory", "name TEXT PRIMARY KEY, value BLOB NOT NULL", rest=" WITHOUT ROWID")
RECHECK = SqlTable(
    "recheck",
    """id INTEGER PRIMARY KEY, step INTEGER NOT NULL, wall REAL NOT NULL, finding TEXT NOT NULL,
    status INTEGER NOT NULL, size INTEGER NOT NULL, modified REAL, etag TEXT, records TEXT""",
)
VERSION = SqlTable("version", f"recheck INTEGER PRIMARY KEY, {_PAGE}", _BODY)
TABLES = (
    ABOUT, SESSION, URL, WORDS, START_PAGE, QUESTION, CHOICE, VISIT, PAGE, MESSAGE, MEMORY, RECHECK, VERSION,
)  # fmt: skip
"""
session      one row a run: the wall's clock and the crawl's when it began, and the settings that may change
start_page   examples and negatives, read before the first page
question     the strategy was asked for choices
visit        `records`: where in the WARC its exchanges stand; `duplicate_of`: the step of a page all but the same
message      whatever else the crawl heard (`salticid.messages`)
memory       what manners must not forget: pauses and robots.txt files; why hosts could not be reached; or the requests
             of another program's spider; vectors of texts, by the hashes of these
recheck      what a refresh found of a page; `version` its new form, when it had changed
"""
_INDEX = "CREATE INDEX page_url ON page (url)"
_BAND = "CREATE TABLE band (key INTEGER PRIMARY KEY, step INTEGER NOT NULL)"
_MORE = (
    _INDEX,
    _BAND,
    f"PRAGMA user_version = {FORMAT}",
)
SCRIPT = "; ".join([*(table.create for table in TABLES), *_MORE, ""])
"""What makes an empty database one of ours.

`band` leads to pages that may be near-duplicates: each is compared before it counts, so it needs no checksums.
"""
OURS: frozenset[tuple[str, str, str | None]] = frozenset(
    [
        *(("table", table.name, " ".join(table.create.split())) for table in TABLES),
        ("table", "band", _BAND),
        ("index", "page_url", _INDEX),
        *(("view", name, None) for name in ("visits", "pages", "hosts")),
    ]
)
"""All that the schema of a crawl may hold: kind, name and statement. The views are those of `store/views.py`."""
