"""The two messages of an exchange, as an archive keeps them."""

from __future__ import annotations

from collections.abc import Collection, Iterable

from aiohttp.http import RawResponseMessage

from salticid.parse.codings import undo
from salticid.urls import origin

_REPLAYABLE: tuple[list[str], ...] = ([], ["gzip"], ["deflate"], ["br"])
"""Content codings that those who replay archives can undo: none, or one of these alone."""
_PREFIX = b"X-Salticid-"
_ONE_LINE = bytes.maketrans(b"\r\n", b"  ")

Fields = list[tuple[bytes, bytes]]


def lines_of(fields: Iterable[tuple[str, str]]) -> bytes:
    """The lines of fields, all that comes after the first line of a request."""
    return _lines((name.encode(), value.encode("utf-8", "replace")) for name, value in fields)


def request(target: str, lines: bytes) -> bytes:
    """The request for a target, a path or for a proxy a URL, with the lines of its fields."""
    return b"GET %b HTTP/1.1\r\n%b" % (target.encode().translate(_ONE_LINE), lines)


def request_of(url: str, fields: Iterable[tuple[str, str]], secrets: Collection[str] = ()) -> bytes:
    """The request for a URL, as the server got it: fields for a proxy are not for the record, nor are secrets."""
    own = [
        (name, value)
        for name, value in fields
        if not name.lower().startswith("proxy-") and name.lower() not in secrets
    ]
    return request(url.removeprefix(origin(url)), lines_of(own))


def answer_of(
    head: RawResponseMessage,
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
    fields = _rename(_without(list(head.raw_headers), secrets), b"transfer-encoding")
    plain = None if codings in _REPLAYABLE else undo(body, codings, longest + 1)
    if plain is not None:
        body = plain[:longest]
        fields = _rename(fields, b"content-encoding", b"content-length")
        fields.append((b"Content-Length", b"%d" % len(body)))
    reason = head.reason.encode("utf-8", "surrogateescape").translate(_ONE_LINE)
    first = b"HTTP/%d.%d %d %b\r\n" % (*head.version, head.code, reason)
    return first + _lines(fields) + body, plain is not None and len(plain) > longest


def _without(fields: Fields, names: Collection[bytes]) -> Fields:
    return [(name, value) for name, value in fields if name.lower() not in names]


def _rename(fields: Fields, *names: bytes) -> Fields:
    return [(_PREFIX + name if name.lower() in names else name, value) for name, value in fields]


def _lines(fields: Iterable[tuple[bytes, bytes]]) -> bytes:
    """Fields of a head, and the empty line that ends it: there, whatever a server wrote into them."""
    lines = ((b"%b: %b" % field).translate(_ONE_LINE) for field in fields)
    return b"\r\n".join([*lines, b"", b""])
