"""The visits of a crawl as a person sees them: a table, narrowed down by what they share, and a stream of events."""

from __future__ import annotations

import asyncio
import base64
import csv
import hashlib
import io
import re
import sqlite3
from collections import Counter
from collections.abc import AsyncIterator, Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, closing
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import msgspec
from sse_starlette import ServerSentEvent

from salticid.errors import UserError, unknown
from salticid.formats.csv import cell
from salticid.parse import document_language
from salticid.runs import failures_by_host, fates_of_start_points, main_reason
from salticid.service import (
    Languages,
    ProcessReport,
    Reader,
    RelayedReport,
    ServerCrawl,
    Summary,
    date,
    is_plain,
    read_plain,
)
from salticid.store import LISTED, CrawlFolder, Damaged, StoredVisit
from salticid.store.news import NewsPage, rounds, what_came
from salticid.urls import host

FACETS = ("outcome", "host", "depth", "language", "reason")
"""By what visits are told apart; a value is a text, an empty one says that there is none."""
MOST_ROWS, MOST_VALUES = 100, 50
KINDS = {"csv": "text/csv; charset=utf-8", "json": "application/json"}
"""What can be taken away."""

Row = dict[str, Any]


def wanted(parameters: Mapping[str, str]) -> dict[str, str]:
    """The values that a request asks for, by facet."""
    return {name: parameters[name] for name in FACETS if name in parameters}


def kind_of(parameters: Mapping[str, str]) -> str | None:
    """As what a request takes the rows away; None if it only looks at them."""
    kind = parameters.get("format")
    if kind is not None and kind not in KINDS:
        raise unknown("format", kind, KINDS)
    return kind


def first_row(parameters: Mapping[str, str]) -> int:
    """From which row on a request looks at them."""
    text = parameters.get("from", "0")
    if not (text.isascii() and text.isdecimal() and len(text) < 10):
        raise UserError(f"from {text[:20]!r} is no number of a row; give one such as 100")
    return int(text)


def table(crawl: CrawlFolder, languages: Languages, wishes: Mapping[str, str], first: int) -> dict[str, Any]:
    """A hundred rows that are wished for, how many there are, and how many there would be with every other value.

    The values of a facet are counted among the rows that fit all other wishes, most first.
    """
    counts: dict[str, Counter[str]] = {name: Counter() for name in FACETS}
    shown: list[Row] = []
    fitting = visits = 0
    for row in _rows(crawl, languages):
        visits += 1
        unfit = [name for name, value in wishes.items() if _text(row[name]) != value]
        counted_in = unfit if len(unfit) == 1 else () if unfit else FACETS
        for name in counted_in:
            counts[name][_text(row[name])] += 1
        if not unfit:
            if first <= fitting < first + MOST_ROWS:
                shown.append(row)
            fitting += 1
    return {
        "visits": visits,
        "fitting": fitting,
        "rows": shown,
        "facets": {name: _most(found, wishes.get(name)) for name, found in counts.items()},
    }


def download(crawl: CrawlFolder, languages: Languages, wishes: Mapping[str, str], kind: str) -> bytes:
    """All rows that are wished for, as CSV that spreadsheets may open, or as a JSON list."""
    rows = (row for row in _rows(crawl, languages) if all(_text(row[name]) == value for name, value in wishes.items()))
    return _csv(rows) if kind == "csv" else msgspec.json.encode(list(rows))


def _rows(crawl: CrawlFolder, languages: Languages) -> Iterator[Row]:
    for visit in crawl.visits():
        more = {"host": host(visit.final_url), "depth": visit.depth, "reason": main_reason(visit.why)}
        yield visit.listing() | more | {"language": _language(crawl, languages, visit)}


def _language(crawl: CrawlFolder, languages: Languages, visit: StoredVisit) -> str | None:
    if visit.step not in languages:
        page = crawl.page(visit.step)
        languages[visit.step] = None if page is None else document_language(page.text)
    return languages[visit.step]


def _most(counts: Counter[str], chosen: str | None) -> dict[str, Any]:
    """The values that are most frequent, the chosen one among them whatever its count."""
    ranked = sorted(counts.items(), key=lambda pair: (-pair[1], pair[0]))
    values = [pair for at, pair in enumerate(ranked) if at < MOST_VALUES or pair[0] == chosen]
    return {"values": values, "left_off": len(ranked) - len(values)}


def _csv(rows: Iterable[Row]) -> bytes:
    out = io.StringIO(newline="")
    names = dict.fromkeys((*LISTED, *FACETS))
    writer = csv.writer(out)
    writer.writerow(names)
    for row in rows:
        row["why"] = msgspec.json.encode(row["why"]).decode()
        writer.writerow([cell(msgspec.to_builtins(row[name])) for name in names])
    return out.getvalue().encode("utf-8", "replace")


