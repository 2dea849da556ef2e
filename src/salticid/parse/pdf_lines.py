"""The lines of text on a page of a PDF, where each stands, and where its links lead."""

from __future__ import annotations

import ctypes
import re
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass
from math import hypot
from typing import Any, NamedTuple

import pypdfium2.raw as pdfium

MAX_LINKS = 20_000
"""Links of a page of a PDF that are looked at, as of a page of HTML."""
HYPHENS = "\ufffe\x02"
"""What stands where a word was parted at the end of a line."""

_UNSEEN = f"{HYPHENS} \t\xa0"
_LINE = re.compile(rf"[^\r\n{HYPHENS}]+[{HYPHENS}]?")
_MAX_URI = 4096  # bytes, more than any URL that is followed
_WEB = re.compile(r"(?i)https?:")


class Box(NamedTuple):
    """A place on a page, in points from its top left corner."""

    left: float
    top: float
    right: float
    bottom: float


@dataclass(frozen=True, slots=True)
class Span:
    """The letters of a line from `start` to `end` are the anchor of a link to `href`."""

    start: int
    end: int
    href: str


@dataclass(frozen=True, slots=True)
class Line:
    """A line as it was written, the size of its type, and its links in order, none over another."""

    text: str
    box: Box
    size: float
    links: tuple[Span, ...] = ()


@dataclass(frozen=True, slots=True)
class PdfPage:
    """The lines of a page in the order in which they were written, and links that have no text."""

    lines: list[Line]
    bare_links: list[str]


def read_page(document: Any, number: int) -> PdfPage:
    """The lines of a page; none where it cannot be read."""
    page = pdfium.FPDF_LoadPage(document, number)
    if not page:
        return PdfPage([], [])
    try:
        text = pdfium.FPDFText_LoadPage(page)
        if not text:
            return PdfPage([], [])
        try:
            return _Reader(document, page, text).page()
        finally:
            pdfium.FPDFText_ClosePage(text)
    finally:
        pdfium.FPDF_ClosePage(page)


