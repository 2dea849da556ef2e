"""A PDF to a page of HTML, which says the same and is read like any other: text in reading order, title, links.

Called only in a process that may die of it (`pdf_process`): pdfium is made for pages that people chose to open.
"""

from __future__ import annotations

import ctypes
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from html import escape
from typing import Any

import msgspec
import pypdfium2.raw as pdfium

from salticid.parse.page_process import ChildLimits, serve
from salticid.parse.pdf_lines import (
    HYPHENS,
    Block,
    Line,
    PdfPage,
    beside,
    blocks_in_order,
    read_page,
    without_running_heads,
)
from salticid.parse.process_pool import PdfDocument

# Lines in reading order to a document of HTML: paragraphs, headings, items of lists, links.

_BULLET = re.compile(r"\s*[•◦▪‣●∙·\uf0b7]\s*(?=\S)")
_ENDS = re.compile(r"[.!?:;”\"'»)\]]\s*$")
_LETTER = re.compile(r"[^\W\d_]")
_CONTROLS = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\ufffe\uffff\ud800-\udfff]")
_LEVELS = (1.7, 1.35, 1.15)
"""How many times as large as the text a heading is, at least, by its level."""
_LONGEST_HEADING = 200
_OTHER_SIZE = 1.12
_WIDE_GAP = 0.55  # of a line's height, beyond which a new paragraph begins
_SHORT = 0.85  # of its block's width, below which a line that ends a sentence ends a paragraph

Pieces = list[tuple[str, str | None]]
"""Text, and where its link leads if it is in one."""


@dataclass(slots=True)
class Paragraph:
    """Text in one size of type. `level` is that of a heading, 0 of text; `item`: it is one of a list."""

    pieces: Pieces
    size: float
    level: int = 0
    item: bool = False

    @property
    def text(self) -> str:
        return "".join(text for text, _ in self.pieces).strip()

    @property
    def html(self) -> str:
        tag = "li" if self.item else f"h{self.level}" if self.level else "p"
        return f"<{tag}>{''.join(_linked(*piece) for piece in self.pieces).strip()}</{tag}>"


def paragraphs(pages: Sequence[Sequence[Block]]) -> list[Paragraph]:
    """The paragraphs of all pages; one that a page ends amid a sentence goes on upon the next."""
    found: list[Paragraph] = []
    for page in pages:
        first = True
        for block in page:
            for paragraph in _of_block(block):
                if first and found and _goes_on(found[-1], paragraph):
                    _join(found[-1].pieces, paragraph.pieces)
                else:
                    found.append(paragraph)
                first = False
    body = text_size(found)
    for paragraph in found:
        paragraph.level = _level(paragraph, body)
    return found


def text_size(found: Sequence[Paragraph]) -> float:
    """The size of the type that most of the text is in."""
    sizes: Counter[float] = Counter()
    for paragraph in found:
        sizes[round(paragraph.size, 1)] += len(paragraph.text)
    return max(sizes, key=lambda size: (sizes[size], size), default=0.0)


def html_of(found: Sequence[Paragraph], bare_links: Sequence[str], head: str, language: str) -> bytes:
    """The document: items that follow each other are one list, links without text stand at the end."""
    lang = f' lang="{escape(language)}"' if language else ""
    parts = [f"<!DOCTYPE html><html{lang}><head>{head}</head><body><main>"]
    within = False
    for paragraph in found:
        if paragraph.item != within:
            parts.append("</ul>" if within else "<ul>")
            within = paragraph.item
        parts.append(paragraph.html)
    parts.append("</ul>" if within else "")
    if bare_links:
        parts.append(f"<p>{' '.join(_linked('', href) for href in bare_links)}</p>")
    parts.append("</main></body></html>")
    return "\n".join(parts).encode("utf-8", "replace")


def clean(text: str) -> str:
    """Text without what no document may hold, white space folded."""
    return " ".join(_CONTROLS.sub("", text).split())


