"""A PDF to a page of HTML, which says the same and is read like any other: text in reading order, title, links.

Called only in a process that may die of it (`pdf_process`): pdfium is made for pages that people chose to open.
"""

from __future__ import annotations

import ctypes
import re
from datetime import UTC, datetime, timedelta
from html import escape
from typing import Any

import pypdfium2.raw as pdfium

from salticid.parse.pdf_document import PdfDocument
from salticid.parse.pdf_html import Paragraph, clean, html_of, paragraphs
from salticid.parse.pdf_layout import blocks_in_order, without_running_heads
from salticid.parse.pdf_lines import PdfPage, read_page

MAX_PAGES = 1_000
"""Pages of a document that are read, the first ones."""
MAX_LETTERS = 2 << 20
"""After so many letters it is read no further."""

_MAX_FACT = 4096  # bytes
_MAX_TITLE = 300
_LANGUAGE = re.compile(r"[A-Za-z]{2,3}(?:-[A-Za-z0-9]{1,8})*")
_DATE = re.compile(
    r"(?:D:)?(\d{4})(\d\d)?(\d\d)?(\d\d)?(\d\d)?(\d\d)?(?:(Z)|([+-])(\d\d)'?(\d\d)?'?)?"
)  # as in D:20240229120000+01'00'
_NO_TITLE = re.compile(
    r"(?i)(untitled|unknown|title|document|presentation)?\s*\d*$|.*\.(docx?|dvi|indd|odt|pdf|pptx?|ps|qxd|rtf|tex|xlsx?)$"
)
_SAYS_NOTHING = ("anonymous", "unspecified")  # as reportlab says of everybody and everything
_MADE_FROM = re.compile(r"(?i)^microsoft (?:word|powerpoint|excel) - ")
_LETTER = re.compile(r"[^\W\d_]")


def read_pdf(data: bytes) -> PdfDocument | None:
    """The document; None if it is locked, or so damaged that no page of it can be found."""
    document = pdfium.FPDF_LoadMemDocument64(data, len(data), None)
    if not document:
        return None
    try:
        return _read(document)
    finally:
        pdfium.FPDF_CloseDocument(document)


def date_of(text: str) -> float | None:
    """Seconds since 1970 of a date as PDFs write it; None where it is none.

    >>> date_of("D:20240229120000+01'00'") == date_of("D:20240229110000Z"), date_of("2024") is None, date_of("today")
    (True, False, None)
    """
    match = _DATE.match(text)
    if match is None:
        return None
    year, month, day, hour, minute, second, _, sign, hours, minutes = match.groups()
    try:
        told = datetime(
            int(year),
            int(month or 1),
            int(day or 1),
            int(hour or 0),
            int(minute or 0),
            min(int(second or 0), 59),
            tzinfo=UTC,
        )
        ahead = timedelta(hours=int(hours or 0), minutes=int(minutes or 0))
        return (told + ahead if sign == "-" else told - ahead).timestamp()
    except (ValueError, OverflowError):
        return None


def _read(document: Any) -> PdfDocument | None:
    count = pdfium.FPDF_GetPageCount(document)
    if count < 1:
        return None
    pages: list[PdfPage] = []
    letters = 0
    for number in range(min(count, MAX_PAGES)):
        pages.append(read_page(document, number))
        letters += sum(len(line.text) for line in pages[-1].lines)
        if letters > MAX_LETTERS:
            break
    blocks = [blocks_in_order(lines) for lines in without_running_heads([page.lines for page in pages])]
    found = paragraphs(blocks)
    title = _title(_fact(document, "Title"), found)
    bare = list(dict.fromkeys(href for page in pages for href in page.bare_links))
    dates = (date_of(_fact(document, name)) for name in ("ModDate", "CreationDate"))
    html = html_of(found, bare, _head(document, title), _language(document))
    return PdfDocument(html, next((date for date in dates if date is not None), None))


def _head(document: Any, title: str) -> str:
    facts = {
        "author": _fact(document, "Author"),
        "description": _fact(document, "Subject"),
        "keywords": _fact(document, "Keywords"),
    }
    metas = [
        f'<meta name="{name}" content="{escape(value)}">'
        for name, value in facts.items()
        if value and value not in _SAYS_NOTHING
    ]
    return "".join(['<meta charset="utf-8">', f"<title>{escape(title)}</title>", *metas])


def _title(told: str, found: list[Paragraph]) -> str:
    """The title that the file tells, unless that is none; else its largest heading on the first lines, or the first."""
    told = _MADE_FROM.sub("", told)
    if not _NO_TITLE.fullmatch(told) and _LETTER.search(told):
        return told[:_MAX_TITLE]
    first = [paragraph for paragraph in found[:10] if _LETTER.search(paragraph.text)]
    largest = max(first, key=lambda paragraph: paragraph.size, default=None)
    return "" if largest is None else clean(largest.text)[:_MAX_TITLE]


def _fact(document: Any, name: str) -> str:
    """What the file says of itself under a name, in one line; empty where it says nothing."""
    return _told(lambda buffer, size: pdfium.FPDF_GetMetaText(document, name.encode(), buffer, size))


def _language(document: Any) -> str:
    told = _told(lambda buffer, size: pdfium.FPDFCatalog_GetLanguage(document, buffer, size))
    return told if _LANGUAGE.fullmatch(told) else ""


def _told(ask: Any) -> str:
    """What pdfium answers in UTF-16, asked for its size first."""
    size = min(ask(None, 0), _MAX_FACT)
    if size <= 2:
        return ""
    buffer = (ctypes.c_ushort * (size // 2))()
    ask(buffer, size)
    return clean(bytes(buffer).decode("utf-16-le", "replace"))
