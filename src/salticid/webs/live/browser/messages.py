"""What a crawl and the process of a browser say to each other: messages, each with its length before it."""

from __future__ import annotations

import asyncio
import struct

import msgspec

MAX_MESSAGE = 64 << 20
"""Bytes of a message; who sends more is not listened to."""
_LENGTH = struct.Struct("<I")


class Shell(msgspec.Struct, tag=True):
    """To the browser: a page to be rendered, as its server sent it, within so many seconds."""

    url: str
    html: bytes
    fields: dict[str, str]
    seconds: float


class Part(msgspec.Struct, tag=True):
    """To the browser: what was asked for under this number; of status 0, if it is not to be had."""

    number: int
    status: int = 0
    fields: dict[str, str] = {}
    body: bytes = b""


class Ready(msgspec.Struct, tag=True):
    """From the browser: it has started; or, with a reason, it could not."""

    version: str = ""
    why_not: str = ""


class Wish(msgspec.Struct, tag=True):
    """From the browser: the page asks for a URL; for a script, or for data."""

    number: int
    url: str
    is_script: bool


class Rendered(msgspec.Struct, tag=True):
    """From the browser: the document as it is now, None if there is none; `clean`: nothing is left of its page."""

    html: bytes | None
    clean: bool


ToBrowser = Shell | Part
FromBrowser = Ready | Wish | Rendered


def frame(message: ToBrowser | FromBrowser) -> bytes:
    """A message as it is sent."""
    body = msgspec.msgpack.encode(message)
    return _LENGTH.pack(len(body)) + body


async def next_frame(reader: asyncio.StreamReader) -> bytes | None:
    """The next message, None when there is none any more, or none that anybody would read."""
    try:
        (length,) = _LENGTH.unpack(await reader.readexactly(_LENGTH.size))
        return await reader.readexactly(length) if length <= MAX_MESSAGE else None
    except (asyncio.IncompleteReadError, OSError):
        return None
