"""A crawl as a stream of events: first all that is in its log, then what is new."""

from __future__ import annotations

import asyncio
import sqlite3
from collections.abc import AsyncIterator, Callable
from contextlib import ExitStack, closing

import msgspec
from sse_starlette import ServerSentEvent

from salticid.errors import UserError
from salticid.service import ProcessReport, Reader, RelayedReport, ServerCrawl, Summary
from salticid.store import CrawlFolder, Damaged

POLL = 0.25
"""Seconds between two looks into the log of a crawl that runs."""
STATE_EVERY = 0.5


async def stream(crawl: ServerCrawl, since: int, closing_down: Callable[[], bool]) -> AsyncIterator[ServerSentEvent]:
    """The events of a crawl from a number on, until the server closes down or the crawl is removed.

    An event is made when the one before it was taken: a slow reader slows only its own stream.
    """
    with crawl.reports() as reports, ExitStack() as stack:
        loop = asyncio.get_running_loop()
        reader: Reader | None = None
        readable = True
        state_at = 0.0
        last_summary: Summary | None = None
        while not closing_down() and not crawl.removed:
            try:
                if readable and reader is None and (folder := _folder_of(crawl)) is not None:
                    reader = Reader(stack.enter_context(closing(folder)), since)
                while reader is not None and (news := reader.news()) is not None:
                    events = news.events()
                    for following, event in zip(reversed(range(len(events))), events, strict=True):
                        yield _event(*event, news.upto if not following else None)
            except (OSError, sqlite3.Error, ValueError, Damaged) as error:
                reader, readable = None, False
                yield _event("warned", {"line": f"What this crawl wrote down cannot be read any further: {error}."})
            if loop.time() >= state_at and (summary := crawl.summary()) != last_summary:
                state_at, last_summary = loop.time() + STATE_EVERY, summary
                yield _event("state", summary)
            crawl.look()
            while not reports.empty():
                report = reports.get_nowait()
                if isinstance(report, RelayedReport):
                    yield _event(str(report.__struct_config__.tag), msgspec.structs.asdict(report))
            await _something(reports)


async def _something(reports: asyncio.Queue[ProcessReport]) -> None:
    """Wait for a report of the process, or for the next look into the log."""
    deadline = asyncio.get_running_loop().time() + POLL
    while reports.empty() and asyncio.get_running_loop().time() < deadline:
        await asyncio.sleep(POLL / 5)


def _folder_of(crawl: ServerCrawl) -> CrawlFolder | None:
    """Its log, if it has one yet."""
    try:
        return CrawlFolder(crawl.folder)
    except UserError:
        return None


def _event(name: str, body: object, number: int | None = None) -> ServerSentEvent:
    return ServerSentEvent(
        msgspec.json.encode(body).decode(), event=name, id=None if number is None else str(number), sep="\n"
    )