def _of_block(block: Block) -> Iterator[Paragraph]:
    """Cut where the type changes, the gap is wide, an item begins, or a sentence ends short of the column's width."""
    left, right = min(line.box.left for line in block), max(line.box.right for line in block)
    current: Paragraph | None = None
    before: Line | None = None
    for line in block:
        item = _BULLET.match(line.text)
        pieces = _pieces(line, item.end() if item else 0)
        if current is None or before is None or item or _parts(before, line, left, right):
            if current is not None:
                yield current
            current = Paragraph(pieces, line.size, item=bool(item))
        else:
            _join(current.pieces, pieces)
        before = line
    if current is not None:
        yield current


def _parts(before: Line, line: Line, left: float, right: float) -> bool:
    """Whether a new paragraph begins with a line."""
    if beside(line, before):
        return False
    if max(before.size, line.size) > _OTHER_SIZE * min(before.size, line.size):
        return True
    if line.box.top - before.box.bottom > _WIDE_GAP * line.size:
        return True
    width = right - left
    ends = bool(_ENDS.search(before.text))
    return ends and (before.box.right < left + _SHORT * width or line.box.left > left + line.size)


def _goes_on(last: Paragraph, first: Paragraph) -> bool:
    """Whether a sentence that the end of a page has cut goes on in the first paragraph of the next."""
    start = first.text[:1]
    same = max(last.size, first.size) <= _OTHER_SIZE * min(last.size, first.size)
    return same and not first.item and start.islower() and not _ENDS.search(last.text)


def _join(pieces: Pieces, more: Pieces) -> None:
    """Go on with a line: a word that was parted is whole again."""
    if not pieces or not more:
        pieces += more
        return
    text, href = pieces[-1]
    text = text[:-1] if _is_parted(text, more[0][0]) else f"{text} "
    if href == more[0][1]:
        pieces[-1:] = [(text + more[0][0], href), *more[1:]]
    else:
        pieces[-1:] = [(text, href), *more]


def _is_parted(text: str, more: str) -> bool:
    """Whether the last word of a text goes on in the next line.

    >>> _is_parted("jump-", "ing spiders"), _is_parted("pages 1-", "2"), _is_parted("jumping", "spiders")
    (True, False, False)
    """
    if text.endswith(tuple(HYPHENS)):
        return True
    return text[-1:] in tuple("-\u00ad\u2010") and text[-2:-1].isalpha() and more[:1].islower()


def _pieces(line: Line, start: int) -> Pieces:
    """The text of a line from a place on, in pieces that are in a link or in none."""
    pieces: Pieces = []
    for span in line.links:
        if span.end <= start:
            continue
        if span.start > start:
            pieces.append((line.text[start : span.start], None))
        pieces.append((line.text[max(start, span.start) : span.end], span.href))
        start = span.end
    if start < len(line.text):
        pieces.append((line.text[start:], None))
    return pieces


def _level(paragraph: Paragraph, body: float) -> int:
    text = paragraph.text
    if paragraph.item or len(text) > _LONGEST_HEADING or not _LETTER.search(text):
        return 0
    return next((level for level, times in enumerate(_LEVELS, 1) if paragraph.size >= times * body), 0)


def _linked(text: str, href: str | None) -> str:
    shown = escape(_CONTROLS.sub("", text))
    return shown if href is None else f'<a href="{escape(_CONTROLS.sub("", href))}">{shown}</a>'


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


# The process that reads PDFs: the bytes of a file in, a document of HTML out.

MAX_MEMORY = 1 << 30
"""Bytes of address space it may have."""
PDF_MEMORY = 80 << 20
TIMES_ITS_SIZE = 2
"""Bytes that one document may cost it beyond what it has, and for each of its own."""


class _PdfReader:
    full = False

    def read(self, message: bytes) -> bytes:
        return msgspec.msgpack.encode(read_pdf(message))


def work() -> None:
    """Answer each PDF with a `PdfDocument`, or None."""
    serve(_PdfReader, ChildLimits(MAX_MEMORY, PDF_MEMORY, TIMES_ITS_SIZE))
