"""The lines of text on a page of a PDF, where each stands, and where its links lead."""

from __future__ import annotations

import ctypes
import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from itertools import pairwise
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


# In which order people read the lines of a page, and which of them are no text of it.

Block = list[Line]
"""Lines that follow each other down a page, in one column."""

_EDGE = 2
"""So many lines at the top of a page, and at its bottom, may be there for the reader to find a place by."""
_FEWEST_PAGES = 3
_SHARE = 0.3  # of the pages, for running heads differ between left and right ones
_NUMBER = re.compile(r"\d+|\b[ivxlc]+\b", re.IGNORECASE)
_NEAR = 1.0  # of a line's size: what is further down is no next line
_BESIDE = 0.3  # of the smaller one's size, which two parts of one line have in common
_GUTTER = 6.0  # points between two columns, at least
_OVERLAP = 3.0  # points by which letters of two lines may reach into each other
_MOST_BLOCKS = 300
"""A page of more is no page for people; it is read as it was written."""


def blocks_in_order(lines: Sequence[Line]) -> list[Block]:
    """The lines of a page in blocks, as they are read: down a column, then down the next.

    Lines are left as they were written within a block; only blocks are put in order, and only where they were written
    in one that nobody reads in. What reaches over several columns parts what is above from what is below.

    >>> left, right = Line("left", Box(50, 100, 250, 112), 12), Line("right", Box(300, 100, 500, 112), 12)
    >>> head, foot = Line("head", Box(50, 50, 500, 70), 20), Line("foot", Box(50, 700, 500, 712), 12)
    >>> [block[0].text for block in blocks_in_order([foot, right, head, left])]
    ['head', 'left', 'right', 'foot']
    """
    blocks = list(_blocks(lines))
    if len(blocks) > _MOST_BLOCKS or not (jumps := _jumps(blocks)):
        return blocks
    ordered = _in_order(blocks)
    return ordered if _jumps(ordered) < jumps else blocks


def without_running_heads(pages: Sequence[Sequence[Line]]) -> list[list[Line]]:
    """The lines of all pages without those at their edges that stand on many of them, numbers apart.

    >>> texts = [["Eyes", "one", "two", f"page {n}"] for n in "123"]
    >>> pages = [[Line(text, Box(0, 20 * at, 9, 20 * at + 9), 9) for at, text in enumerate(each)] for each in texts]
    >>> [line.text for page in without_running_heads([*pages[:2], pages[2][:1]]) for line in page]
    ['one', 'two', 'page 1', 'one', 'two', 'page 2']
    """
    edges = [_edge_lines(page) for page in pages]
    counts = Counter(key for edge in edges for key in set(edge.values()))
    least = max(_FEWEST_PAGES, _SHARE * len(pages))
    return [
        [line for at, line in enumerate(page) if counts[edge.get(at, "")] < least or at not in edge]
        for page, edge in zip(pages, edges, strict=True)
    ]


def _edge_lines(page: Sequence[Line]) -> dict[int, str]:
    """The places of the lines at the edges of a page, each with what it says, numbers apart."""
    down = sorted(range(len(page)), key=lambda at: page[at].box.top)
    top = min(_EDGE, (len(page) + 1) // 2)
    bottom = min(_EDGE, len(page) - top)
    ends = [(at, "top") for at in down[:top]] + [(at, "bottom") for at in down[len(down) - bottom :]]
    return {at: f"{end} {_NUMBER.sub('#', page[at].text)}" for at, end in ends}


def _blocks(lines: Sequence[Line]) -> Iterator[Block]:
    block: Block = []
    for line in lines:
        if block and not _follows(line, block[-1]):
            yield block
            block = []
        block.append(line)
    if block:
        yield block


def _follows(line: Line, before: Line) -> bool:
    """Whether a line may be the next one below another."""
    if beside(line, before):
        return True
    down = line.box.top - before.box.bottom
    below = -0.5 * line.size <= down <= _NEAR * line.size and line.box.bottom > before.box.bottom
    return below and line.box.left < before.box.right and before.box.left < line.box.right


def beside(line: Line, before: Line) -> bool:
    """Whether a line goes on where another ends, as behind an index or an exponent.

    >>> beside(Line(" + 1", Box(22, 0, 40, 10), 10), Line("x2", Box(10, -4, 21, 10), 10))
    True
    """
    common = min(line.box.bottom, before.box.bottom) - max(line.box.top, before.box.top)
    gap = line.box.left - before.box.right
    return common >= _BESIDE * min(line.size, before.size) and abs(gap) <= max(line.size, before.size)


def _jumps(blocks: Sequence[Block]) -> int:
    """How often a reader has to go up again in a column, or back to one on the left and not down."""
    jumps = 0
    for before, after in pairwise(map(_around, blocks)):
        up = after.bottom < before.top + _OVERLAP
        jumps += up and after.left < before.right - _GUTTER
    return jumps


def _in_order(blocks: list[Block]) -> list[Block]:
    """Blocks as they are read: band by band, and the columns of a band one by one."""
    if len(blocks) < 2:
        return blocks
    boxes = {id(block): _around(block) for block in blocks}
    box_of: Callable[[Block], Box] = lambda block: boxes[id(block)]  # noqa: E731
    bands = _parted(blocks, lambda block: (box_of(block).top, box_of(block).bottom), -_OVERLAP)
    ordered: list[Block] = []
    at = 0
    while at < len(bands):
        columns, end = [bands[at]], at + 1
        for stop in range(at + 1, len(bands) + 1):  # as many bands as share their columns
            together = [block for band in bands[at:stop] for block in band]
            parted = _parted(together, lambda block: (box_of(block).left, box_of(block).right), _GUTTER)
            if len(parted) < 2:
                break
            columns, end = parted, stop
        if len(columns) == 1 and len(bands) == 1:  # nothing parts them: as they were written
            return blocks
        for column in columns:
            ordered += _in_order(column)
        at = end
    return ordered


def _parted(blocks: list[Block], extent: Callable[[Block], tuple[float, float]], gap: float) -> list[list[Block]]:
    """Groups of blocks, each of which ends before the next one begins, by a gap at least."""
    groups: list[list[Block]] = []
    reach = 0.0
    for block in sorted(blocks, key=lambda block: extent(block)[0]):
        start, end = extent(block)
        if groups and start < reach + gap:
            groups[-1].append(block)
            reach = max(reach, end)
        else:
            groups.append([block])
            reach = end
    # Within a group they stay as they were written.
    place = {id(block): at for at, block in enumerate(blocks)}
    return [sorted(group, key=lambda block: place[id(block)]) for group in groups]


def _around(block: Block) -> Box:
    return Box(
        min(line.box.left for line in block),
        min(line.box.top for line in block),
        max(line.box.right for line in block),
        max(line.box.bottom for line in block),
    )
