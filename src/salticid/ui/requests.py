"""What a request brings: read within bounds of size and time, of the right form; and the OpenAPI text of it all."""

from __future__ import annotations

import asyncio
import re
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import Any, BinaryIO, TypeVar, cast
from zipfile import ZIP_DEFLATED, ZipFile

import msgspec
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request

from salticid.errors import UserError, is_installed, unknown
from salticid.formats import FolderFormat, export, formats
from salticid.service import Error, GoOn, KeepWatching, NewCrawl, NewEngine, Nothing, Opinion, ShownVisit, Summary
from salticid.store import CrawlFolder
from salticid.store.exports import Criteria
from salticid.ui.views import FACETS
from salticid.version import __version__

T = TypeVar("T")

LARGEST = 4 << 20
"""Bytes of a body: bookmarks of 2 MB, escaped, and some."""
SECONDS = 15.0
"""However slowly it comes, it has to be here by then."""


async def read(request: Request, form: type[T]) -> T:
    """The body as JSON of a form; HTTPException with the right status when it is too large, too slow or wrong."""
    try:
        async with asyncio.timeout(SECONDS):
            body = await _all_of(request)
    except TimeoutError:
        raise HTTPException(408, "the request took too long to arrive; send it again") from None
    except ClientDisconnect:
        raise HTTPException(400, "the request was cut off") from None
    if not body and request.headers.get("content-length", "0") == "0":
        body = b"{}"
    elif request.headers.get("content-type", "").partition(";")[0].strip() != "application/json":
        raise HTTPException(415, "send the request as application/json")
    try:
        return msgspec.json.decode(body, type=form)
    except msgspec.ValidationError as error:
        raise HTTPException(422, f"the request cannot be understood: {error}") from None
    except (msgspec.DecodeError, RecursionError, UnicodeDecodeError):
        raise HTTPException(400, "the request is no JSON; send an object") from None


async def _all_of(request: Request) -> bytes:
    length = request.headers.get("content-length", "0")
    if length.isdecimal() and int(length) > LARGEST:
        raise _too_large()
    body = bytearray()
    async for block in request.stream():
        body += block
        if len(body) > LARGEST:
            raise _too_large()
    return bytes(body)


def _too_large() -> HTTPException:
    return HTTPException(413, f"the request is larger than {LARGEST >> 20} MB; send less")


# The pages of a crawl as a file to take away.

_MOST_DIGITS, _FEWEST_WORDS = 6, 20
"""Of the words of a chunk."""


class Which(StrEnum):
    """Which pages are taken away: those of the list as the page shows it, those liked, or all that were read."""

    LIST = "list"
    LIKED = "liked"
    EVERYTHING = "everything"


def format_menu() -> list[dict[str, Any]]:
    """The formats, for people who choose one."""
    kinds = {name: formats.find(name) for name in formats.names()}
    return [
        {
            "name": name,
            "title": kind.title,
            "chunks": kind.has_chunks,
            "about": kind.about + _lacking(kind.extra),
        }
        for name, kind in sorted(kinds.items(), key=lambda pair: pair[1].title.lower())
    ]


def _lacking(extra: str | None) -> str:
    return "" if extra is None or is_installed(extra) else f"; needs salticid[{extra}]"


def format_of(parameters: Mapping[str, str]) -> str:
    """The format that a request names."""
    name = parameters.get("format", "")
    formats.find(name)
    return name


def criteria_of(parameters: Mapping[str, str]) -> Criteria:
    """Which pages a request asks for.

    The list holds what is on topic, by the judge's own line or by a `line` that is named; or, where the person chose
    the `least` score shown, the pages that reach it. What was rejected is in neither. Pages that forbid copies
    (`noindex`) are left out unless they are asked for.
    """
    which = parameters.get("which", Which.EVERYTHING.value)
    if which not in list(Which):
        raise unknown("choice of pages", which, [each.value for each in Which])
    least, line = _score("least", parameters), _score("line", parameters)
    noindex = parameters.get("noindex") == "1"
    if which == Which.LIST and least is not None:
        return Criteria(min_score=least, rejected=False, noindex=noindex)
    return Criteria(on_topic=which == Which.LIST, liked=which == Which.LIKED, line=line, noindex=noindex)


def chunk_words_of(parameters: Mapping[str, str], form: str) -> int | None:
    """Of how many words the pieces are that pages are cut into, None if they are left whole."""
    text = parameters.get("chunks")
    if text is None:
        return None
    words = int(text) if text.isascii() and text.isdigit() and len(text) <= _MOST_DIGITS else 0
    if words < _FEWEST_WORDS:
        raise UserError(f"chunks {text[:20]!r} is no number of words from {_FEWEST_WORDS} on; give one such as 300")
    if not formats.find(form).has_chunks:
        raise UserError(f"{form} has no chunks; leave them out, or choose jsonl")
    return words


def file_name(crawl: str, form: str) -> str:
    """What the file is called where it is taken to."""
    kind = formats.find(form)
    return f"{crawl}.{kind.suffix}{'.zip' if issubclass(kind, FolderFormat) else ''}"


