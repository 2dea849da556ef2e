"""What an answer is, by its head and body: HTML, text, PDF or neither."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_tz
from functools import lru_cache
from html import escape

from salticid.parse.decoding import decode, undo

# Plain text as a document: its paragraphs, and what reads as an address as a link.

_ADDRESS = re.compile(r"\bhttps?://[^\s<>\"'`|\\^{}]{1,2000}", re.IGNORECASE)
_AFTER = ".,;:!?*_"
"""What ends a sentence and no address, as a rule."""
_BRACKETS = {")": "(", "]": "["}
_BETWEEN = re.compile(r"\n[ \t\r]*+\n\s*+")
_LONGEST_TITLE = 120
"""Letters of a first line that may be a title."""


def text_document(text: bytes, charset: str | None) -> bytes:
    """An HTML document, in UTF-8, that says what a plain text says; a short first line is its title.

    >>> text_document(b"Eyes\\n\\nsee <http://a.example/x(y)>, (http://b.example/).", None).decode().split("<p>")[2]
    'see &lt;<a href="http://a.example/x(y)">http://a.example/x(y)</a>&gt;, (<a href="http://b.example/">http://b.example/</a>).'
    """
    plain = decode(text, charset).replace("\r\n", "\n").lstrip()
    first = plain[: _LONGEST_TITLE + 1].partition("\n")[0].strip()
    title = f"<title>{escape(first)}</title>" if 0 < len(first) <= _LONGEST_TITLE else ""
    paragraphs = "".join(f"<p>{_linked(paragraph)}" for paragraph in _BETWEEN.split(plain))
    return f"{title}{paragraphs}".encode("utf-8", "replace")


def _linked(text: str) -> str:
    parts: list[str] = []
    at = 0
    for match in _ADDRESS.finditer(text):
        address = _trimmed(match[0])
        parts += (
            escape(text[at : match.start()], quote=False),
            f'<a href="{escape(address)}">{escape(address)}</a>',
        )
        at = match.start() + len(address)
    return "".join((*parts, escape(text[at:], quote=False)))


def _trimmed(address: str) -> str:
    """An address without the punctuation behind it; a bracket belongs to it if it was opened within."""
    while address[-1] in _AFTER or (address[-1] in _BRACKETS and _BRACKETS[address[-1]] not in address):
        address = address[:-1]
    return address


GOOD_STATUSES = tuple(status for status in range(200, 300) if status not in (204, 205))
"""Statuses that come with a page; the two left out say that there is none."""
MAX_PDF = 30 << 20
"""Bytes of a PDF; one that is longer is not read."""
_HTML_TYPES = ("text/html", "application/xhtml+xml")
_TEXT_TYPE = "text/plain"
_PDF_TYPES = ("application/pdf", "application/x-pdf")
_ANY_TYPES = ("", "application/octet-stream", "binary/octet-stream", "application/force-download")
"""Types of which servers say that they know none."""
_PDF_START = b"%PDF-"
_SNIFF_SIZE = 1024
_CHARSET = re.compile(r"charset\s*=\s*[\"']?\s*([^\s;,\"']+)", re.IGNORECASE)
_TAG = re.compile(rb"<(?:!doctype|!--|\?xml|/?[a-z])", re.IGNORECASE)
_WIDE_MARKS = (b"\xff\xfe", b"\xfe\xff")


@dataclass(frozen=True, slots=True)
class Content:
    """The HTML of an answer, or the PDF, None where it is something else; its charset and date, as its head has them.

    Plain text is HTML that says the same.
    """

    html: bytes | None
    charset: str | None
    modified: float | None
    pdf: bytes | None = None


def content(fields: Mapping[str, str], body: bytes, limit: int) -> Content:
    """Read an answer whose head has these fields, names in lower case; at most `limit` bytes of HTML.

    >>> content({"content-type": "text/html; charset=utf-8"}, b"<p>Hi", 100)
    Content(html=b'<p>Hi', charset='utf-8', modified=None, pdf=None)
    >>> content({"content-type": "image/png"}, b"...", 100).html is None
    True
    >>> content({"content-type": "application/octet-stream"}, b"%PDF-1.7", 100).pdf
    b'%PDF-1.7'
    """
    kind = fields.get("content-type", "")
    charset = _charset(kind)
    modified = timestamp(fields.get("last-modified"))
    if is_pdf(kind, body):
        plain = undo(body, codings(fields), MAX_PDF)
        return Content(None, None, modified, body if plain is None else plain)
    if _media_type(kind) == _TEXT_TYPE:
        plain = undo(body, codings(fields), limit)
        is_text = plain is not None and b"\0" not in _start(plain)
        return Content(text_document(plain, charset) if plain and is_text else None, "utf-8", modified)
    html = None
    if not kind or _media_type(kind) in _HTML_TYPES:
        plain = undo(body, codings(fields), limit)
        # What should have been decoded and could not be is no page, unless it never was encoded.
        is_page = bool(kind) and plain is not None
        text = (body if plain is None else plain)[:limit]
        html = text if is_page or has_tag(text) else None
    return Content(html, charset, modified)


def decode_body(fields: Mapping[str, str], body: bytes, limit: int) -> bytes:
    """The body without its codings; as it is where they cannot be undone."""
    plain = undo(body, codings(fields), limit)
    return body[:limit] if plain is None else plain


def codings(fields: Mapping[str, str]) -> list[str]:
    """The codings of a body, in the order in which they were applied."""
    names = f"{fields.get('content-encoding', '')},{fields.get('transfer-encoding', '')}".lower()
    return [name.strip() for name in names.split(",") if name.strip() not in ("", "identity")]


def is_pdf(kind: str, body: bytes) -> bool:
    """Whether an answer of this type that begins so is a PDF: it is called one, or is one under no other name.

    >>> is_pdf("application/pdf;x=y", b""), is_pdf("text/html", b"%PDF-1.4"), is_pdf("image/png", b"%PDF-1.4")
    (True, True, False)
    """
    media = _media_type(kind)
    begins = body[:_SNIFF_SIZE].lstrip().startswith(_PDF_START)
    return media in _PDF_TYPES or (begins and media in (*_ANY_TYPES, *_HTML_TYPES))


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


def _start(body: bytes) -> bytes:
    """The first bytes; where they say that they are UTF-16, as UTF-8."""
    start = body[:_SNIFF_SIZE]
    if start.startswith(_WIDE_MARKS):
        return start.decode("utf-16", "replace").encode("utf-8", "replace")
    return start


@lru_cache(maxsize=256)  # most answers say one of a few
def _charset(kind: str) -> str | None:
    return match[1] if (match := _CHARSET.search(kind)) else None


@lru_cache(maxsize=256)
def _media_type(kind: str) -> str:
    """The type that a field names, the first one where a server or a proxy has said it twice.

    >>> _media_type("Text/HTML; charset=utf-8, text/html"), _media_type("text/html, text/html")
    ('text/html', 'text/html')
    """
    return re.split("[;,]", kind, maxsplit=1)[0].strip().lower()
