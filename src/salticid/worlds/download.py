"""One large file from its public address, fetched in as many runs as it takes."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable
from http.client import HTTPException, HTTPResponse
from pathlib import Path
from typing import cast
from urllib.error import HTTPError, URLError
from urllib.parse import urlsplit
from urllib.request import Request, urlopen

from salticid.errors import SalticidError
from salticid.version import __version__

_BLOCK = 1 << 16
_TIMEOUT = 60.0
"""Seconds without a byte."""
PARTIAL, MARK = ".partial", ".partial.mark"
"""What a file is called until it is whole, and where it is noted which edition of it that is."""

Watch = Callable[[int, int], None]
"""Hears of the bytes that are there, and of all; 0 if nobody said how many that are."""


def download(address: str, file: Path, watch: Watch) -> None:
    """Fetch a file; what an earlier run has fetched of it is kept, if the server still has the same one.

    Whoever interrupts it finds it gone on with in the next run. The proxy of the environment is used, if it names one.
    """
    partial, mark = (file.with_name(file.name + ending) for ending in (PARTIAL, MARK))
    file.parent.mkdir(parents=True, exist_ok=True)
    edition = mark.read_text() if mark.exists() and partial.exists() else ""
    there = partial.stat().st_size if edition else 0
    try:
        with _ask(address, there, edition) as answer:
            goes_on = answer.status == 206 and _start(answer) == there
            if answer.status == 206 and not goes_on:
                raise SalticidError(f"{address} sent another part than it was asked for; try again")
            there = there if goes_on else 0
            mark.write_text(_edition(answer))
            total = there + int(answer.headers.get("Content-Length") or 0)
            with partial.open("ab" if goes_on else "wb") as out:
                while block := answer.read(_BLOCK):
                    out.write(block)
                    there += len(block)
                    watch(there, total)
    except (OSError, HTTPException) as error:
        raise _broken(address, there, error) from None
    if there < total:
        raise _broken(address, there, None)
    os.replace(partial, file)  # noqa: PTH105 - it replaces what is there
    mark.unlink()


def sha256(file: Path, watch: Watch) -> str:
    """The checksum of a file."""
    digest, there, total = hashlib.sha256(), 0, file.stat().st_size
    with file.open("rb") as opened:
        while block := opened.read(_BLOCK):
            digest.update(block)
            there += len(block)
            watch(there, total)
    return digest.hexdigest()


def _ask(address: str, there: int, edition: str) -> HTTPResponse:
    """Ask for a file, or for what is missing of an edition of it."""
    if urlsplit(address).scheme not in ("http", "https"):
        raise SalticidError(f"{address} is no address of the web")
    fields = {"User-Agent": f"Salticid/{__version__}", "Accept-Encoding": "identity"}
    if there:
        fields |= {"Range": f"bytes={there}-", "If-Range": edition}
    request = Request(address, headers=fields)  # noqa: S310 - of the web, as was checked
    try:
        return cast(HTTPResponse, urlopen(request, timeout=_TIMEOUT))  # noqa: S310
    except HTTPError as error:
        error.close()
        raise SalticidError(
            f"{address} answers {error.code}; the file may have moved: fetch it by hand, and name it with --from"
        ) from None


def _edition(answer: HTTPResponse) -> str:
    """What tells this edition of a file from others; empty if nothing does, so that nobody goes on with it."""
    tag = answer.headers.get("ETag", "")
    return (tag if tag.startswith('"') else "") or answer.headers.get("Last-Modified", "")


def _start(answer: HTTPResponse) -> int:
    """The first byte of a part, by its Content-Range; -1 if that says nothing."""
    first = answer.headers.get("Content-Range", "").removeprefix("bytes ").partition("-")[0]
    return int(first) if first.isdecimal() else -1


def _broken(address: str, there: int, error: Exception | None) -> SalticidError:
    cause = error.reason if isinstance(error, URLError) else error
    why = f" ({cause})" if cause else ""
    return SalticidError(
        f"{address} broke off after {there:,} bytes{why}; type the same command again, and it goes on from there"
    )
