"""What a request brings: read within bounds of size and time, and of the right form."""

from __future__ import annotations

import asyncio
from typing import TypeVar

import msgspec
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request

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