def _text(value: object) -> str:
    return "" if value is None else str(value)


# What could not be read, as the page shows it: each start point's fate, and the hosts that failed.

MOST_HOSTS = 100
_OPTION, _OF_THE_SERVER = " with --", " by starting salticid serve with --"


def what_failed(crawl: CrawlFolder) -> dict[str, Any]:
    """The start points as they were given, and the hosts with most failures; `left_off` counts the other hosts."""
    hosts = failures_by_host(crawl)
    starts = [
        {
            "url": fate.url,
            "state": fate.state,
            "cause": fate.cause,
            "advice": fate.advice and fate.advice.replace(_OPTION, _OF_THE_SERVER),
        }
        for fate in fates_of_start_points(crawl)
    ]
    return {"starts": starts, "hosts": hosts[:MOST_HOSTS], "left_off": len(hosts[MOST_HOSTS:])}


# What a round of watching brought, as the page shows it.

MOST_SHOWN = 100
"""Pages of each kind, the best first; the digest has the others."""


def news_of_round(crawl: CrawlFolder, number: int | None) -> dict[str, Any]:
    """The rounds of a crawl, and what one of them brought, the last unless another is named; null if there is none."""
    known = rounds(crawl.database)
    told = [{"round": stored.number, "began": date(stored.wall), "stopped": stored.stopped} for stored in known]
    if not known:
        return {"rounds": told, "news": None}
    news = what_came(crawl, known[-1].number if number is None else number)
    shown = {"round": news.round, "began": news.began, "counts": news.counts}
    kinds: dict[str, Sequence[NewsPage]] = {
        "new": news.new, "changed": news.changed, "gone": news.gone, "back": news.back,
    }  # fmt: skip
    lists = {name: [msgspec.to_builtins(page) for page in pages[:MOST_SHOWN]] for name, pages in kinds.items()}
    return {"rounds": told, "news": {**shown, **lists}}


# The laboratory's reports that lie in the folder of data.

FILE = "report.html"
_FOLDER = "reports"
_LARGEST = 64 << 20
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,99}")
_TITLE = re.compile(r"<title>([^<]*+)</title>", re.IGNORECASE)
_INLINE = re.compile(r"<(script|style)\b[^>]*+>(.*?)</\1", re.IGNORECASE | re.DOTALL)


class Reports:
    """Reports by name: the folders of DATA, and of DATA/reports, that hold a report.html."""

    def __init__(self, data: Path) -> None:
        self._data = data

    def all(self) -> list[dict[str, Any]]:
        """Those there are, newest first."""
        files = [(file.stat().st_mtime, name, file) for name, file in self._files().items()]
        files.sort(key=lambda each: -each[0])
        return [
            {"id": name, "title": _title(file) or name, "made": datetime.fromtimestamp(at, UTC).isoformat()}
            for at, name, file in files
        ]

    def find(self, name: str) -> bytes | None:
        """A report as it lies there; None if there is none of that name, OSError if it cannot be read."""
        file = self._files().get(name)
        return None if file is None else read_plain(file, _LARGEST)

    def _files(self) -> dict[str, Path]:
        files: dict[str, Path] = {}
        for parent in (self._data / _FOLDER, self._data):
            for folder in sorted(parent.iterdir()) if parent.is_dir() else ():
                if _NAME.fullmatch(folder.name) and is_plain(folder / FILE):
                    files.setdefault(folder.name, folder / FILE)
        return files


def fields(html: bytes) -> dict[str, str]:
    """The headers of a report: the browser may run its own inline parts, known by their hashes, and no others.

    Sandboxed, it has an origin of its own and opens no windows, so that it cannot get at the page, its token or its
    requests, whoever wrote it. To a sandboxed document no opener policy may be given; it has no opener either.
    """
    hashes: dict[str, list[str]] = {"script": [], "style": []}
    for kind, content in _INLINE.findall(html.decode("utf-8", "replace")):
        digest = base64.b64encode(hashlib.sha256(content.encode()).digest()).decode()
        hashes[kind.lower()].append(f"'sha256-{digest}'")
    script = " ".join(hashes["script"]) or "'none'"
    style = " ".join(hashes["style"]) or "'none'"
    policy = (
        f"default-src 'none'; script-src {script}; style-src {style}; img-src data:; font-src data:; "
        "form-action 'none'; base-uri 'none'; frame-ancestors 'none'; sandbox allow-scripts"
    )
    return {"Content-Security-Policy": policy, "Cross-Origin-Opener-Policy": "unsafe-none"}


def _title(file: Path) -> str:
    """What a report calls itself, if it does and can be read."""
    try:
        with file.open("rb") as stream:
            match = _TITLE.search(stream.read(4096).decode("utf-8", "replace"))
    except OSError:
        return ""
    return match[1].strip() if match else ""


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
