"""Plain text as a document: its paragraphs, and what reads as an address as a link."""

from __future__ import annotations

import re
from html import escape

from salticid.parse.charset import decode

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
