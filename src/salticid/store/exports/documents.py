"""What an export says about a page: its text, where it is from, how it was found."""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Generator, Iterator
from concurrent.futures import Future
from datetime import datetime
from functools import lru_cache
from typing import Protocol

import msgspec
import numpy as np
import numpy.typing as npt

from salticid.columns import grow
from salticid.model import Page
from salticid.parse import Reading, document_language, markdown_of, plain_blocks
from salticid.store.crawl_folder import CrawlFolder
from salticid.store.database import Database
from salticid.store.exports.chunks import cut
from salticid.store.exports.readings import Readings, RepeatedLines
from salticid.store.exports.selection import ExportPage
from salticid.store.news import Versions
from salticid.store.packing import unpack_page, unpack_words
from salticid.store.record import VisitRow
from salticid.store.schema import PAGE, VISIT, WORDS
from salticid.store.stored_visit import time_of

# The words by which a page was found: the text of the link that led to it.

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


_AHEAD = 4  # pages asked for, a worker, before the first of them is there


class Document(msgspec.Struct, frozen=True):
    """A page for other programs.

    `score` is what the judge gave it when it came, `current_score` as it is judged by now, `word` what a person said
    of it. `source` is the page that linked to it, `anchor` the text of that link. `also_at` are the URLs of pages that
    it stands for, a line each. What it wishes of those who keep it is None where its answer was not kept.
    """

    url: str
    final_url: str
    title: str
    text: str
    language: str | None
    score: float
    current_score: float
    word: str | None
    fetched: datetime | None
    last_modified: datetime | None
    source: str | None
    anchor: str | None
    duplicate_of: str | None
    also_at: str | None
    licence: str | None
    noindex: bool
    noarchive: bool | None
    noai: bool | None
    tdm_reservation: bool | None
    markdown: str


class Chunk(Document, frozen=True):
    """A piece of a page, which its `text` and `markdown` are of; the rest is told of the page as a whole.

    `headings` are those under which all of it stands, the outermost first; `chunk` is its number, from 1.
    """

    headings: list[str]
    chunk: int
    chunks: int


class NewsDocument(Document, frozen=True):
    """A page of which there is `news` since a moment: it is new, changed, or back again.

    `added` and `removed` are the sentences that came and went since then, a line each.
    """

    news: str
    added: str
    removed: str


class NewsChunk(Chunk, frozen=True):
    """A piece of such a page."""

    news: str
    added: str
    removed: str


class DocumentStream(Protocol):
    """Documents, all of one kind, to be gone through once."""

    @property
    def kind(self) -> type[Document]: ...

    def __iter__(self) -> Iterator[Document]: ...


class PageStream(Protocol):
    """Pages, in these versions, and what each says in plain text."""

    @property
    def versions(self) -> Versions: ...

    def __iter__(self) -> Iterator[ExportPage]: ...

    def text(self, page: ExportPage) -> str: ...


class Documents:
    """The documents of pages, in their order, to be gone through once, and closed; only a few are in memory at a time.

    A page whose main text cannot be had, for its HTML was not kept or is hostile, has its plain text instead. Without
    `markdown` there is none. With `chunk_words`, each is cut into chunks of about so many words. With `news`, what is
    new about each is told.
    """

    def __init__(
        self,
        crawl: CrawlFolder,
        pages: PageStream,
        markdown: bool,
        chunk_words: int | None = None,
        news: bool = False,
    ) -> None:
        kinds: tuple[type[Document], type[Chunk]] = (NewsDocument, NewsChunk) if news else (Document, Chunk)
        self._page_kind, self._chunk_kind = kinds
        self.kind: type[Document] = self._page_kind if chunk_words is None else self._chunk_kind
        self._crawl, self._pages, self._markdown, self._chunk_words = crawl, pages, markdown, chunk_words
        self._anchors = Anchors(crawl.database)
        self._stream = self._all()

    def __iter__(self) -> Iterator[Document]:
        return self._stream

    def close(self) -> None:
        self._stream.close()

    def _all(self) -> Generator[Document, None, None]:
        with_blocks = self._markdown or self._chunk_words is not None
        with Readings(self._crawl.folder) as readings:
            repeated = RepeatedLines(self._crawl, readings, self._pages.versions)
            waiting: deque[tuple[ExportPage, Future[Reading | None] | None]] = deque()
            for page in self._pages:
                asked = None
                if page.records:
                    url = page.visit.final_url
                    asked = readings.ask(page.records[-1], url, with_blocks, repeated.of(url))
                waiting.append((page, asked))
                if len(waiting) > _AHEAD * readings.workers:
                    yield from self._told(*waiting.popleft())
            while waiting:
                yield from self._told(*waiting.popleft())

    def _told(self, page: ExportPage, asked: Future[Reading | None] | None) -> Iterator[Document]:
        reading = asked.result() if asked else None
        text = (reading and reading.text) or self._pages.text(page)
        blocks = (reading and reading.blocks) or plain_blocks(text)
        whole = self._document(page, text, markdown_of(blocks) if self._markdown else "", reading)
        if self._chunk_words is None:
            yield whole
            return
        pieces = cut(blocks, self._chunk_words)
        about = msgspec.structs.asdict(whole)
        for number, piece in enumerate(pieces, 1):
            about |= {"text": piece.text, "markdown": piece.markdown if self._markdown else ""}
            yield self._chunk_kind(**about, headings=piece.headings, chunk=number, chunks=len(pieces))

    def _document(self, page: ExportPage, text: str, markdown: str, reading: Reading | None) -> Document:
        visit, wishes = page.visit, reading and reading.wishes
        return self._page_kind(
            url=visit.url,
            final_url=visit.final_url,
            title=page.title,
            text=text,
            language=reading.language if reading and reading.text else document_language(text),
            score=visit.score,
            current_score=visit.current_score,
            word=None if visit.word is None else visit.word.value,
            fetched=time_of(page.fetched),
            last_modified=time_of(page.modified),
            source=visit.source,
            anchor=self._anchors.anchor(visit.source_step, visit.place),
            duplicate_of=visit.duplicate_of,
            also_at="\n".join(page.also_at) or None,
            licence=wishes.licence if wishes else None,
            noindex=page.noindex,
            noarchive=wishes.noarchive if wishes else None,
            noai=wishes.noai if wishes else None,
            tdm_reservation=wishes.tdm_reservation if wishes else None,
            markdown=markdown,
            **(_news(page) if self._page_kind is NewsDocument else {}),
        )


def _news(page: ExportPage) -> dict[str, str]:
    added, removed = (page.change.added, page.change.removed) if page.change else ([], [])
    return {"news": page.news or "", "added": "\n".join(added), "removed": "\n".join(removed)}
