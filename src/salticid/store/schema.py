"""The tables of a crawl's log, and how a page is packed into a row.

`seq` counts all calls made to the strategy in the order they were made, across tables, so that the
log can be played back. URLs and words are ids of the crawl, spelled out in `url` and `words`; words, of
which there are many and none is ever looked up alone, a batch at a time.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
import numpy.typing as npt
import zstandard

from salticid.model import Links, Page

FORMAT = 1
FILE = "crawl.db"

TABLES = """
CREATE TABLE about (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE url (id INTEGER PRIMARY KEY, text TEXT NOT NULL);
CREATE TABLE words (batch INTEGER PRIMARY KEY, ids BLOB NOT NULL, texts BLOB NOT NULL);
CREATE TABLE choose (seq INTEGER PRIMARY KEY, room INTEGER NOT NULL, busy TEXT);
CREATE TABLE choice (id INTEGER PRIMARY KEY, seq INTEGER NOT NULL, url INTEGER NOT NULL, source INTEGER NOT NULL,
    place INTEGER NOT NULL, score REAL NOT NULL, agent INTEGER, why TEXT);
CREATE TABLE visit (step INTEGER PRIMARY KEY, seq INTEGER NOT NULL, choice INTEGER NOT NULL, final INTEGER NOT NULL,
    outcome TEXT NOT NULL, status INTEGER NOT NULL, score REAL NOT NULL, positive INTEGER NOT NULL,
    depth INTEGER NOT NULL, seconds REAL NOT NULL, at REAL NOT NULL, size INTEGER NOT NULL,
    modified REAL, etag TEXT, revisit INTEGER NOT NULL);
CREATE TABLE page (step INTEGER PRIMARY KEY, url INTEGER NOT NULL, title TEXT NOT NULL, stream BLOB NOT NULL,
    text BLOB NOT NULL, canonical INTEGER NOT NULL, refresh INTEGER NOT NULL, noindex INTEGER NOT NULL,
    nofollow INTEGER NOT NULL);
CREATE INDEX page_url ON page (url);
CREATE TABLE told (seq INTEGER PRIMARY KEY, call TEXT NOT NULL, body TEXT NOT NULL);
"""

_PAGE = "SELECT url, title, stream, text, canonical, refresh, noindex, nofollow FROM page"
PAGE_OF = f"{_PAGE} WHERE step = ?"
PAGE_AT = f"{_PAGE} WHERE url = ?"

_COUNTS = np.dtype("<i4")


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


def unpack_words(ids: bytes, texts: bytes) -> Iterator[tuple[int, str]]:
    """The words of a row, by id."""
    numbers = np.frombuffer(zstandard.decompress(ids), _COUNTS).tolist()
    return zip(numbers, zstandard.decompress(texts).decode().split("\n"), strict=True)


def unpack_page(row: tuple[int, str, bytes, bytes, int, int, int, int]) -> Page:
    """The page of a row: url, title, stream, text, canonical, refresh, noindex, nofollow."""
    url, title, stream, text, canonical, refresh, noindex, nofollow = row
    data = zstandard.decompress(stream)
    tokens, areas, links = np.frombuffer(data, _COUNTS, 3).tolist()
    ints = np.frombuffer(data, _COUNTS, tokens + areas + 3 * links, 12)
    flags = np.frombuffer(data, np.uint8, areas + links, 12 + ints.nbytes)
    token, area_start, link_url, start, end = np.split(ints, np.cumsum([tokens, areas, links, links]))
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
