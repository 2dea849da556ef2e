"""What an export says about a page: its text, where it is from, how it was found."""

from __future__ import annotations

from collections import deque
from collections.abc import Generator
from concurrent.futures import Future
from datetime import UTC, datetime, timedelta
from itertools import islice

import msgspec
from resiliparse.parse.lang import detect_fast

from salticid.store.crawl_folder import CrawlFolder
from salticid.store.exports.link_texts import Anchors
from salticid.store.exports.main_texts import MainTexts
from salticid.store.exports.selection import ExportPage, Pages

_LOOKED_AT = 5_000  # characters that tell the language of a text
_FEWEST_LETTERS = 30
_AHEAD = 4  # pages asked for, a worker, before the first of them is there
MainText = Future[str | None] | None
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


class Document(msgspec.Struct, frozen=True):
    """A page for other programs.

    `score` is what the judge gave it when it came, `current_score` as it is judged by now, `word` what a person said
    of it. `source` is the page that linked to it, `anchor` the text of that link.
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


def documents(crawl: CrawlFolder, pages: Pages) -> Generator[Document, None, None]:
    """The documents of pages, in their order; only a few are in memory at a time.

    A page whose main text cannot be had, for its HTML was not kept or is hostile, has its plain text instead.
    """
    anchors = Anchors(crawl.database)
    with MainTexts(crawl.folder) as main_texts:
        waiting: deque[tuple[ExportPage, MainText]] = deque()
        for page in pages:
            waiting.append((page, main_texts.ask(page.records[-1]) if page.records else None))
            if len(waiting) > _AHEAD * main_texts.workers:
                yield _document(pages, anchors, *waiting.popleft())
        while waiting:
            yield _document(pages, anchors, *waiting.popleft())


def _document(pages: Pages, anchors: Anchors, page: ExportPage, main_text: MainText) -> Document:
    text = (main_text.result() if main_text else None) or pages.text(page)
    visit = page.visit
    return Document(
        url=visit.url,
        final_url=visit.final_url,
        title=page.title,
        text=text,
        language=language(text),
        score=visit.score,
        current_score=visit.current_score,
        word=None if visit.word is None else visit.word.value,
        fetched=time_of(page.fetched),
        last_modified=time_of(page.modified),
        source=visit.source,
        anchor=anchors.anchor(visit.source_step, visit.place),
        duplicate_of=visit.duplicate_of,
    )


def language(text: str) -> str | None:
    """The language of a text as a code, None when that is not sure.

    >>> language("Die Springspinne sieht mit acht Augen, zwei davon groß"), language("1234, 5678"), language("hot air")
    ('de', None, None)
    """
    start = text[:_LOOKED_AT]
    letters = filter(str.isalpha, start)
    if sum(1 for _ in islice(letters, _FEWEST_LETTERS)) < _FEWEST_LETTERS:
        return None
    code: str = detect_fast(start)[0]
    return None if code == "unknown" else code


def time_of(seconds: float | None) -> datetime | None:
    """A time as people write it; None where a server's clock is beyond all calendars."""
    try:
        return None if seconds is None else _EPOCH + timedelta(seconds=seconds)
    except OverflowError:
        return None