class _Reader:
    def __init__(self, document: Any, page: Any, text: Any) -> None:
        self._document, self._page, self._text = document, page, text
        self._top = pdfium.FPDF_GetPageHeightF(page)
        self._letters = _all_text(text)

    def page(self) -> PdfPage:
        lines = [line for match in _LINE.finditer(self._letters) for line in self._line(match)]
        spans: dict[int, list[Span]] = {}
        bare: list[str] = []
        for href, boxes in self._annotations():
            places = [place for box in boxes for place in self._place(box, lines)]
            for at, start, end in places:
                _put(spans.setdefault(at, []), Span(start, end, href))
            if not places:
                bare.append(href)
        for href, start, end in self._written_urls():
            for at, (offset, line) in enumerate(lines):
                begin, stop = max(start - offset, 0), min(end - offset, len(line.text))
                if begin < stop:
                    _put(spans.setdefault(at, []), Span(begin, stop, href))
        told = [
            Line(line.text, line.box, line.size, tuple(sorted(spans[at], key=lambda span: span.start)))
            if at in spans
            else line
            for at, (_, line) in enumerate(lines)
        ]
        return PdfPage(told, bare)

    def _line(self, match: re.Match[str]) -> Iterator[tuple[int, Line]]:
        """The line that was found, and where it begins among the letters; nothing where it is blank."""
        text = match[0]
        start, end = len(text) - len(text.lstrip()), len(text.rstrip())
        stop = len(text.rstrip(_UNSEEN))
        if start >= stop:
            return
        boxes = [self._box(match.start() + at) for at in (start, (start + stop) // 2, stop - 1)]
        told = [box for box in boxes if box is not None]
        if told:
            lefts, tops, rights, bottoms = zip(*told, strict=True)
            box = Box(min(lefts), min(tops), max(rights), max(bottoms))
            size = self._size(match.start() + (start + stop) // 2) or box.bottom - box.top
            yield match.start() + start, Line(text[start:end], box, size)

    def _box(self, at: int) -> Box | None:
        """Where a letter stands."""
        rectangle = pdfium.FS_RECTF()
        index = pdfium.FPDFText_GetCharIndexFromTextIndex(self._text, at)
        if index < 0 or not pdfium.FPDFText_GetLooseCharBox(self._text, index, rectangle):
            return None
        left, right = sorted((rectangle.left, rectangle.right))
        bottom, top = sorted((rectangle.bottom, rectangle.top))
        return Box(left, self._top - top, right, self._top - bottom)

    def _size(self, at: int) -> float:
        """The size of the type of a letter; 0 where that cannot be told."""
        matrix = pdfium.FS_MATRIX()
        index = pdfium.FPDFText_GetCharIndexFromTextIndex(self._text, at)
        if index < 0 or not pdfium.FPDFText_GetMatrix(self._text, index, matrix):
            return 0.0
        return float(pdfium.FPDFText_GetFontSize(self._text, index) * hypot(matrix.c, matrix.d))

    def _annotations(self) -> Iterator[tuple[str, list[Box]]]:
        """Where the links of the page lead, and the boxes of each."""
        position, link = ctypes.c_int(0), pdfium.FPDF_LINK()
        for _ in range(MAX_LINKS):
            if not pdfium.FPDFLink_Enumerate(self._page, position, link):
                return
            action = pdfium.FPDFLink_GetAction(link)
            if not action or pdfium.FPDFAction_GetType(action) != pdfium.PDFACTION_URI:
                continue
            size = pdfium.FPDFAction_GetURIPath(self._document, action, None, 0)
            if 1 < size <= _MAX_URI:
                uri = ctypes.create_string_buffer(size)
                pdfium.FPDFAction_GetURIPath(self._document, action, uri, size)
                yield uri.value.decode("utf-8", "replace"), list(self._link_boxes(link))

    def _link_boxes(self, link: Any) -> Iterator[Box]:
        """One for each line that a link runs over, where the file says so; else one for all."""
        quad = pdfium.FS_QUADPOINTSF()
        for number in range(min(pdfium.FPDFLink_CountQuadPoints(link), MAX_LINKS)):
            if pdfium.FPDFLink_GetQuadPoints(link, number, quad):
                xs, ys = (quad.x1, quad.x2, quad.x3, quad.x4), (quad.y1, quad.y2, quad.y3, quad.y4)
                yield Box(min(xs), self._top - max(ys), max(xs), self._top - min(ys))
        whole = pdfium.FS_RECTF()
        if not pdfium.FPDFLink_CountQuadPoints(link) and pdfium.FPDFLink_GetAnnotRect(link, whole):
            yield Box(whole.left, self._top - whole.top, whole.right, self._top - whole.bottom)

    def _place(self, box: Box, lines: list[tuple[int, Line]]) -> Iterator[tuple[int, int, int]]:
        """Which letters of which lines stand in a box."""
        for at, (offset, line) in enumerate(lines):
            middle = (line.box.top + line.box.bottom) / 2
            if not box.top <= middle <= box.bottom:
                continue
            left, right = max(box.left, line.box.left), min(box.right, line.box.right)
            if right <= left:
                continue
            inside = min(1.0, (right - left) / 4)  # at the very edge the next letter may be nearer
            start = self._letter_at(left + inside, middle, line.size)
            end = self._letter_at(right - inside, middle, line.size)
            begin, stop = max(start - offset, 0), min(end + 1 - offset, len(line.text))
            if start >= 0 and end >= 0 and begin < stop:
                yield at, begin, stop

    def _letter_at(self, x: float, y: float, near: float) -> int:
        """The letter at a point, or near it; -1 if there is none."""
        index = pdfium.FPDFText_GetCharIndexAtPos(self._text, x, self._top - y, near / 2, near / 2)
        return -1 if index < 0 else int(pdfium.FPDFText_GetTextIndexFromCharIndex(self._text, index))

    def _written_urls(self) -> Iterator[tuple[str, int, int]]:
        """The URLs that stand in the text, and from where to where."""
        if "://" not in self._letters and "www." not in self._letters:
            return
        found = pdfium.FPDFLink_LoadWebLinks(self._text)
        if not found:
            return
        with closing(_WebLinks(found)):
            start, count = ctypes.c_int(0), ctypes.c_int(0)
            for number in range(min(pdfium.FPDFLink_CountWebLinks(found), MAX_LINKS)):
                size = pdfium.FPDFLink_GetURL(found, number, None, 0)
                if not 1 < size <= _MAX_URI or not pdfium.FPDFLink_GetTextRange(found, number, start, count):
                    continue
                units = (ctypes.c_ushort * size)()
                pdfium.FPDFLink_GetURL(found, number, units, size)
                url = bytes(units).decode("utf-16-le", "replace").rstrip("\0")
                begin = pdfium.FPDFText_GetTextIndexFromCharIndex(self._text, start.value)
                if begin >= 0 and _WEB.match(url):
                    yield url, begin, begin + count.value


class _WebLinks:
    def __init__(self, found: Any) -> None:
        self._found = found

    def close(self) -> None:
        pdfium.FPDFLink_CloseWebLinks(self._found)


def _all_text(text: Any) -> str:
    """All letters of a page, by the numbers that pdfium gives them: one beyond the first 65,536 counts as two."""
    count = pdfium.FPDFText_CountChars(text)
    if count <= 0:
        return ""
    units = (ctypes.c_ushort * (count + 1))()
    size = pdfium.FPDFText_GetText(text, 0, count, units)
    data = bytes(units)[: 2 * max(size - 1, 0)]
    letters = data.decode("utf-16-le", "surrogatepass")
    if 2 * len(letters) == len(data):
        return letters
    return "".join(map(chr, memoryview(data).cast("H")))


def _put(spans: list[Span], span: Span) -> None:
    """Add a span where none is yet."""
    if all(span.end <= other.start or other.end <= span.start for other in spans):
        spans.append(span)
