"""The words of a crawl's pages, to be searched.

The index lies in `search.db` beside the crawl and can be made again at any time. Row `step` holds the words of
a visited page, row `-1 - n` those of the version that row n of `recheck` found. Words are those of
`salticid.text.tokens`, so that Chinese is searched by pairs of characters, and numbers; FTS5 takes accents off and, in
an English crawl, endings.
"""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from functools import cache
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple
from unicodedata import combining, normalize, unidata_version

from salticid.errors import UserError
from salticid.store.crawl_folder import CrawlFolder
from salticid.store.database import SchemaEntry, connect, schema_of
from salticid.store.files import UnsafeFile
from salticid.store.packing import unpack_page
from salticid.store.schema import PAGE, SESSION, VERSION, SqlTable
from salticid.tables import Texts
from salticid.text import LONGEST, Tokenizer, detect, letter_runs, stemmer

# What can be searched for: the words of the crawler, and numbers, which it leaves out.

_NUMBER = re.compile(r"([0-9]+)")
_LETTERS = str.maketrans({str(digit): chr(0x1681 + digit) for digit in range(10)})
"""Letters of Ogham, which was carved in stone and is on few pages."""


def search_words(text: str) -> Iterator[str]:
    """The words and numbers of a text, in order.

    >>> list(search_words("Python 3.8 was new in 2019"))
    ['python', '3', '8', 'was', 'new', 'in', '2019']
    """
    for at, part in enumerate(_NUMBER.split(text)):
        if at % 2 == 0:
            yield from letter_runs(part)
        elif len(part) <= LONGEST:
            yield part


def in_letters(text: str) -> str:
    """A text whose numbers are words of letters, which nobody else writes: so the tokenizer keeps them.

    >>> in_letters("x86")
    'x ᚉᚇ '
    """
    return _NUMBER.sub(lambda number: f" {number[0].translate(_LETTERS)} ", text)


class WordSpeller:
    """The words and numbers of many texts, quickly: each with one space between two, numbers in letters."""

    def __init__(self) -> None:
        self._table = Texts()
        self._tokenizer = Tokenizer(self._table)
        self._texts: list[str] = []

    def of(self, text: str) -> str:
        ids = self._tokenizer.ids(in_letters(text)).tolist()
        self._texts += self._table.spell(range(len(self._texts), len(self._table)))
        return " ".join(map(self._texts.__getitem__, ids))


INDEX_FILE = "search.db"
TITLE_WEIGHT = 5.0

_FORMAT = 3
_BATCH = 500
_PATIENCE = 60.0
"""Seconds to wait for another search that writes; it lets go after each batch."""
_SAMPLE_PAGES, _SAMPLE_SIZE = 5, 4000

_TOKENIZER = "unicode61 remove_diacritics 2 categories 'L* M*'"
_TOKENIZERS = (_TOKENIZER, f"porter {_TOKENIZER}")
_TABLES = (
    "DROP TABLE IF EXISTS about",
    "DROP TABLE IF EXISTS words",
    "CREATE TABLE about (made_for TEXT NOT NULL, step INTEGER NOT NULL, asked_again INTEGER NOT NULL)",
    "CREATE VIRTUAL TABLE words USING fts5 (title, text, content='', tokenize=\"{tokenize}\")",
    f"PRAGMA user_version = {_FORMAT}",
)
_INSERT = "INSERT INTO words (rowid, title, text) VALUES (?,?,?)"
_MATCHES = f"""SELECT rowid, -bm25(words, {TITLE_WEIGHT}, 1.0) FROM words WHERE words MATCH ?
    ORDER BY 2 DESC, 1"""


class _IndexEnd(NamedTuple):
    """The last step and the last version that the index holds."""

    step: int = -1
    asked_again: int = -1


