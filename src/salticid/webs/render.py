"""A compiled page back to HTML that parses to the same page again.

A page keeps its plain text and, counted in tokens, where its links and headings begin and end. All of
them begin and end at white space, so that the text is cut there and tags are put in between.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from html import escape
from typing import NamedTuple

import numpy as np

from salticid.model import NO_URL, Area, Page
from salticid.parse import MAX_TITLE
from salticid.protocols import Table, UrlTable
from salticid.text import LONGEST, letter_runs

_Counts = np.ndarray[tuple[int], np.dtype[np.int64]]

_PARAGRAPH = 60
"""Pieces of text after which a new paragraph may begin, where no link and no heading is open."""
_BREAK = b"\n<br><br>\n"
_NOFOLLOW = ' rel="nofollow"'
_SPACE = ord(" ")
_LETTERS = np.array([byte < 0x80 and chr(byte).isalpha() for byte in range(256)], np.int8)


def render(page: Page, urls: UrlTable, words: Table) -> bytes:
    """The page as an HTML document in UTF-8, all URLs absolute.

    Parsed again it gives the same tokens, areas, links, title, text, canonical URL, refresh and robots
    flags. A link within another stands in an `<object>`, where HTML allows it. Where a link and a heading
    (or two links, which no parser makes) cross, the one that begins later is cut where the other ends: that
    happens to a heading within a link within a heading, and such a page does not come back exactly. Nor does
    a refresh to a URL with an apostrophe, at which the parser takes a refresh to end.

    >>> from salticid.parse import Parser
    >>> from salticid.tables import Texts, Urls
    >>> urls, words = Urls(), Texts()
    >>> page = Parser(urls, words).parse(b"<h1>Eyes</h1>R&D: <a href=b>8 eyes</a>, <br>no web", "http://a.example/")
    >>> print(render(page, urls, words).decode().partition("<body>")[2])
    <BLANKLINE>
     <h1>Eyes</h1>
    R&amp;D: 8 <a href="http://a.example/b">eyes</a> , no web
    </body>
    </html>
    <BLANKLINE>
    """
    description = int(page.area_start[1]) if page.area[0] == Area.META else 0
    body = description + _tokens_in(page.title.encode())
    return b"".join((_head(page, description, urls, words), *_body(page, body, urls, words)))


def _head(page: Page, description: int, urls: UrlTable, words: Table) -> bytes:
    # The parser cuts a long title, then leaves the space where it cut; one more character keeps it there.
    title = page.title + "." * (len(page.title) == MAX_TITLE)
    lines = ['<!DOCTYPE html>\n<html>\n<head>\n<meta charset="utf-8">', f"<title>{escape(title)}</title>"]
    if description:
        about = " ".join(words.spell(page.tokens[:description].tolist()))
        lines.append(f'<meta name="description" content="{escape(about)}">')
    robots = ["noindex"] * page.noindex + ["nofollow"] * page.nofollow
    if robots:
        lines.append(f'<meta name="robots" content="{", ".join(robots)}">')
    if page.canonical != NO_URL:
        lines.append(f'<link rel="canonical" href="{escape(urls[page.canonical])}">')
    if page.refresh != NO_URL:
        lines.append(f'<meta http-equiv="refresh" content="0; url={escape(urls[page.refresh])}">')
    lines.append("</head>\n<body>\n")
    return "\n".join(lines).encode()


class _Span(NamedTuple):
    """An element around the tokens from `start` up to `end`."""

    start: int
    end: int
    opening: bytes
    closing: bytes
    is_link: bool


class _Tag(NamedTuple):
    """Tags to be written before token `at`, and by how many elements they go deeper."""

    at: int
    text: bytes
    deeper: int


def _body(page: Page, body: int, urls: UrlTable, words: Table) -> Iterator[bytes]:
    """The parts of the body; its tokens are those of the page from number `body` on."""
    text = _Text(page.text.encode())
    if text.before[-1] != len(page.tokens) - body:  # no text, or another one: the words alone must do
        text = _Text.of_words(words.spell(page.tokens[body:].tolist()))
    tags = list(_tags(_spans(page, body, urls)))
    at = np.fromiter((tag.at for tag in tags), np.int64, len(tags)) - body
    # What holds no token may stand on either side of a tag; it stays outside.
    begins = np.searchsorted(text.before, at, "right") - 1
    ends = np.searchsorted(text.before, at, "left")
    start = depth = since_break = 0
    for tag, begin, end in zip(tags, begins.tolist(), ends.tolist(), strict=True):
        here = end if tag.deeper < 0 else begin
        if here > start:
            since_break += here - start
            yield text.html(start, here) if depth else text.paragraphs(start, here)
            start = here
        if since_break > _PARAGRAPH and not depth:
            yield _BREAK
            since_break = 0
        yield tag.text
        depth += tag.deeper
    yield text.paragraphs(start, len(text))
    yield b"\n</body>\n</html>\n"


class _Text:
    """The text of a body in pieces, which are what white space parts; `before[n]` tokens precede piece `n`.

    >>> text = _Text("R&D of 8 naïve eyes".encode())
    >>> len(text), text.before.tolist(), text.html(0, 3)
    (5, [0, 2, 3, 3, 4, 5], b'R&amp;D of 8')
    """

    def __init__(self, text: bytes, before: _Counts | None = None) -> None:
        self._text = text
        self._bytes = np.frombuffer(text, np.uint8)
        spaces = np.flatnonzero(self._bytes == _SPACE)
        self._begins = np.append(0, spaces + 1) if text else spaces
        self.before = self._count() if before is None else before

    @classmethod
    def of_words(cls, words: list[str]) -> _Text:
        """A text of which each piece is one token."""
        return cls(" ".join(words).encode(), np.arange(len(words) + 1))

    def __len__(self) -> int:
        return len(self._begins)

    def html(self, start: int, end: int) -> bytes:
        """The pieces from `start` up to `end`."""
        part = self._part(start, end) if start < end else b""
        return part.replace(b"&", b"&amp;").replace(b"<", b"&lt;").replace(b">", b"&gt;")

    def paragraphs(self, start: int, end: int) -> bytes:
        """The same, broken where it is long."""
        if end - start <= _PARAGRAPH:
            return self.html(start, end)
        parts = range(start, end, _PARAGRAPH)
        return _BREAK.join(self.html(part, min(part + _PARAGRAPH, end)) for part in parts)

    def _count(self) -> _Counts:
        """Runs of ASCII letters are counted all at once, pieces that hold other letters one by one."""
        letter = np.zeros(len(self._bytes) + 2, np.int8)
        letter[1:-1] = _LETTERS[self._bytes]
        change = np.diff(letter)
        runs, run_ends = np.flatnonzero(change > 0), np.flatnonzero(change < 0)
        runs = runs[run_ends - runs <= LONGEST]
        counts = np.diff(np.searchsorted(runs, self._begins), append=len(runs))
        foreign = np.flatnonzero(self._bytes >= 0x80)
        for piece in np.unique(np.searchsorted(self._begins, foreign, "right") - 1).tolist():
            counts[piece] = _tokens_in(self._part(piece, piece + 1))
        return np.append(0, np.cumsum(counts))

    def _part(self, start: int, end: int) -> bytes:
        stop = self._begins[end] - 1 if end < len(self) else len(self._text)
        return self._text[self._begins[start] : stop]


@lru_cache(maxsize=1 << 16)
def _tokens_in(piece: bytes) -> int:
    return sum(1 for _ in letter_runs(piece.decode("utf-8", "replace")))


def _spans(page: Page, body: int, urls: UrlTable) -> list[_Span]:
    """The links and headings of the body in the order in which they begin, outer ones first."""
    links = _link_spans(page, urls)
    headings = list(_heading_spans(page, body))
    if not headings:
        return links
    spans: list[_Span] = []
    at = 0
    for heading in headings:
        until = at
        for place in range(at, len(links)):
            if links[place].start > heading.start:
                break
            if links[place].start < heading.start or links[place].end > heading.end:
                until = place + 1
        spans += (*links[at:until], heading)
        at = until
    return spans + links[at:]


def _link_spans(page: Page, urls: UrlTable) -> list[_Span]:
    links = page.links
    first = 0 if page.refresh == NO_URL else 1  # the parser puts the refresh before all links
    targets = urls.spell(links.url[first:].tolist())
    starts, ends = links.start[first:].tolist(), links.end[first:].tolist()
    nofollow = links.nofollow[first:].tolist()
    return [
        _Span(start, end, f' <a href="{escape(url)}"{_NOFOLLOW if no else ""}>'.encode(), b"</a> ", True)
        for url, start, end, no in zip(targets, starts, ends, nofollow, strict=True)
    ]


def _heading_spans(page: Page, body: int) -> Iterator[_Span]:
    """The h1 elements that give the areas of the body again.

    A heading ends where the next area begins. Plain text after plain text is where an empty heading stood.
    """
    starts = [*page.area_start.tolist(), len(page.tokens)]
    areas = page.area.tolist()
    first = int(np.searchsorted(page.area_start, body))
    for at in range(first, len(areas)):
        if areas[at] == Area.HEADING:
            yield _Span(starts[at], starts[at + 1], b"\n<h1>", b"</h1>\n", False)
        elif at > first and areas[at - 1] != Area.HEADING:
            yield _Span(starts[at], starts[at], b"\n<h1>", b"</h1>\n", False)


def _tags(spans: list[_Span]) -> Iterator[_Tag]:
    """Opening and closing tags in the order of the document, properly nested."""
    still_open: list[_Span] = []
    links_open = 0
    for span in spans:
        while still_open and still_open[-1].end <= span.start:
            last = still_open.pop()
            links_open -= last.is_link
            yield _Tag(last.end, last.closing, -1)
        end = min(span.end, still_open[-1].end) if still_open else span.end
        opening, closing = span.opening, span.closing
        if links_open and span.is_link:
            opening, closing = b" <object>" + opening, closing + b"</object> "
        if end <= span.start:
            yield _Tag(span.start, opening + closing, 0)
        else:
            yield _Tag(span.start, opening, 1)
            still_open.append(span._replace(end=end, closing=closing))
            links_open += span.is_link
    for last in reversed(still_open):
        yield _Tag(last.end, last.closing, -1)
