"""Bytes to text: byte order mark, header, meta tag, then a guess."""

from __future__ import annotations

import codecs
import re

import cchardet
from resiliparse.parse.encoding import map_encoding_to_html5

_MARKS = ((codecs.BOM_UTF8, "utf-8"), (codecs.BOM_UTF16_LE, "utf-16-le"), (codecs.BOM_UTF16_BE, "utf-16-be"))
_IN_META = re.compile(rb"<meta[^>]{0,200}?charset\s*=\s*[\"']?\s*([A-Za-z0-9_.:-]{2,40})", re.IGNORECASE)
_PRESCAN = 2048
_SAMPLE = 20_000


def decode(html: bytes, header: str | None = None) -> str:
    """The text of an HTML document. Never fails: what cannot be read becomes U+FFFD.

    >>> decode(b"caf\\xe9"), decode(b"caf\\xc3\\xa9"), decode(b"\\xe4", "iso-8859-5")
    ('café', 'café', 'ф')
    """
    for mark, marked in _MARKS:
        if html.startswith(mark):
            return html[len(mark) :].decode(marked, "replace")
    name = _codec(header) or _named_in_meta(html)
    if name is None:
        try:
            return html.decode()
        except UnicodeDecodeError as error:
            read = html[: error.start]
            if error.reason == "unexpected end of data" and not read.isascii():
                return read.decode()  # UTF-8, cut within a character
            name = _codec(cchardet.detect(html[:_SAMPLE])["encoding"]) or "cp1252"
    return html.decode(name, "replace")


def _named_in_meta(html: bytes) -> str | None:
    found = _IN_META.search(html, 0, _PRESCAN)
    name = _codec(found[1].decode("ascii")) if found else None
    # A meta tag that could be read at all was not in UTF-16, whatever it says.
    return "utf-8" if name and name.startswith("utf-16") else name


def _codec(label: str | None) -> str | None:
    """The codec browsers take for a label (latin-1 means windows-1252), or None for nonsense."""
    if not label:
        return None
    name = map_encoding_to_html5(label.strip(" \"'").lower(), fallback_utf8=False)
    try:
        # A codec that is no text encoding ("hex", "zlib") would not decode to text.
        return name if name and codecs.lookup(name)._is_text_encoding else None
    except LookupError:
        return None
