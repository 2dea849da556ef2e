"""Where a crawl may start when all that is given is a query: a person's own URLs, bookmarks, engine, crawls."""

from __future__ import annotations

import asyncio
import re
import sqlite3
from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass, field
from html import unescape
from itertools import islice
from pathlib import Path
from typing import NamedTuple

from salticid.errors import UserError
from salticid.runs.live_settings import USER_AGENT
from salticid.store import CrawlFolder, Damaged, Query, Search, WordIndex
from salticid.text import detect, letter_runs, stemmer, stop_words, telling_words
from salticid.topic import Topic
from salticid.urls import canonical, typed
from salticid.webs.live import Engine, SearchFailed, ask

# Bookmarks as browsers write them to a file: Netscape's HTML of 1994, still.

LARGEST = 2 << 20
"""Bytes of a file of bookmarks: some ten thousand of them."""
_LONGEST_TITLE = 500
# No tree is made of it: the file may be anything, and these look at each character a bounded number of times.
_ANCHOR = re.compile(r"<a\s([^<>]*+)>([^<]*+)", re.IGNORECASE)
_HREF = re.compile(r"""\bhref\s*+=\s*+(?:"([^"]*+)"|'([^']*+)'|([^\s"'>]++))""", re.IGNORECASE)


class Bookmark(NamedTuple):
    """A page with a bookmark."""

    url: str
    title: str


def bookmarks(data: bytes) -> list[Bookmark]:
    """The pages marked in a file, in its order, each once; UserError if it is none.

    Only http and https; URLs in their canonical form.

    >>> bookmarks(b'<DL><p><DT><A HREF="http://A.example/#top">Spiders</A><DT><A HREF="javascript:1">x</A></DL>')
    [Bookmark(url='http://a.example/', title='Spiders')]
    """
    if len(data) > LARGEST:
        raise UserError(
            f"the bookmarks are larger than {LARGEST >> 20} MB; export only a folder of them, or paste URLs"
        )
    pages: dict[str, Bookmark] = {}
    for attributes, title in _ANCHOR.findall(data.decode("utf-8", "replace")):
        href = _HREF.search(attributes)
        url = canonical(unescape("".join(href.groups(default="")))) if href else None
        if url is not None:
            pages.setdefault(url, Bookmark(url, " ".join(unescape(title).split())[:_LONGEST_TITLE]))
    if not pages:
        raise UserError(
            "there is no bookmark of a web page in the file; export your bookmarks from the browser as HTML"
        )
    return list(pages.values())


MOST_BOOKMARKS, MOST_FROM_CRAWLS, MOST_URLS = 100, 20, 1000
LONGEST_QUERY = 1000


@dataclass(frozen=True, slots=True)
class Sources:
    """What a person named as places to start from."""

    urls: tuple[str, ...] = ()
    bookmarks: bytes | None = None
    engine: Engine | None = None
    crawls: tuple[Path, ...] = ()

    @property
    def any(self) -> bool:
        """Whether there is any."""
        return bool(self.urls or self.bookmarks is not None or self.engine or self.crawls)


@dataclass(frozen=True, slots=True)
class Seed:
    """A place to start from, and where it came from; without a scheme, where the person wrote none."""

    url: str
    origin: str


@dataclass(slots=True)
class Start:
    """The seeds that were found, each once, and what went wrong with some of the sources."""

    seeds: list[Seed] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)

    def topic(self, query: str) -> Topic:
        """The topic that a query and these seeds make."""
        return Topic(query, query, tuple(seed.url for seed in self.seeds))

    def add(self, urls: Sequence[str], origin: str) -> None:
        """Take these as seeds as well."""
        old_urls = {seed.url for seed in self.seeds}
        self.seeds += [Seed(url, origin) for url in urls if url not in old_urls]


