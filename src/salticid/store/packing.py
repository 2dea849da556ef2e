"""How pages and words are packed into rows."""

from __future__ import annotations

import sqlite3
import struct
from collections.abc import Callable, Sequence
from functools import wraps
from pathlib import Path
from typing import Any, ParamSpec, TypeVar
from zlib import crc32

import msgspec
import numpy as np
import numpy.typing as npt
import zstandard

from salticid.errors import SalticidError
from salticid.model import Links, Page, unpacked

# What was stored may have been damaged since: then reading it raises an error that says so.

UNREADABLE = (sqlite3.DatabaseError, zstandard.ZstdError, msgspec.MsgspecError, UnicodeDecodeError)
"""What only stored data can be the cause of, wherever it is raised."""
_SENSELESS = (*UNREADABLE, ValueError, TypeError, LookupError, ArithmeticError, RecursionError, struct.error)

P = ParamSpec("P")
R = TypeVar("R")


class Damaged(SalticidError):
    """Something stored is not what was written, or makes no sense."""

    def __init__(self, what: object, file: Path | None = None) -> None:
        super().__init__(
            f"{file or 'what is stored there'} is damaged ({what}); take a copy that is whole, or crawl into a new "
            "folder"
        )


def unpacks(function: Callable[P, R]) -> Callable[P, R]:
    """A function that makes something of stored data and nothing else: whatever it raises is damage."""

    @wraps(function)
    def checked_function(*args: P.args, **kwargs: P.kwargs) -> R:
        try:
            return function(*args, **kwargs)
        except _SENSELESS as error:
            raise Damaged(error) from error

    return checked_function


_COUNTS = np.dtype("<i4")
_MOST_IDS, _MOST_WORDS = 16 << 20, 64 << 20
"""Bytes of the ids and of the words of a row; a batch of pages brings far fewer new words."""


def pack_page(page: Page, zstd: zstandard.ZstdCompressor) -> tuple[Any, ...]:
    """A page as the columns of a row, its key aside."""
    stream, text = pack_stream(page, zstd), page.packed_text
    return (
        page.url, page.title, page.canonical, page.refresh, int(page.noindex), int(page.nofollow),
        crc32(text, crc32(stream)), stream, text,
    )  # fmt: skip


def pack_stream(page: Page, zstd: zstandard.ZstdCompressor) -> bytes:
    """Tokens, areas and links of a page as one compressed piece."""
    links = page.links
    counts = np.array([len(page.tokens), len(page.area), len(links)], _COUNTS)
    columns: list[npt.NDArray[np.int32] | npt.NDArray[np.uint8] | npt.NDArray[np.bool_]] = [
        page.tokens, page.area_start, links.url, links.start, links.end, page.area, links.nofollow,
    ]  # fmt: skip
    return zstd.compress(b"".join([counts.tobytes(), *(column.tobytes() for column in columns)]))


def pack_words(ids: Sequence[int], texts: Sequence[str], zstd: zstandard.ZstdCompressor) -> tuple[bytes, bytes]:
    """Words as two columns of a row; no word holds a line break."""
    return zstd.compress(np.array(ids, _COUNTS).tobytes()), zstd.compress("\n".join(texts).encode())


@unpacks
def unpack_words(ids: bytes, texts: bytes) -> tuple[npt.NDArray[np.int32], bytes]:
    """The ids of the words of a row, and the words, one a line."""
    numbers, lines = np.frombuffer(unpacked(ids, _MOST_IDS), _COUNTS), unpacked(texts, _MOST_WORDS)
    if len(numbers) != lines.count(b"\n") + 1:
        raise Damaged(f"{len(numbers)} ids of {1 + lines.count(10)} words")
    return numbers, lines


@unpacks
def unpack_page(row: Sequence[Any], sizes: tuple[int, int] = (1 << 31, 1 << 31)) -> Page:
    """The page of a row without its key; the row was checked, its body is checked here.

    `sizes` are those of the tables of URLs and words in which its ids are looked up without another check.
    """
    url, title, canonical, refresh, noindex, nofollow, body_sum, _, stream, text = row
    if body_sum is not None and body_sum != crc32(text, crc32(stream)):
        raise Damaged(f"the page of URL {url}")
    data = unpacked(stream)
    tokens, areas, links = counts = np.frombuffer(data, _COUNTS, 3).tolist()
    if min(counts) < 0 or len(data) != 12 + 4 * (tokens + areas + 3 * links) + areas + links:
        raise Damaged(f"the page of URL {url}")
    ints = np.frombuffer(data, _COUNTS, tokens + areas + 3 * links, 12)
    flags = np.frombuffer(data, np.uint8, areas + links, 12 + ints.nbytes)
    at = tokens + areas
    token, area_start, link_url = ints[:tokens], ints[tokens:at], ints[at : at + links]
    start, end = ints[at + links : at + 2 * links], ints[at + 2 * links :]
    page = Page(
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
    page.check(*sizes)
    return page
