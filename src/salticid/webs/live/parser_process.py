"""The process of a parser: pages in, what the parser made of them out, in ids of its own."""

from __future__ import annotations

import msgspec
import numpy as np
from selectolax.lexbor import SelectolaxError

from salticid.model import Ints, Links, Page
from salticid.parse import AGENT, MAX_PAGES, ChildLimits, Parser, feed_document, serve
from salticid.tables import Newcomers

MAX_MEMORY = 2 << 30
"""Bytes of address space a parser may have."""
PAGE_MEMORY = 48 << 20
TIMES_ITS_SIZE = 64
"""Bytes that one page may cost a parser beyond what it has, and for each of its own."""
MAX_TEXTS = 500_000
"""A parser whose tables hold so many texts makes place for a fresh one."""


class HtmlPage(msgspec.Struct, array_like=True):
    """A page to be parsed for a crawl in some language, or a feed."""

    html: bytes
    url: str
    charset: str | None
    language: str | None = None
    is_feed: bool = False


class ParsedPage(msgspec.Struct, array_like=True):
    """A page in the parser's ids, its arrays as bytes; and the texts that are new in the parser's tables, a line each.

    `urls` and `words` are how many the tables held before.
    """

    title: str
    columns: tuple[bytes, ...]
    packed_text: bytes
    url: int
    canonical: int
    refresh: int
    noindex: bool
    nofollow: bool
    feeds: tuple[str, ...]
    urls: int
    words: int
    new_urls: bytes
    new_words: bytes

    def page(self) -> Page:
        """The page itself, still in the parser's ids."""
        tokens, area_start, area, url, start, end, nofollow = self.columns
        links = Links(_ints(url), _ints(start), _ints(end), np.frombuffer(nofollow, np.bool_))
        return Page(
            url=self.url,
            title=self.title,
            tokens=_ints(tokens),
            area_start=_ints(area_start),
            area=np.frombuffer(area, np.uint8),
            links=links,
            packed_text=self.packed_text,
            canonical=self.canonical,
            refresh=self.refresh,
            noindex=self.noindex,
            nofollow=self.nofollow,
            feeds=self.feeds,
        )


class _PageParser:
    """A parser and its tables, which hold so many texts at the most."""

    def __init__(self, texts: int, agent: str) -> None:
        self._texts, self._urls, self._words = texts, Newcomers(), Newcomers()
        self._parser = Parser(self._urls, self._words, agent)

    @property
    def full(self) -> bool:
        return len(self._urls) + len(self._words) >= self._texts

    def read(self, message: bytes) -> bytes:
        task = msgspec.msgpack.decode(message, type=HtmlPage)
        try:
            if task.is_feed:
                page = self._parser.parse(feed_document(task.html), task.url, "utf-8")
            else:
                page = self._parser.parse(task.html, task.url, task.charset, task.language)
        except SelectolaxError as error:  # on a page that asks for gigabytes
            raise MemoryError from error
        urls, new_urls = self._urls.tell()
        words, new_words = self._words.tell()
        links = page.links
        columns = (page.tokens, page.area_start, page.area, links.url, links.start, links.end, links.nofollow)
        answer = ParsedPage(
            title=page.title,
            columns=tuple(column.tobytes() for column in columns),
            packed_text=page.packed_text,
            url=page.url,
            canonical=page.canonical,
            refresh=page.refresh,
            noindex=page.noindex,
            nofollow=page.nofollow,
            feeds=page.feeds,
            urls=urls,
            words=words,
            new_urls=new_urls,
            new_words=new_words,
        )
        return msgspec.msgpack.encode(answer)


def work(pages: int = MAX_PAGES, texts: int = MAX_TEXTS, agent: str = AGENT) -> None:
    """Parse so many pages at the most with one parser, whose robots tags know us as `agent`."""
    serve(lambda: _PageParser(texts, agent), ChildLimits(MAX_MEMORY, PAGE_MEMORY, TIMES_ITS_SIZE, pages))


def _ints(column: bytes) -> Ints:
    return np.frombuffer(column, np.int32)