async def find_start(query: str, sources: Sources, user_agent: str = USER_AGENT) -> Start:
    """Ask all sources; a source that fails is a warning. UserError when none gives anything."""
    clean_query(query)
    if not sources.any:
        raise UserError(
            "a query alone does not say where to start; name URLs, bookmarks, a search engine or earlier crawls"
        )
    start = Start()
    _take_urls(start, sources.urls)
    if sources.bookmarks is not None:
        await asyncio.to_thread(_take_bookmarks, start, sources.bookmarks, query)
    if sources.engine is not None:
        try:
            urls = await ask(sources.engine, query, user_agent)
        except SearchFailed as error:
            start.warnings.append(str(error))
        else:
            start.add(urls, sources.engine.name)
            if not urls:
                start.warnings.append(f"the search engine {sources.engine.name!r} found nothing")
    if sources.crawls:
        await asyncio.to_thread(_take_crawls, start, query, sources.crawls)
    if not start.seeds:
        raise UserError(f"there is nowhere to start: {'; '.join(start.warnings)}")
    return start


def clean_query(query: str) -> str:
    """The query itself; a UserError if there is nothing in it to look for."""
    if not query.strip() or not list(letter_runs(query)):
        raise UserError("the query names no word; say what to look for, as in: hot air ballooning")
    if len(query) > LONGEST_QUERY:
        raise UserError(f"the query is longer than {LONGEST_QUERY} characters; say it shorter")
    code, words = detect(query), set(letter_runs(query))
    if stop_words(code) >= words and not telling_words(words, code):
        raise UserError(
            f"{query[:80]!r} has only words that are on pages about anything, so nothing would be looked for; "
            "add one that pages on your topic have and others have not"
        )
    return query


def _take_urls(start: Start, urls: Sequence[str]) -> None:
    good = []
    for text in urls[:MOST_URLS]:
        match typed(text):
            case ():
                start.warnings.append(f"{text[:200]!r} is no address; write it as in https://example.org/")
            case (url,):
                good.append(url)
            case _:
                good.append(text.strip())
    start.add(good, "you")
    if len(urls) > MOST_URLS:
        start.warnings.append(f"only the first {MOST_URLS} URLs are taken; {len(urls) - MOST_URLS} are left out")


def _take_bookmarks(start: Start, data: bytes, query: str) -> None:
    """Those whose titles share most words with the query come first, and among equals the first."""
    try:
        marks = bookmarks(data)
    except UserError as error:
        start.warnings.append(str(error))
        return
    stems = stemmer(detect(query))
    query_stems = set(stems(list(letter_runs(query))))
    in_order = sorted(marks, key=lambda mark: -len(query_stems & set(stems(list(letter_runs(mark.title))))))
    start.add([mark.url for mark in in_order[:MOST_BOOKMARKS]], "bookmarks")
    if len(marks) > MOST_BOOKMARKS:
        start.warnings.append(
            f"of {len(marks)} bookmarks, the {MOST_BOOKMARKS} with titles nearest to the query are taken"
        )


def _take_crawls(start: Start, query: str, folders: Sequence[Path]) -> None:
    """The pages of earlier crawls that hold words of the query, best first."""
    pages = []
    for folder in folders:
        try:
            pages += [(rank, url, folder.name) for url, rank in _pages_of(folder, query)]
        except UserError as error:
            start.warnings.append(str(error))
        except (sqlite3.Error, Damaged) as error:
            start.warnings.append(f"the crawl in {folder} cannot be read: {error}")
    pages.sort(key=lambda each: -each[0])
    for _, url, name in pages[:MOST_FROM_CRAWLS]:
        start.add([url], f"crawl {name}")
    if not pages:
        start.warnings.append("no page of the earlier crawls holds a word of the query")


def _pages_of(folder: Path, query: str) -> list[tuple[str, float]]:
    """The pages of a crawl that hold all words of a query, else those that hold some."""
    with closing(CrawlFolder(folder)) as crawl, closing(WordIndex(crawl)) as index:
        index.update()
        search, looked_for = Search(crawl, index), Query.of(query)
        for any_term in (False, True):
            hits = islice(search.hits(looked_for, any_term=any_term), MOST_FROM_CRAWLS)
            if pages := [(hit.url, hit.rank) for hit in hits]:
                return pages
    return []