def export_file(log: CrawlFolder, form: str, criteria: Criteria, chunk_words: int | None = None) -> Path:
    """The pages in a file of its own, which is the caller's; a folder is packed."""
    with tempfile.NamedTemporaryFile(prefix="salticid-", suffix=f".{form}", delete=False) as file:
        path = Path(file.name)
        try:
            if issubclass(formats.find(form), FolderFormat):
                _export_packed(log, form, criteria, cast(BinaryIO, file), chunk_words)
            else:
                export(log, form, criteria, cast(BinaryIO, file), _unwatched, chunk_words)
            file.flush()
        except BaseException:
            path.unlink()
            raise
    return path


def _export_packed(log: CrawlFolder, form: str, criteria: Criteria, out: BinaryIO, chunk_words: int | None) -> None:
    with (
        tempfile.TemporaryDirectory(prefix="salticid-") as name,
        ZipFile(out, "w", ZIP_DEFLATED, allowZip64=True) as packed,
    ):
        folder = Path(name)
        export(log, form, criteria, folder, _unwatched, chunk_words)
        for file in sorted(folder.rglob("*")):
            packed.write(file, file.relative_to(folder))


def _unwatched(_visits: int, _pages: int) -> None:
    pass


def _score(name: str, parameters: Mapping[str, str]) -> float | None:
    text = parameters.get(name)
    if text is None:
        return None
    try:
        score = float(text)
    except ValueError:
        score = -1.0
    if not 0 <= score <= 1:
        raise UserError(f"{name} {text[:20]!r} is no score; give a number from 0 to 1")
    return score


_REF = "#/components/schemas/{name}"


@dataclass(frozen=True, slots=True)
class _Answer:
    """One operation: what it does, what it takes, and what it gives as which kind of content."""

    line: str
    takes: type | None = None
    gives: type | None = None
    kind: str = "application/json"
    status: int = 200
    query: dict[str, str] = field(default_factory=dict)


_ONE = "/api/crawls/{id}"
ANSWERS: dict[tuple[str, str], _Answer] = {
    ("GET", "/api/session"): _Answer(
        "The token, the strategies, the export formats, the search engines, and how many crawls there are."
    ),
    ("GET", "/api/openapi.json"): _Answer("This."),
    ("GET", "/api/crawls"): _Answer("All crawls, newest first: {crawls: [Summary]}."),
    ("POST", "/api/crawls"): _Answer(
        "Begin a crawl; its summary, with {seeds: [{url, from}], warnings: [sentence]}.",
        takes=NewCrawl,
        gives=Summary,
        status=201,
    ),
    ("GET", _ONE): _Answer("A crawl at one glance.", gives=Summary),
    ("DELETE", _ONE): _Answer("Delete all that is kept of a crawl that has ended: {ok: true}.", takes=Nothing),
    ("POST", f"{_ONE}/pause"): _Answer("Send no more requests until it goes on.", takes=Nothing, gives=Summary),
    ("POST", f"{_ONE}/continue"): _Answer("Go on after a pause, an end or an accident.", takes=GoOn, gives=Summary),
    ("POST", f"{_ONE}/stop"): _Answer("End it; it can be continued.", takes=Nothing, gives=Summary),
    ("POST", f"{_ONE}/watch"): _Answer(
        "Keep watching a hunt that has ended: a round now, and others by themselves, if wanted.",
        takes=KeepWatching,
        gives=Summary,
    ),
    ("GET", f"{_ONE}/news"): _Answer(
        "{rounds: [{round, began, stopped}], news: what a round brought, null if there is none: {round, began, counts, "
        "new, changed, gone, back}, at most 100 pages of each}.",
        query={"round": "the number of a round; else it is the last"},
    ),
    ("POST", f"{_ONE}/feedback"): _Answer("Say whether a page is what is looked for: {ok: true}.", takes=Opinion),
    ("GET", f"{_ONE}/stream"): _Answer(
        "Server-sent events from `since`, or the Last-Event-ID, on: visits {visits: [ShownVisit]}, agents {events: "
        "[{seq, step, at, name, agent, ...}]} (born: parent, keywords, energy; agent: energy; keywords; died: cause), "
        "scores {scores: [[step, score]]}, feedback {feedback: [[step, liking]]}; and, without an id: state "
        "(a Summary), now, moved, asked, advice, warned. After a reconnect a piece may come again.",
        kind="text/event-stream",
        query={"since": "the id of the last event seen"},
    ),
    ("GET", f"{_ONE}/visits"): _Answer(
        "All visits as a table: {visits, fitting, rows: [what salticid visits lists, and host, depth, language, "
        "reason], facets: {name: {values: [[value, count]], left_off}}}, a hundred rows at a time; or all that fit, as "
        "a file.",
        query={
            **dict.fromkeys(FACETS, "only visits with this value; if empty, those without any"),
            "from": "the number of the first row, 0 if nothing is said",
            "format": "csv or json, to take all rows away that fit",
        },
    ),
    ("GET", f"{_ONE}/visits/{{step}}"): _Answer(
        "All about one visit: what ShownVisit says, and snippet, words [[word of the query, times on it]], "
        "likeness (the cosine of query and page), why, reasons [{line, share}], fetched, archived, pdf, promise, "
        "language, links, duplicate_of, status, seconds, size.",
        gives=ShownVisit,
    ),
    ("GET", f"{_ONE}/visits/{{step}}/text"): _Answer("The text of a page as it was read.", kind="text/plain"),
    ("GET", f"{_ONE}/visits/{{step}}/copy"): _Answer(
        "The archived page of a live crawl, harmless: without scripts, pictures and links; a PDF as it came.",
        kind="text/html",
    ),
    ("GET", f"{_ONE}/snippets"): _Answer(
        "For up to 100 visits: {snippets: {step: [[text, is_hit]]}, why: {step: [[name, x]]}}.",
        query={"steps": "numbers, with commas between them"},
    ),
    ("GET", f"{_ONE}/curve"): _Answer("{points: [[pages, those on topic by now]]}, at most 500 of them."),
    ("GET", f"{_ONE}/failures"): _Answer(
        "What could not be read: {starts: [{url, state, cause, advice}], hosts: [{host, cause, count, url}], left_off}."
    ),
    ("GET", f"{_ONE}/outlook"): _Answer(
        "What is still to be found, {remaining: {mean, low, high}, harvest: {mean, low, high}}; both null where that "
        "cannot be told."
    ),
    ("GET", f"{_ONE}/export"): _Answer(
        "The pages as a file, best first, with their current scores and the person's word.",
        kind="application/octet-stream",
        query={
            "format": "one of the formats that /api/session lists; one that is a folder is packed",
            "which": "list, as the page shows it; liked; or everything, which it is if nothing is said",
            "line": "for the list, the score from which on pages are on topic; else the judge's own",
            "least": "for the list, the least score shown, if a person chose one",
            "since": "the number of a round of watching: only what is new or has changed since it began",
            "noindex": "1, for pages that forbid copies, too; they are marked",
            "chunks": "of about how many words the pieces are that pages are cut into; else they stay whole",
        },
    ),
    ("POST", "/api/engines"): _Answer(
        "Set up a search engine, which is asked once to see that it answers: {engines: [{name, kind, fixed}]}.",
        takes=NewEngine,
        status=201,
    ),
    ("DELETE", "/api/engines/{name}"): _Answer(
        "Forget a search engine that was set up so: {engines: [{name, kind, fixed}]}.", takes=Nothing
    ),
    ("GET", "/api/search"): _Answer(
        "Pages of all crawls that hold all of some words: {found: [{crawl, step, url, title, site, snippet, score}]}.",
        query={"q": "words, phrases in quotes, -words that must not be there"},
    ),
    ("GET", "/api/reports"): _Answer("The laboratory's reports: {reports: [{id, title, made}]}."),
    ("GET", "/reports/{id}"): _Answer("A report.", kind="text/html"),
    ("GET", "/metrics"): _Answer("The numbers of all crawls.", kind="application/openmetrics-text"),
}


