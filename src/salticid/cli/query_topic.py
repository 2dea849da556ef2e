"""`salticid crawl --query`: a topic made of a query and of places to start from; apart, for it needs aiohttp."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path

import msgspec

from salticid.cli.console import err, safe
from salticid.errors import UserError
from salticid.model import Topic
from salticid.runs.start_pages import Sources, clean_query, find_start
from salticid.store.crawl_folder import CrawlFolder, NoCrawlYet
from salticid.store.schema import FILE
from salticid.urls import typed
from salticid.webs.live.search_engines import engine_of


def sources_of(
    urls: Sequence[str], bookmarks: Path | None, search: str | None, crawls: Sequence[Path]
) -> Sources:
    """What was typed as places to start from."""
    return Sources(
        urls=tuple(urls),
        bookmarks=None if bookmarks is None else _bookmarks(bookmarks),
        engine=None if search is None else engine_of(search),
        crawls=tuple(crawls),
    )


def topic_of(query: str, sources: Sources, user_agent: str, folders: Sequence[Path]) -> Topic:
    """The topic of a query; a crawl of it that a folder holds goes on from where it started.

    Unless other URLs to start from were typed: then it is another.
    """
    query = " ".join(clean_query(query).split())
    wanted = _urls(sources.urls)
    for folder in folders:
        topic = _topic_in(folder)
        if topic is not None and topic.name == query and wanted <= _urls(topic.seeds):
            return topic
    if not sources.any:
        raise UserError(
            f"--query {query!r} does not say where to start; add --seed-url URL, --bookmarks FILE, "
            "--search searxng:URL or --from-crawl DIR"
        )
    start = asyncio.run(find_start(query, sources, user_agent))
    for warning in start.warnings:
        err.print(safe(warning), soft_wrap=True)
    many = len(start.seeds)
    err.print(f"Starting from {many} page{'s' * (many > 1)}.", highlight=False)
    return start.topic(query)


def _urls(typed_ones: Sequence[str]) -> set[str]:
    return {url for text in typed_ones for url in typed(text)}


def _topic_in(folder: Path) -> Topic | None:
    """The topic of the crawl in a folder; None where there is none, or a crawl has only just begun."""
    if not (folder / FILE).is_file():
        return None
    try:
        crawl = CrawlFolder(folder)
    except NoCrawlYet:
        return None
    with closing(crawl):
        return msgspec.convert(crawl.about()["topic"], Topic)


def _bookmarks(file: Path) -> bytes:
    try:
        return file.read_bytes()
    except OSError as error:
        raise UserError(f"cannot read bookmarks {file}: {error.strerror}; name an HTML file") from None
