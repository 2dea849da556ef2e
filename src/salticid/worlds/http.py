"""HTTP answers as recordings keep them: a head, a body, and what a crawler makes of both."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_tz

from salticid.worlds.answers import Answer
from salticid.worlds.codings import undo
from salticid.worlds.writer import MAX_HTML

MAX_BLOCK = 2 * MAX_HTML
"""Bytes of a recorded answer that are read: enough for a head and the codings around the longest page."""
_HTML_TYPES = ("text/html", "application/xhtml+xml")
_TELLING = {"content-type", "date", "mime-version", "server"}
"""Fields by which a head is known that has lost its status line."""
_LONGEST_HEAD = 1 << 16
_MOST_INTERIM = 5
_SNIFFED = 1024
_BLANK_LINE = re.compile(rb"\r?\n\r?\n")
_LINE_END = re.compile(r"\r?\n")
_STATUS = re.compile(r"HTTP/\d(?:\.\d+)?\s+([1-9]\d\d)(?!\d)")
_FIELD = re.compile(r"[A-Za-z0-9][\w .-]*:")
_CHARSET = re.compile(r"charset\s*=\s*[\"']?\s*([^\s;\"']+)", re.IGNORECASE)
_TAG = re.compile(rb"<(?:!doctype|!--|\?xml|/?[a-z])", re.IGNORECASE)
_WIDE_MARKS = (b"\xff\xfe", b"\xfe\xff")


@dataclass(frozen=True, slots=True)
class Head:
    """The head of an answer: its status, None where no status line was kept, and its fields.

    Names are in lower case; of a field that stands there twice the first counts.
    """

    status: int | None
    fields: Mapping[str, str]


def split(block: bytes) -> tuple[Head, bytes] | None:
    """Head and body of a recorded answer, or None when it does not begin as a head does.

    A status line may be missing. Lines that are no field are passed over, as browsers do; an interim
    answer (1xx) in front of the final one too.

    >>> split(b"HTTP/1.0 404 Gone\\r\\nServer: x\\r\\n\\r\\n<p>")
    (Head(status=404, fields={'server': 'x'}), b'<p>')
    >>> split(b"<p>Note: no head\\n\\n") is None
    True
    """
    parts = None
    for _ in range(_MOST_INTERIM + 1):
        parts = _split(block)
        if parts is None or parts[0].status not in range(100, 200) or not parts[1].startswith(b"HTTP/"):
            break
        block = parts[1]
    return parts


def to_answer(url: str, head: Head, body: bytes, labels: tuple[str, ...] = ()) -> Answer:
    """The answer of `url`: its codings undone, its body only where that is HTML.

    An answer without a status line is a redirect if it says whither, else a page.
    """
    fields = head.fields
    location = fields.get("location")
    kind = fields.get("content-type", "")
    html = None
    if not kind or _media_type(kind) in _HTML_TYPES:
        plain = undo(body, _codings(fields), MAX_HTML)
        # What should have been decoded and could not be is no page, unless it never was encoded.
        declared = bool(kind) and plain is not None
        text = (body if plain is None else plain)[:MAX_HTML]
        html = text if declared or has_tag(text) else None
    return Answer(
        url=url,
        status=(302 if location else 200) if head.status is None else head.status,
        html=html,
        charset=found[1] if (found := _CHARSET.search(kind)) else None,
        location=location,
        modified=timestamp(fields.get("last-modified")),
        labels=labels,
    )


def has_tag(body: bytes) -> bool:
    """Whether something like a tag stands near the start, and nothing that only binary files hold.

    >>> has_tag(b"\\n<!DOCTYPE html>"), has_tag(b"1 < 2"), has_tag(b"\\x00<p>")
    (True, False, False)
    """
    return not is_binary(body) and bool(_TAG.search(_start(body)))


def is_binary(body: bytes) -> bool:
    """Whether these can be no bytes of a text: NULs near the start, or neither a tag nor UTF-8.

    >>> is_binary(b"GIF89a\\x00"), is_binary(b"caf\\xe9"), is_binary(b"<p>caf\\xe9"), is_binary(b"")
    (True, True, False, False)
    """
    start = _start(body)
    if b"\0" in start:
        return True
    try:
        start.decode()
    except UnicodeDecodeError as error:
        cut_character = error.end == len(start) < len(body) and error.reason == "unexpected end of data"
        return not cut_character and not _TAG.search(start)
    return False


def timestamp(date: str | None) -> float | None:
    """Seconds since 1970 of an HTTP date in any of its three forms; None where it is none.

    >>> timestamp("Sunday, 06-Nov-94 08:49:37 GMT") == timestamp("Sun, 06 Nov 1994 08:49:37 GMT")
    True
    >>> timestamp("yesterday") is None
    True
    """
    parts = parsedate_tz(date) if date else None
    if parts is None:
        return None
    try:
        return datetime(*parts[:6], tzinfo=UTC).timestamp() - (parts[9] or 0)
    except (ValueError, OverflowError):
        return None


def _split(block: bytes) -> tuple[Head, bytes] | None:
    blank = _BLANK_LINE.search(block, 0, _LONGEST_HEAD)
    if blank is None and len(block) > _LONGEST_HEAD:
        return None
    before, body = (block[: blank.start()], block[blank.end() :]) if blank else (block, b"")
    first, *others = _LINE_END.split(_text(before))
    found = _STATUS.match(first)
    fields = _fields(others if found else [first, *others])
    if not found and not (_FIELD.match(first) and fields.keys() & _TELLING):
        return None
    return Head(int(found[1]) if found else None, fields), body


def _start(body: bytes) -> bytes:
    """The first bytes; where they say that they are UTF-16, as UTF-8."""
    start = body[:_SNIFFED]
    if start.startswith(_WIDE_MARKS):
        return start.decode("utf-16", "replace").encode("utf-8", "replace")
    return start


def _fields(lines: list[str]) -> dict[str, str]:
    fields: dict[str, str] = {}
    for line in lines:
        if _FIELD.match(line):
            name, _, value = line.partition(":")
            fields.setdefault(name.strip().lower(), value.strip())
    return fields


def _media_type(kind: str) -> str:
    return kind.partition(";")[0].strip().lower()


def _codings(fields: Mapping[str, str]) -> list[str]:
    """The codings of a body, in the order in which they were applied."""
    applied = f"{fields.get('content-encoding', '')},{fields.get('transfer-encoding', '')}".lower()
    return [name.strip() for name in applied.split(",") if name.strip() not in ("", "identity")]


def _text(head: bytes) -> str:
    """Heads ought to be ASCII; those that are not are UTF-8 or Latin-1."""
    try:
        return head.decode()
    except UnicodeDecodeError:
        return head.decode("latin-1")