def openapi() -> dict[str, Any]:
    """The description of all that is answered."""
    forms = [form for answer in ANSWERS.values() for form in (answer.takes, answer.gives) if form]
    _, schemas = msgspec.json.schema_components([*dict.fromkeys(forms), Error], ref_template=_REF)
    paths: dict[str, dict[str, Any]] = {}
    for (method, path), answer in ANSWERS.items():
        paths.setdefault(path, {})[method.lower()] = _operation(path, answer)
    return {
        "openapi": "3.1.0",
        "info": {"title": "Salticid", "version": __version__},
        "paths": paths,
        "security": [{"token": []}, {"bearer": []}],
        "components": {
            "schemas": schemas,
            "securitySchemes": {
                "token": {"type": "apiKey", "in": "header", "name": "X-Salticid-Token"},
                "bearer": {"type": "http", "scheme": "bearer"},
                "ticket": {
                    "type": "apiKey",
                    "in": "query",
                    "name": "ticket",
                    "description": "For GET of one path: its HMAC-SHA256 under the token, in hexadecimal digits.",
                },
            },
        },
    }


def _operation(path: str, answer: _Answer) -> dict[str, Any]:
    content = {"schema": _ref(answer.gives)} if answer.gives else {}
    parameters = [_parameter("path", name, "") for name in re.findall(r"{(\w+)}", path)]
    parameters += [_parameter("query", name, line) for name, line in answer.query.items()]
    operation: dict[str, Any] = {
        "summary": answer.line,
        "parameters": parameters,
        "responses": {
            str(answer.status): {"description": "As asked.", "content": {answer.kind: content}},
            "default": {
                "description": "Not as asked, and why.",
                "content": {"application/json": {"schema": _ref(Error)}},
            },
        },
    }
    if answer.takes is not None:
        operation["requestBody"] = {"content": {"application/json": {"schema": _ref(answer.takes)}}}
    return operation


def _parameter(where: str, name: str, line: str) -> dict[str, Any]:
    required = where != "query"
    return {
        "in": where,
        "name": name,
        "required": required,
        "description": line,
        "schema": {"type": "string"},
    }


def _ref(form: type) -> dict[str, str]:
    return {"$ref": _REF.format(name=form.__name__)}
