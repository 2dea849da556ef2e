"""The rows that were added to the log since it last wrote: they are written together."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import suppress
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import zstandard

from salticid.columns import distinct, grow
from salticid.model import NO_URL, Page
from salticid.protocols import Table, UrlTable
from salticid.store.archive import FOLDER, veil_in
from salticid.store.database import Database
from salticid.store.editions import edition_note
from salticid.store.near_duplicates import Twins
from salticid.store.packing import Damaged, pack_words, unpack_words
from salticid.store.schema import (
    ABOUT,
    CHOICE,
    MEMORY,
    MESSAGE,
    PAGE,
    QUESTION,
    RECHECK,
    SESSION,
    START_PAGE,
    URL,
    VERSION,
    VISIT,
    WORDS,
    SqlTable,
)
from salticid.tables import Texts, Urls

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

    def write(self, db: Database, twins: Twins, urls: UrlTable) -> None:
        """Write all, within a transaction; near-duplicates and editions are found on the way."""
        alike = twins.find([(step, page, urls[page.url]) for step, page in self.pages if len(page.tokens)])
        visits = [(*row, alike.twins.get(row[0])) for row in self._rows[VISIT]]
        db.insert(MEMORY, [edition_note(*pair) for pair in alike.editions.items()])
        for table in _WITHOUT_KEYS:
            db.append(table, self._rows[table])
        for table in _TABLES:
            db.insert(table, visits if table is VISIT else self._rows[table])

    def clear(self) -> None:
        """All of it is written."""
        for rows in self._rows.values():
            rows.clear()
        self.pages.clear()


# The two tables of a crawl, URLs and words, as the log holds them: which texts it still has to spell out.

_AT_ONCE = 50_000
_MOST_UNUSED = 1 << 20
"""Ids of texts that a crawl added to those of a world and never logged."""


class WholeTable:
    """For a table that belongs to the crawl: all of it, as it grows, so that ids can be given anew."""

    def __init__(self, table: Table, count: int = 0) -> None:
        self._table, self._count = table, count

    def need(self, ids: npt.NDArray[np.int32] | Sequence[int]) -> None:
        """These ids are used in the log, unless they are NO_URL: they are written anyway."""

    def missing(self) -> list[int]:
        """The ids that have to be written with the next batch, ascending."""
        return list(range(self._count, len(self._table)))

    def confirm(self, ids: list[int]) -> None:
        """These are written, and with them all that was needed so far."""
        self._count += len(ids)


class PartOfTable:
    """The same for a table that is kept elsewhere, with a world: only what the crawl met."""

    def __init__(self, ids: Sequence[int] = ()) -> None:
        self._is_stored = np.zeros(1024, np.bool_)
        self._ids: list[npt.NDArray[np.int32]] = []
        self._make_room(stored := np.array(ids, np.int32))
        self._is_stored[stored] = True

    def need(self, ids: npt.NDArray[np.int32] | Sequence[int]) -> None:
        self._ids.append(np.asarray(ids, np.int32))

    def missing(self) -> list[int]:
        ids = np.concatenate([*self._ids, np.zeros(0, np.int32)])
        ids = ids[ids != NO_URL]
        self._make_room(ids)
        missing: list[int] = distinct(ids[~self._is_stored[ids]]).tolist()
        return missing

    def confirm(self, ids: list[int]) -> None:
        self._is_stored[ids] = True
        self._ids.clear()

    def _make_room(self, ids: npt.NDArray[np.int32]) -> None:
        self._is_stored = grow(self._is_stored, int(ids.max(initial=-1)) + 1)


class TextTables:
    """Writes what the log needs of both tables.

    Those that are its `own` are written whole, so that ids can be given anew, and filled when the crawl goes on; of
    others only what it met.
    """

    def __init__(self, urls: UrlTable, words: Table, own: bool) -> None:
        self._urls, self._words, self._own = urls, words, own
        self._zstd = zstandard.ZstdCompressor(level=1)
        self._new: tuple[list[int], list[int]] = ([], [])
        self._start()

    @property
    def sizes(self) -> tuple[int, int]:
        """How many URLs and words there are."""
        return len(self._urls), len(self._words)

    def go_on(self, db: Database) -> None:
        """Take over what the log holds already."""
        if self._own:
            texts = (text.encode() for _, text, _ in db.all(URL))
            while some := list(islice(texts, _AT_ONCE)):
                _refill(self._urls, some)
            for _, ids, words, _ in db.all(WORDS):
                _refill(self._words, unpack_words(ids, words)[1].split(b"\n"))
            if isinstance(self._urls, Urls):
                self._urls.veil = veil_in(db)
            self._start(range(len(self._urls)), range(len(self._words)))
        else:
            urls = [at for at, *_ in db.all(URL)]
            self._start(
                urls,
                [at for _, ids, texts, _ in db.all(WORDS) for at in unpack_words(ids, texts)[0].tolist()],
            )

    def _start(self, urls: Sequence[int] = (), words: Sequence[int] = ()) -> None:
        def pending(table: Table, ids: Sequence[int]) -> WholeTable | PartOfTable:
            if self._own:
                return WholeTable(table, len(ids))
            if max(ids, default=0) >= len(table) + len(ids) + _MOST_UNUSED or min(ids, default=0) < 0:
                raise Damaged("an id is beyond its table")
            return PartOfTable(ids)

        self._url, self._word = pending(self._urls, urls), pending(self._words, words)

    def need(self, url: int) -> None:
        """The log uses a URL."""
        self._url.need((url,))

    def need_page(self, page: Page) -> None:
        """The log uses the words and URLs of a page."""
        self._word.need(page.tokens)
        self._url.need(page.links.url)
        self._url.need((page.url, page.canonical, page.refresh))

    def write(self, db: Database) -> None:
        """Write the texts that what is written now needs."""
        urls, words = self._new = self._url.missing(), self._word.missing()
        db.insert(URL, zip(urls, self._urls.spell(urls), strict=True))
        if words:
            db.append(WORDS, [pack_words(words, self._words.spell(words), self._zstd)])

    def confirm(self) -> None:
        """They are written for good."""
        self._url.confirm(self._new[0])
        self._word.confirm(self._new[1])


def _refill(table: Table, texts: Sequence[bytes]) -> None:
    """Give a table that holds nothing but what it held before its next texts again."""
    if isinstance(table, Texts):
        table.extend(texts)  # all of them are new to it: it need not look
    else:
        table.intern_all(texts)


# How much room a crawl may take on the disk, where a person has set a bound.


class DiskRoom:
    """So many bytes for the files of a crawl's folder: its log, its archive, its index."""

    def __init__(self, folder: Path, most: int) -> None:
        self._folder, self._most = folder, most

    def lack(self) -> str | None:
        """Why nothing more should be written; None while there is room. Looks at each file, of which there are few."""
        size = sum(_sizes(self._folder)) + sum(_sizes(self._folder / FOLDER))
        if size < self._most:
            return None
        return (
            f"it takes {_megabytes(size)}, and --max-disk allows {_megabytes(self._most)}; to go on, end this with "
            "Ctrl-C and give the same command with a larger one"
        )


def _sizes(folder: Path) -> Iterator[int]:
    with suppress(FileNotFoundError), os.scandir(folder) as entries:
        for entry in entries:
            with suppress(FileNotFoundError):  # SQLite has just folded it in
                if entry.is_file(follow_symlinks=False):
                    yield entry.stat(follow_symlinks=False).st_size


def _megabytes(size: int) -> str:
    return f"{size / 1e6:,.1f} MB"
