"""HTTP answers as recordings keep them: a head, a body, and what a crawler makes of both."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from salticid.parse.content import MAX_PDF, content
from salticid.worlds.answers import Answer
from salticid.worlds.writer import MAX_HTML

MAX_BLOCK = 2 * MAX_HTML
"""Bytes of a recorded answer that are read: enough for a head and the codings around the longest page."""
_MAX_PDF_BLOCK = MAX_PDF + (1 << 16)
_PDF = re.compile(rb"%PDF-|\ncontent-type:\s*application/(?:x-)?pdf", re.IGNORECASE)
_TELLING = {"content-type", "date", "mime-version", "server"}
"""Fields by which a head is known that has lost its status line."""
_LONGEST_HEAD = 1 << 16
_MOST_INTERIM = 5
_BLANK_LINE = re.compile(rb"\r?\n\r?\n")
_LINE_END = re.compile(r"\r?\n")
_STATUS = re.compile(r"HTTP/\d(?:\.\d+)?\s+([1-9]\d\d)(?!\d)")
_FIELD = re.compile(r"[A-Za-z0-9][\w .-]*:")


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


def longest_block(start: bytes) -> int:
    """Bytes that are read of a recorded answer which begins so: more of a PDF than of a page."""
    return _MAX_PDF_BLOCK if _PDF.search(start) else MAX_BLOCK


def to_answer(url: str, head: Head, body: bytes, labels: tuple[str, ...] = ()) -> Answer:
    """The answer of `url`: its codings undone, its body only where that is HTML, plain text or a PDF.

    An answer without a status line is a redirect if it has a location, else a page.
    """
    location = head.fields.get("location")
    page = content(head.fields, body, MAX_HTML)
    return Answer(
        url=url,
        status=(302 if location else 200) if head.status is None else head.status,
        html=page.html,
        pdf=page.pdf,
        charset=page.charset,
        location=location,
        modified=page.modified,
        labels=labels,
    )


def _split(block: bytes) -> tuple[Head, bytes] | None:
    blank = _BLANK_LINE.search(block, 0, _LONGEST_HEAD)
    if blank is None and len(block) > _LONGEST_HEAD:
        return None
    before, body = (block[: blank.start()], block[blank.end() :]) if blank else (block, b"")
    first, *others = _LINE_END.split(_text(before))
    status = _STATUS.match(first)
    fields = _fields(others if status else [first, *others])
    if not status and not (_FIELD.match(first) and fields.keys() & _TELLING):
        return None
    return Head(int(status[1]) if status else None, fields), body


def _fields(lines: list[str]) -> dict[str, str]:
    fields: dict[str, str] = {}
    for line in lines:
        if _FIELD.match(line):
            name, _, value = line.partition(":")
            fields.setdefault(name.strip().lower(), value.strip())
    return fields


def _text(head: bytes) -> str:
    """Heads ought to be ASCII; those that are not are UTF-8 or Latin-1."""
    try:
        return head.decode()
    except UnicodeDecodeError:
        return head.decode("latin-1")
