"""The main text of a page: what it says, without the menus, boxes and footers around it."""

from __future__ import annotations

from resiliparse.extract.html2text import extract_plain_text

from salticid.parse.charset import decode
from salticid.parse.content import content
from salticid.parse.prescan import prescan

MAX_HTML = 8 << 20
"""Bytes of a page that are read."""


def main_text(response: bytes) -> str | None:
    """The main text of an HTTP response as it came over the wire, head and codings included.

    Paragraphs, headings and items of lists stand on lines of their own. None where there is no HTML, no text in
    it, or something no parser should see.

    >>> head = b"HTTP/1.1 200 OK\\r\\nContent-Type: text/html\\r\\n\\r\\n"
    >>> main_text(head + b"<nav><a href=/>Home</a></nav><main><h1>Eyes</h1><p>Four of them look ahead.</main>")
    'Eyes\\n\\nFour of them look ahead.'
    >>> main_text(head + b"<div>" * 50_000) is None
    True
    """
    head, _, body = response.partition(b"\r\n\r\n")
    page = content(head_fields(head), body, MAX_HTML)
    if page.html is None or prescan(page.html):
        return None
    text: str = extract_plain_text(decode(page.html, page.charset), main_content=True, links=False)
    return text.strip() or None


def head_fields(head: bytes) -> dict[str, str]:
    """The fields of a head, names in lower case; of a field that stands there twice the first counts."""
    fields: dict[str, str] = {}
    for line in head.decode("latin-1").split("\r\n")[1:]:
        name, _, value = line.partition(":")
        fields.setdefault(name.strip().lower(), value.strip())
    return fields
