"""The tables of a crawl's log, and how a page is packed into a row.

`seq` counts all calls made to the strategy in the order they were made, across tables, so that the
log can be played back. URLs and words are ids of the crawl, spelled out in `url` and `words`; words, of
which there are many and none is ever looked up alone, a batch at a time.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import zstandard

from salticid.model import Links, Page
from salticid.store.damage import unpacks

FORMAT = 2
FILE = "crawl.db"

_PAGE_COLUMNS = """url INTEGER NOT NULL, title TEXT NOT NULL, stream BLOB NOT NULL, text BLOB NOT NULL,
    canonical INTEGER NOT NULL, refresh INTEGER NOT NULL, noindex INTEGER NOT NULL, nofollow INTEGER NOT NULL"""

TABLES = f"""
CREATE TABLE about (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE session (id INTEGER PRIMARY KEY, wall REAL NOT NULL, at REAL NOT NULL, settings TEXT NOT NULL);
CREATE TABLE url (id INTEGER PRIMARY KEY, text TEXT NOT NULL);
CREATE TABLE words (batch INTEGER PRIMARY KEY, ids BLOB NOT NULL, texts BLOB NOT NULL);
CREATE TABLE known (place INTEGER PRIMARY KEY, kind TEXT NOT NULL, {_PAGE_COLUMNS});
CREATE TABLE choose (seq INTEGER PRIMARY KEY, room INTEGER NOT NULL, busy TEXT);
CREATE TABLE choice (id INTEGER PRIMARY KEY, seq INTEGER NOT NULL, url INTEGER NOT NULL, source INTEGER NOT NULL,
    place INTEGER NOT NULL, score REAL NOT NULL, agent INTEGER, why TEXT);
CREATE TABLE visit (step INTEGER PRIMARY KEY, seq INTEGER NOT NULL, choice INTEGER NOT NULL, final INTEGER NOT NULL,
    outcome TEXT NOT NULL, status INTEGER NOT NULL, score REAL NOT NULL, positive INTEGER NOT NULL,
    depth INTEGER NOT NULL, seconds REAL NOT NULL, at REAL NOT NULL, size INTEGER NOT NULL,
    modified REAL, etag TEXT, revisit INTEGER NOT NULL, records TEXT, duplicate_of INTEGER);
CREATE TABLE page (step INTEGER PRIMARY KEY, {_PAGE_COLUMNS});
CREATE INDEX page_url ON page (url);
CREATE TABLE told (seq INTEGER PRIMARY KEY, call TEXT NOT NULL, body TEXT NOT NULL);
CREATE TABLE kept (name TEXT PRIMARY KEY, value BLOB NOT NULL) WITHOUT ROWID;
CREATE TABLE band (key INTEGER PRIMARY KEY, step INTEGER NOT NULL);
CREATE TABLE asked_again (id INTEGER PRIMARY KEY, step INTEGER NOT NULL, wall REAL NOT NULL, found TEXT NOT NULL,
    status INTEGER NOT NULL, size INTEGER NOT NULL, modified REAL, etag TEXT, records TEXT);
CREATE INDEX asked_again_step ON asked_again (step);
CREATE TABLE version (asked_again INTEGER PRIMARY KEY, {_PAGE_COLUMNS});
"""
"""
session      one row a run: the wall's clock and the crawl's when it began, and the settings that may change
known        examples and negatives, read before the first page
visit        `records`: where in the WARC its exchanges stand; `duplicate_of`: the step of a page all but the same
kept         what manners must not forget: pauses and robots.txt files
band         sketches of pages, by which near-duplicates are found
asked_again  what a refresh found of a page; `version` its new form, when it had changed
"""

PAGE_COLUMNS = "url, title, stream, text, canonical, refresh, noindex, nofollow"
PAGE_OF = f"SELECT {PAGE_COLUMNS} FROM page WHERE step = ?"
PAGE_AT = f"SELECT {PAGE_COLUMNS} FROM page WHERE url = ?"

_COUNTS = np.dtype("<i4")
_ZSTD = zstandard.ZstdDecompressor()


def pack_page(page: Page, zstd: zstandard.ZstdCompressor) -> tuple[Any, ...]:
    """A page as the columns of a row."""
    return (
        page.url, page.title, pack_stream(page, zstd), page.packed_text, page.canonical, page.refresh,
        page.noindex, page.nofollow,
    )  # fmt: skip


def pack_stream(page: Page, zstd: zstandard.ZstdCompressor) -> bytes:
    """Tokens, areas and links of a page as one compressed piece."""
    links = page.links
    counts = np.array([len(page.tokens), len(page.area), len(links)], _COUNTS)
    columns: list[npt.NDArray[np.int32] | npt.NDArray[np.uint8] | npt.NDArray[np.bool_]] = [
        page.tokens, page.area_start, links.url, links.start, links.end, page.area, links.nofollow,
    ]  # fmt: skip
    return zstd.compress(b"".join([counts.tobytes(), *(column.tobytes() for column in columns)]))


def pack_words(
    ids: Sequence[int], texts: Sequence[str], zstd: zstandard.ZstdCompressor
) -> tuple[bytes, bytes]:
    """Words as two columns of a row; no word holds a line break."""
    return zstd.compress(np.array(ids, _COUNTS).tobytes()), zstd.compress("\n".join(texts).encode())


@unpacks
def unpack_words(ids: bytes, texts: bytes) -> list[tuple[int, str]]:
    """The words of a row, by id."""
    numbers = np.frombuffer(zstandard.decompress(ids), _COUNTS).tolist()
    return list(zip(numbers, zstandard.decompress(texts).decode().split("\n"), strict=True))


@unpacks
def unpack_page(row: tuple[Any, ...]) -> Page:
    """The page of a row: url, title, stream, text, canonical, refresh, noindex, nofollow."""
    url, title, stream, text, canonical, refresh, noindex, nofollow = row
    data = _ZSTD.decompress(stream)
    tokens, areas, links = np.frombuffer(data, _COUNTS, 3).tolist()
    ints = np.frombuffer(data, _COUNTS, tokens + areas + 3 * links, 12)
    flags = np.frombuffer(data, np.uint8, areas + links, 12 + ints.nbytes)
    at = tokens + areas
    token, area_start, link_url = ints[:tokens], ints[tokens:at], ints[at : at + links]
    start, end = ints[at + links : at + 2 * links], ints[at + 2 * links :]
    return Page(
        url=url,
        title=title,
        tokens=token,
        area_start=area_start,
        area=flags[:areas],
        links=Links(link_url, start, end, flags[areas:].astype(np.bool_)),
        packed_text=text,
        canonical=canonical,
        refresh=refresh,
        noindex=bool(noindex),
        nofollow=bool(nofollow),
    )
