"""The words by which a page was found: the text of the link that led to it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache

import numpy as np
import numpy.typing as npt

from salticid.columns import grow
from salticid.model import Page
from salticid.store.database import Database
from salticid.store.packing import unpack_page, unpack_words
from salticid.store.record import VisitRow
from salticid.store.schema import PAGE, VISIT, WORDS

MAX_WORDS = 100
"""Somebody forgot to close a longer anchor."""

_NO_LETTERS = r"[\W\d_]*+"
_CACHED_PAGES = 32


class Anchors:
    """Anchors of the links of a crawl, as they are written where the text of the page still shows it."""

    def __init__(self, db: Database) -> None:
        self._db = db
        self._words = _WordHeap(db)
        self._source = lru_cache(_CACHED_PAGES)(self._read_source)

    def anchor(self, step: int, place: int) -> str | None:
        """The anchor of link number `place` on the page of a visit; None where there is no such page."""
        source = self._source(step) if step >= 0 else None
        if source is None or not 0 <= place < len(source[0].links):
            return None
        return self._anchor(place, *source)

    def all_on(self, page: Page) -> Iterator[str]:
        """The anchors of all links on a page."""
        text = page.text
        lower = text.lower()
        return (self._anchor(place, page, text, lower) for place in range(len(page.links)))

    def spell(self, ids: npt.NDArray[np.int32]) -> list[str]:
        """The words of ids."""
        return self._words.spell(ids)

    def _anchor(self, place: int, page: Page, text: str, lower: str) -> str:
        words = words_of(self._words.spell(page.anchor(place)[:MAX_WORDS]))
        # Lower case may be longer than upper, for a few letters: then places in one are none in the other.
        place_in_text = _place_of(words, lower) if words and len(text) == len(lower) else None
        return " ".join(words if place_in_text is None else text[slice(*place_in_text)].split())

    def _read_source(self, step: int) -> tuple[Page, str, str] | None:
        row = self._db.one(PAGE, step, body=True)
        if row is None and (visit := self._db.one(VISIT, step)):
            final = VisitRow._make(visit).final
            row = next(self._db.select(PAGE, "WHERE url = ?", (final,), body=True), None)
        if row is None:
            return None
        page = unpack_page(row[1:])
        return page, (text := page.text), text.lower()


class _WordHeap:
    """All words of a crawl: one heap of bytes, and where in it each begins."""

    def __init__(self, db: Database) -> None:
        self._heap = bytearray()
        self._start = np.zeros(1024, np.uint32)
        for _, ids, texts, _ in db.all(WORDS):
            numbers, lines = unpack_words(ids, texts)
            self._add(numbers, lines + b"\n")

    def _add(self, ids: npt.NDArray[np.int32], lines: bytes) -> None:
        self._start = grow(self._start, int(ids.max(initial=-1)) + 1)
        ends = np.flatnonzero(np.frombuffer(lines, np.uint8) == ord("\n"))
        self._start[ids] = len(self._heap) + np.append(0, ends[:-1] + 1)
        self._heap += lines

    def spell(self, ids: npt.NDArray[np.int32]) -> list[str]:
        starts = self._start[ids].tolist()
        return [self._heap[start : self._heap.index(b"\n", start)].decode() for start in starts]


def words_of(tokens: list[str]) -> list[str]:
    """The words of tokens: of Chinese, Japanese and Korean text these are overlapping pairs of characters.

    >>> words_of(["the", "蜘蛛", "蛛网", "eye", "eel"])
    ['the', '蜘蛛网', 'eye', 'eel']
    """
    words: list[str] = []
    for token in tokens:
        if len(token) == 2 and token[0] > "\u1100" and words and words[-1][-1] == token[0]:
            words[-1] += token[1]
        else:
            words.append(token)
    return words


def _place_of(words: list[str], lower: str) -> tuple[int, int] | None:
    """Where a text in lower case has these words with nothing but punctuation between them."""
    plain = " ".join(words)
    if (at := lower.find(plain)) >= 0:  # nearly always, and a pattern takes longer to make than to use
        return at, at + len(plain)
    match = re.search(_NO_LETTERS.join(map(re.escape, words)), lower)
    return match.span() if match else None
