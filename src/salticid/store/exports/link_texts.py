"""The words by which a page was found: the text of the link that led to it."""

from __future__ import annotations

import re
import sqlite3
from functools import lru_cache

import numpy as np
import numpy.typing as npt
import zstandard

from salticid.columns import grow
from salticid.model import Page
from salticid.store.schema import PAGE_OF, unpack_page

MAX_WORDS = 100
"""Somebody forgot to close a longer anchor."""

_FIRST_SHOWN = "SELECT p.step FROM visit v JOIN page p ON p.url = v.final WHERE v.step = ?"
_NO_LETTERS = r"[\W\d_]*+"
_CACHED_PAGES = 32


class Anchors:
    """Anchors of the links of a crawl, as they are written where the text of the page still shows it."""

    def __init__(self, db: sqlite3.Connection) -> None:
        self._db = db
        self._words = _Words(db)
        self._source = lru_cache(_CACHED_PAGES)(self._read)

    def anchor(self, step: int, place: int) -> str | None:
        """The anchor of link number `place` on the page of a visit; None where there is no such page."""
        source = self._source(step) if step >= 0 else None
        if source is None or place >= len(source[0].links):
            return None
        page, text, lower = source
        words = joined(self._words.spell(page.anchor(place)[:MAX_WORDS]))
        # Lower case may be longer than upper, for a few letters: then places in one are none in the other.
        found = _written(words, lower) if words and len(text) == len(lower) else None
        return " ".join(words if found is None else text[slice(*found)].split())

    def _read(self, step: int) -> tuple[Page, str, str] | None:
        row = self._db.execute(PAGE_OF, (step,)).fetchone()
        if row is None and (first := self._db.execute(_FIRST_SHOWN, (step,)).fetchone()):
            row = self._db.execute(PAGE_OF, first).fetchone()
        if row is None:
            return None
        page = unpack_page(row)
        return page, (text := page.text), text.lower()


class _Words:
    """All words of a crawl: one heap of bytes, and where in it each begins."""

    def __init__(self, db: sqlite3.Connection) -> None:
        self._heap = bytearray()
        self._start = np.zeros(1024, np.uint32)
        for ids, texts in db.execute("SELECT ids, texts FROM words ORDER BY batch"):
            self._add(np.frombuffer(zstandard.decompress(ids), "<i4"), zstandard.decompress(texts) + b"\n")

    def _add(self, ids: npt.NDArray[np.int32], lines: bytes) -> None:
        self._start = grow(self._start, int(ids.max(initial=-1)) + 1)
        ends = np.flatnonzero(np.frombuffer(lines, np.uint8) == ord("\n"))
        self._start[ids] = len(self._heap) + np.append(0, ends[:-1] + 1)
        self._heap += lines

    def spell(self, ids: npt.NDArray[np.int32]) -> list[str]:
        starts = self._start[ids].tolist()
        return [self._heap[start : self._heap.index(b"\n", start)].decode() for start in starts]


def joined(tokens: list[str]) -> list[str]:
    """The words of tokens: of Chinese, Japanese and Korean text these are overlapping pairs of characters.

    >>> joined(["the", "蜘蛛", "蛛网", "eye", "eel"])
    ['the', '蜘蛛网', 'eye', 'eel']
    """
    words: list[str] = []
    for token in tokens:
        if len(token) == 2 and token[0] > "\u1100" and words and words[-1][-1] == token[0]:
            words[-1] += token[1]
        else:
            words.append(token)
    return words


def _written(words: list[str], lower: str) -> tuple[int, int] | None:
    """Where a text in lower case has these words with nothing but punctuation between them."""
    plain = " ".join(words)
    if (at := lower.find(plain)) >= 0:  # nearly always, and a pattern takes longer to make than to use
        return at, at + len(plain)
    found = re.search(_NO_LETTERS.join(map(re.escape, words)), lower)
    return found.span() if found else None
