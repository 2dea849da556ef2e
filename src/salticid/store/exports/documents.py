"""What an export says about a page: its text, where it is from, how it was found."""

from __future__ import annotations

from collections import deque
from collections.abc import Generator, Iterator
from concurrent.futures import Future
from datetime import datetime
from typing import Protocol

import msgspec

from salticid.parse.blocks import markdown_of, plain_blocks
from salticid.parse.document_language import document_language
from salticid.parse.reading import Reading
from salticid.store.crawl_folder import CrawlFolder
from salticid.store.exports.chunks import cut
from salticid.store.exports.link_texts import Anchors
from salticid.store.exports.readings import Readings
from salticid.store.exports.repeated_lines import RepeatedLines
from salticid.store.exports.selection import ExportPage
from salticid.store.times import time_of
from salticid.store.versions import Versions

_AHEAD = 4  # pages asked for, a worker, before the first of them is there


class Document(msgspec.Struct, frozen=True):
    """A page for other programs.

    `score` is what the judge gave it when it came, `current_score` as it is judged by now, `word` what a person said
    of it. `source` is the page that linked to it, `anchor` the text of that link. What it wishes of those who keep it
    is None where its answer was not kept.
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