class WordIndex:
    """The full-text index of a crawl; `update` it before looking something up.

    `persistent` is False when nothing can be written beside the crawl: then the index is gone when it is closed.
    """

    def __init__(self, crawl: CrawlFolder) -> None:
        self._crawl = crawl
        self._file = crawl.folder / INDEX_FILE
        code = _language(crawl)
        self._stems = stemmer(code) if code == "en" else list
        self._tokenize = _TOKENIZERS[code == "en"]
        self._made_for = f"{_birth(crawl)} {self._tokenize} {unidata_version}"
        self.persistent = True
        with self._usable():
            try:
                self._db = self._open(self._file)
            except (sqlite3.OperationalError, UnsafeFile) as error:
                if isinstance(error, sqlite3.Error) and _is_busy(error):
                    raise
                self.persistent = False
                self._db = self._open("")

    def missing(self) -> int:
        """How many pages and versions the index does not hold yet."""
        with self._usable():
            return self._missing(self._db)

    def update(self, watch: Callable[[int], None] = lambda count: None) -> None:
        """Take in all that came since the last time; `watch` is called after each batch with how many it took."""
        words, count = WordSpeller(), 0
        with self._usable():
            more = self._missing(self._db) > 0
            while more:
                batch = self._take_some(words)
                count += batch
                watch(count)
                more = batch > 0

    def matches(self, expression: str) -> Iterator[tuple[int, float]]:
        """The rows that fit an expression of FTS5, best first, and how well they do: higher is better."""
        with self._usable():
            yield from self._db.execute(_MATCHES, (expression,))

    def forms(self, words: list[str]) -> list[str]:
        """What words count as: two words are the same to the index when their forms are equal."""
        return forms_of(self._stems, words)

    def close(self) -> None:
        self._db.close()

    def _open(self, file: Path | str) -> sqlite3.Connection:
        """The database, ready to be written if there is something to write."""
        db = connect(file, wait=_PATIENCE)
        db.isolation_level = None
        try:
            self._check_schema(db)
            if self._missing(db) or not self._fits(db):
                with _writing(db):
                    if not self._fits(db):
                        self._make(db)
                self._check_schema(db)
        except BaseException:
            db.close()
            raise
        return db

    def _check_schema(self, db: sqlite3.Connection) -> None:
        """DatabaseError if the file says that it has our format, and holds other tables."""
        version = db.execute("PRAGMA user_version").fetchone()[0]
        if version == _FORMAT and schema_of(db) not in _schemas():
            raise sqlite3.DatabaseError("its schema is not ours")

    def _fits(self, db: sqlite3.Connection) -> bool:
        """Whether it was made for this crawl as it is, and cuts words as we do."""
        if db.execute("PRAGMA user_version").fetchone()[0] != _FORMAT:
            return False
        made_for, step = db.execute("SELECT made_for, step FROM about").fetchone()
        last = self._crawl.database.last(PAGE)
        return bool(made_for == self._made_for and step <= (-1 if last is None else last[0]))

    def _make(self, db: sqlite3.Connection) -> None:
        for statement in _TABLES:
            db.execute(statement.format(tokenize=self._tokenize))
        db.execute("INSERT INTO about VALUES (?,?,?)", (self._made_for, *_IndexEnd()))

    def _end(self, db: sqlite3.Connection) -> _IndexEnd:
        return _IndexEnd(*db.execute("SELECT step, asked_again FROM about").fetchone())

    def _missing(self, db: sqlite3.Connection) -> int:
        step, recheck = self._end(db) if self._fits(db) else _IndexEnd()
        pages, versions = (
            next(self._crawl.database.run(f"SELECT count(*) FROM {table.name} WHERE {table.columns[0]} > ?", (at,)))
            for table, at in ((PAGE, step), (VERSION, recheck))
        )
        return int(pages[0] + versions[0])

    def _take_some(self, words: WordSpeller) -> int:
        """Take in a batch; nothing of it if something goes wrong."""
        with _writing(self._db) as db:
            step, recheck = self._end(db)
            pages, step = self._take(words, PAGE, step)
            versions, recheck = self._take(words, VERSION, recheck)
            db.execute("UPDATE about SET step = ?, asked_again = ?", (step, recheck))
        return pages + versions

    def _take(self, words: WordSpeller, table: SqlTable, last: int) -> tuple[int, int]:
        """Take in some pages after the last: how many there were, and the last."""
        count, key = 0, table.columns[0]
        rows = self._crawl.database.select(table, f"WHERE {key} > ? ORDER BY {key} LIMIT ?", (last, _BATCH), body=True)
        for at, *row in rows:
            count, last, page = count + 1, at, unpack_page(row)
            number = at if table is PAGE else -1 - at
            self._db.execute(_INSERT, (number, words.of(page.title), words.of(page.text)))
        return count, last

    @contextmanager
    def _usable(self) -> Iterator[None]:
        """Say what to do about a file that cannot be used."""
        try:
            yield
        except sqlite3.DatabaseError as error:
            if _is_busy(error):
                raise UserError(f"{self._file} is being written by another program; try again later") from None
            raise UserError(
                f"{self._file} cannot be used: {error}; remove it, and the next search makes it anew"
            ) from None


@cache
def _schemas() -> list[set[SchemaEntry]]:
    """The schemas that an index of ours may have."""
    schemas = []
    for tokenizer in _TOKENIZERS:
        with closing(sqlite3.connect(":memory:")) as db:
            for statement in _TABLES:
                db.execute(statement.format(tokenize=tokenizer))
            schemas.append(schema_of(db))
    return schemas


def forms_of(stems: Callable[[list[str]], list[str]], words: list[str]) -> list[str]:
    """The stems of words, without accents."""
    return stems(["".join(c for c in normalize("NFD", word) if not combining(c)) for word in words])


@contextmanager
def _writing(db: sqlite3.Connection) -> Iterator[sqlite3.Connection]:
    """A transaction that nobody else can write in."""
    db.execute("BEGIN IMMEDIATE")
    try:
        yield db
    except BaseException:
        db.execute("ROLLBACK")
        raise
    db.execute("COMMIT")


def _is_busy(error: sqlite3.DatabaseError) -> bool:
    return getattr(error, "sqlite_errorcode", 0) & 0xFF == sqlite3.SQLITE_BUSY


def _birth(crawl: CrawlFolder) -> str:
    """By what this crawl differs from another in the same folder before or after it."""
    return str(min((wall for _, wall, *_ in crawl.database.all(SESSION)), default=None))


def _language(crawl: CrawlFolder) -> str:
    """The language its topic names, else that of its first pages."""
    topic: dict[str, Any] = crawl.about().get("topic") or {}
    pages = (unpack_page(row[1:]) for row in crawl.database.select(PAGE, "ORDER BY step", body=True))
    with_text = (page for page in pages if page.packed_text)
    sample = " ".join(page.text[:_SAMPLE_SIZE] for page in islice(with_text, _SAMPLE_PAGES))
    named = topic.get("language") or detect(sample)
    return named if isinstance(named, str) else str(named[0])
