"""Bytes to text: byte order mark, header, meta tag, then a guess."""

from __future__ import annotations

import codecs
import re
from contextlib import suppress
from functools import lru_cache

import cchardet
from resiliparse.parse.encoding import map_encoding_to_html5

_MARKS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
_MARK_BYTES = tuple(mark for mark, _ in _MARKS)
_LARGER = {"euc_kr": "cp949", "shift_jis": "cp932", "iso8859-11": "cp874"}
"""What browsers read under these names holds more than the standards of these names."""
_UNKNOWN_LABELS = {
    "uhc": "cp949",
    "johab": "johab",
    "hz-gb-2312": "hz",
    "iso-2022-kr": "iso2022_kr",
    "mac-cyrillic": "mac_cyrillic",
    "maccyrillic": "mac_cyrillic",
    "mac-centraleurope": "mac_latin2",
    "maccentraleurope": "mac_latin2",
    "utf-8-sig": "utf-8-sig",
    "utf-32": "utf-32",
    "utf-32le": "utf-32-le",
    "utf-32be": "utf-32-be",
    **{f"{maker}{page}": f"cp{page}" for maker in ("ibm", "cp") for page in (737, 852, 855, 862, 865, 949)},
}
"""Names that browsers do not know any more; pages bear them, and the detector finds them out."""
_SHIFTS = (b"\x1b$", b"~{")
_OF_SEVEN_BITS = ("iso2022_jp", "iso2022_kr", "hz")
_IN_META = re.compile(rb"<meta[^>]{0,200}?charset\s*=\s*[\"']?\s*([A-Za-z0-9_.:-]{2,40})", re.IGNORECASE)
_PRESCAN = 2048
_SAMPLE = 20_000


def decode(html: bytes, header: str | None = None) -> str:
    """The text of an HTML document. Never fails: what cannot be read becomes U+FFFD.

    >>> decode(b"caf\\xe9"), decode(b"caf\\xc3\\xa9"), decode(b"\\xe4", "iso-8859-5")
    ('café', 'café', 'ф')
    """
    for mark, codec in _MARKS:
        if html.startswith(mark):
            return html[len(mark) :].decode(codec, "replace")
    name = _named(html, header)
    if name is None:
        try:
            return html.decode()
        except UnicodeDecodeError as error:
            good_part = html[: error.start]
            if error.reason == "unexpected end of data" and not good_part.isascii():
                return good_part.decode()  # UTF-8, cut within a character
            name = _detect(html) or "cp1252"
    return html.decode(name, "replace")


def to_utf8(html: bytes, header: str | None = None) -> bytes:
    """The same in UTF-8; most documents are in that already."""
    if not html.startswith(_MARK_BYTES) and _named(html, header) in (None, "utf-8"):
        with suppress(UnicodeDecodeError):
            html.decode()
            return html
    return decode(html, header).encode("utf-8", "replace")


def _named(html: bytes, header: str | None) -> str | None:
    """The codec that a document is said to be in."""
    return _codec(header) or _named_in_meta(html) or _shift_codec(html)


def _detect(html: bytes) -> str | None:
    return _codec(cchardet.detect(html[:_SAMPLE])["encoding"])


def _shift_codec(html: bytes) -> str | None:
    """The codec of a document which says in ASCII that parts of it are none; they would pass for UTF-8."""
    starts = [at for shift in _SHIFTS if (at := html.find(shift)) >= 0]
    name = _detect(html[min(starts) :]) if starts and html.isascii() else None
    return name if name in _OF_SEVEN_BITS else None


def _named_in_meta(html: bytes) -> str | None:
    match = _IN_META.search(html, 0, _PRESCAN)
    name = _codec(match[1].decode("ascii")) if match else None
    # A meta tag that could be read at all was in neither UTF-16 nor UTF-32, whatever it says.
    return "utf-8" if name and name.startswith(("utf-16", "utf-32")) else name


@lru_cache(maxsize=100)
def _codec(label: str | None) -> str | None:
    """The codec browsers take for a label (latin-1 means windows-1252), or None for nonsense."""
    if not label:
        return None
    text = label.strip(" \"'").lower()
    name = map_encoding_to_html5(text, fallback_utf8=False) or _UNKNOWN_LABELS.get(text)
    name = _LARGER.get(name or "", name)
    try:
        # A codec that is no text encoding ("hex", "zlib") would not decode to text.
        return name if name and codecs.lookup(name)._is_text_encoding else None
    except LookupError:
        return None
