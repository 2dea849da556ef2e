"""What a request brings: read within bounds of size and time, and of the right form."""

from __future__ import annotations

import asyncio
import tempfile
from collections.abc import Mapping
from enum import StrEnum
from pathlib import Path
from typing import Any, BinaryIO, TypeVar, cast
from zipfile import ZIP_DEFLATED, ZipFile

import msgspec
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request

from salticid.errors import UserError, is_installed, unknown
from salticid.formats import FolderFormat, export, formats
from salticid.store import CrawlFolder
from salticid.store.exports import Criteria

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
