"""The two messages of an exchange, as an archive keeps them."""

from __future__ import annotations

from collections.abc import Collection, Iterable

import aiohttp

from salticid.parse.codings import undo

_REPLAYABLE: tuple[list[str], ...] = ([], ["gzip"], ["deflate"], ["br"])
"""Content codings that those who replay archives can undo: none, or one of these alone."""
_PREFIX = b"X-Salticid-"
_ONE_LINE = bytes.maketrans(b"\r\n", b"  ")

Fields = list[tuple[bytes, bytes]]


def request_of(response: aiohttp.ClientResponse, secrets: Collection[bytes] = ()) -> bytes:
    """The request of a response, as the server got it: fields for a proxy are not for the record, nor are secrets."""
    request = response.request_info
    fields = [(name.encode(), value.encode("utf-8", "replace")) for name, value in request.headers.items()]
    own = [(name, value) for name, value in fields if not name.lower().startswith(b"proxy-")]
    own = _without(own, secrets)
    return _message(f"{request.method} {request.url.raw_path_qs} HTTP/1.1".encode(), own)


def answer_of(
    response: aiohttp.ClientResponse,
    codings: list[str],
    body: bytes,
    longest: int,
    secrets: Collection[bytes] = (),
) -> tuple[bytes, bool]:
    """The answer as it came, but for codings that are undone and fields that are secrets; and whether some of its body
    was left out by undoing.

    aiohttp has undone the transfer coding. Content codings that nobody could replay are undone here, up to the longest
    body. The fields that were true of what was sent are kept under other names.
    """
    fields = _rename(_without(list(response.raw_headers), secrets), b"transfer-encoding")
    plain = None if codings in _REPLAYABLE else undo(body, codings, longest + 1)
    if plain is not None:
        body = plain[:longest]
        fields = _rename(fields, b"content-encoding", b"content-length")
        fields.append((b"Content-Length", b"%d" % len(body)))
    version = response.version or aiohttp.HttpVersion11
    reason = (response.reason or "").encode("utf-8", "surrogateescape")
    head = _message(b"HTTP/%d.%d %d %b" % (*version, response.status, reason), fields)
    return head + body, plain is not None and len(plain) > longest


def _without(fields: Fields, names: Collection[bytes]) -> Fields:
    return [(name, value) for name, value in fields if name.lower() not in names]


def _rename(fields: Fields, *names: bytes) -> Fields:
    return [(_PREFIX + name if name.lower() in names else name, value) for name, value in fields]


def _message(first: bytes, fields: Iterable[tuple[bytes, bytes]]) -> bytes:
    """A head of HTTP, which ends where it should whatever a server wrote into it."""
    lines = [first, *(b"%b: %b" % field for field in fields)]
    return b"\r\n".join([*(line.translate(_ONE_LINE) for line in lines), b"", b""])
