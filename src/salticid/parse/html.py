"""An HTML document to a page: a term stream with link marks.

Marks stand in the text around every anchor and heading, and tell where in the stream of tokens each link stands.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import zstandard

from salticid.model import NO_URL, Area, Ints, Links, Page
from salticid.native import at, lib
from salticid.parse.decoding import to_utf8
from salticid.parse.document import HEADING, HEADING_END, Bools, DocumentReader, Head, HeadLink
from salticid.parse.feeds import FEED_TYPES
from salticid.parse.hrefs import Hrefs
from salticid.protocols import Interning
from salticid.text import MARKS, MarkedTokens, Tokenizer, code_of_tag
from salticid.urls import canonical

# The `link` elements of a document, taken for what they mean: itself, what comes next, translations, feeds.

MAX_FEEDS = 5
"""Feeds that a page may name, and translations into one language."""

_SERIES = ("next", "prev", "previous")


class HeadLinks:
    """What `link` elements with `rel` and `href` say; hrefs as they are written."""

    def __init__(self, links: list[HeadLink]) -> None:
        self.canonical = ""
        self.feeds: list[str] = []
        self._series: list[str] = []
        self._translations: dict[str, list[str]] = {}
        for href, rel, kind, tag in links:
            meanings = rel.lower().split()
            if "canonical" in meanings:
                self.canonical = self.canonical or href
            elif "alternate" in meanings and "stylesheet" not in meanings:
                self._add_alternate(href, kind, tag)
            elif not set(meanings).isdisjoint(_SERIES):
                self._series.append(href)

    def to_follow(self, lang: str, language: str | None) -> list[str]:
        """Where a reader goes on: to the next part and the one before; to the same in the `language` that is asked
        for, unless the document says with `lang` that it is in that.
        """
        same = self._translations.get(language or "", [])
        if same and code_of_tag(lang) == language:
            same = []
        return self._series[: len(_SERIES)] + same

    def _add_alternate(self, href: str, kind: str, tag: str) -> None:
        if kind.partition(";")[0].strip().lower() in FEED_TYPES:
            self.feeds += [href][: MAX_FEEDS - len(self.feeds)]
        elif code := code_of_tag(tag):
            same = self._translations.setdefault(code, [])
            same += [href][: MAX_FEEDS - len(same)]


# Where links and headings stand between the tokens of a page, as the marks tell.

_LINK, _LINK_END, _HEADING, _ = map(ord, MARKS)


class MarkSpans(NamedTuple):
    """Of each link the `start` and the `end`, none of any where a text breaks off within one; and the runs of equal
    area: META up to the title, HEADING within title and h1, REST.
    """

    start: Ints
    end: Ints
    area_start: Ints
    area: npt.NDArray[np.uint8]


def mark_spans(stream: MarkedTokens) -> MarkSpans:
    """Marks nest as brackets do: HTML may hold an anchor within another."""
    return _with_lists(stream) if lib is None else _compiled(stream)


def _compiled(stream: MarkedTokens) -> MarkSpans:
    many = len(stream.mark)
    start, end, outer, area_start = np.empty((4, many + 1), np.int32)
    area, counts = np.empty(many + 1, np.uint8), np.empty(2, np.int32)
    lib.mark_spans(
        at(stream.mark),
        at(stream.at),
        many,
        at(start),
        at(end),
        at(outer),
        at(area_start),
        at(area),
        at(counts),
    )
    links, areas = counts.tolist()
    links = max(links, 0)
    return MarkSpans(start[:links].copy(), end[:links].copy(), area_start[:areas].copy(), area[:areas].copy())


def _with_lists(stream: MarkedTokens) -> MarkSpans:
    start: list[int] = []
    end: list[int] = []
    still_open: list[int] = []
    starts, areas = [0], [Area.META]
    for mark, place in zip(stream.mark.tolist(), stream.at.tolist(), strict=True):
        if mark == _LINK:
            still_open.append(len(end))
            start.append(place)
            end.append(place)
        elif mark == _LINK_END:
            end[still_open.pop()] = place
        else:
            if starts[-1] == place:
                starts.pop(), areas.pop()
            starts.append(place)
            areas.append(Area.HEADING if mark == _HEADING else Area.REST)
    if still_open:
        start, end = [], []
    return MarkSpans(
        np.array(start, np.int32),
        np.array(end, np.int32),
        np.array(starts, np.int32),
        np.array(areas, np.uint8),
    )


# Texts of more different words than people use are read up to a point: what a table has met it keeps for good.

MAX_WORDS = 50_000
"""After so many different words a page is read no further; Ulysses has 30,000."""
_AT_ONCE = 10_000  # characters, so that the last piece brings few more


def bounded_tokens(marked: bytes, tokenizer: Tokenizer) -> MarkedTokens:
    """What the tokenizer makes of a text in UTF-8, or of its beginning with `MAX_WORDS` different words and few more.

    Where it ends depends on nothing but the text.
    """
    if len(marked) <= MAX_WORDS or len(text := marked.decode()) <= MAX_WORDS:  # a word has a letter, at least
        return tokenizer.tokens_and_marks(marked)
    parts: list[MarkedTokens] = []
    words: set[int] = set()
    size = counted = 0
    for piece in _pieces(text):
        parts.append(tokenizer.tokens_and_marks(piece.encode()))
        size += len(parts[-1].tokens)
        if size >= MAX_WORDS:  # before that, they cannot be so many different ones
            words.update(*(part.tokens.tolist() for part in parts[counted:]))
            counted = len(parts)
        if len(words) >= MAX_WORDS:
            break
    before = np.cumsum([0, *(len(each.tokens) for each in parts)], dtype=np.int32)
    return MarkedTokens(
        tokens=np.concatenate([each.tokens for each in parts]),
        mark=np.concatenate([each.mark for each in parts]),
        at=np.concatenate([each.at + start for each, start in zip(parts, before, strict=False)]),
    )


def _pieces(text: str) -> Iterator[str]:
    """The text in pieces that end at a space, if there is one."""
    begin = 0
    while begin < len(text):
        end = begin + _AT_ONCE
        if end < len(text):
            space = text.rfind(" ", begin, end)
            end = end if space <= begin else space
        yield text[begin:end]
        begin = end


# What a page asks of crawlers: its robots tags, and the X-Robots-Tag fields that came with it.

AGENT = "salticid"
"""The name by which tags know us, unless a crawl goes by another."""
_DIRECTIVE = re.compile(r"(?<![\w:-])(?<!:\s)(?:noindex|nofollow|noarchive|nocache|noai|noimageai|none)(?![\w-])")
_MEANINGS = {"none": ("noindex", "nofollow"), "nocache": ("noarchive",), "noimageai": ("noai",)}
_WITH_NAME = re.compile(r"\s*(\*|[a-z_-][\w.-]*)(?:/[^\s:]*)?\s*:(.*)", re.DOTALL)
_EVERYBODY = ("*", "robots")
_NO_NAMES = ("unavailable_after", "max-snippet", "max-image-preview", "max-video-preview")
"""What stands before a colon and is no crawler's name."""


def directives(robots: str) -> frozenset[str]:
    """What a robots tag forbids: of noindex, nofollow, noarchive and noai, those it says, by whatever name.

    >>> sorted(directives("NOFOLLOW, max-image-preview: none")), sorted(directives("none"))
    (['nofollow'], ['nofollow', 'noindex'])
    >>> sorted(directives("index, nocache"))
    ['noarchive']
    """
    names = _DIRECTIVE.findall(robots.lower())
    return frozenset(meaning for name in names for meaning in _MEANINGS.get(name, (name,)))


def directives_for(agent: str, fields: str) -> frozenset[str]:
    """What X-Robots-Tag fields, a line each, forbid an agent. A name holds to the next one, or to the field's end.

    >>> sorted(directives_for("Salticid", "otherbot: noindex, nofollow\\nnofollow"))
    ['nofollow']
    >>> sorted(directives_for("Salticid", "unavailable_after: 1 Jan 2030 10:00 GMT, otherbot: none, salticid: noindex"))
    ['noindex']
    """
    everybody_and_us = (*_EVERYBODY, agent.lower())
    texts: list[str] = []
    for field in fields.lower().split("\n"):
        ours = True
        for part in field.split(","):
            match = _WITH_NAME.match(part)
            if match is None or match[1] in _NO_NAMES:
                text = part
            else:
                ours, text = match[1] in everybody_and_us, match[2]
            if ours:
                texts.append(text)
    return directives(",".join(texts))


MAX_TITLE = 500

_MARK_BYTES = "".join(MARKS).encode()
_BLANKS = _MARK_BYTES + b"\t\n\r\x0b\x0c"
_TO_SPACES = bytes.maketrans(_BLANKS, b" " * len(_BLANKS))
_MARK_REFERENCES = re.compile(rb"&#(?:0*[1-4](?![0-9])|[xX]0*[1-4](?![0-9a-fA-F]));?")
_REFRESH = re.compile(r"^[\s\d.]*+(?:[;,]\s*+)?+(?:url\s*+=\s*+)?+[\"']?+\s*+([^\"'>]+)", re.IGNORECASE)


class Parser:
    """Parses the pages of one web; its tables give the ids. `agent` is whom robots tags may call by name.

    >>> from salticid.tables import Texts, Urls
    >>> urls, words = Urls(), Texts()
    >>> page = Parser(urls, words).parse(b"<title>Eyes</title><p>See <a href=b#x>jumping spiders</a>.", "http://a.example/")
    >>> [words[w] for w in page.tokens], [words[w] for w in page.anchor(0)], urls[page.links.url[0]]
    (['eyes', 'see', 'jumping', 'spiders'], ['jumping', 'spiders'], 'http://a.example/b')
    >>> page.title, page.text
    ('Eyes', 'See jumping spiders .')
    """

    def __init__(self, urls: Interning, words: Interning, agent: str = AGENT) -> None:
        self._urls = urls
        self._names = ("robots", agent.lower())
        self._documents = DocumentReader()
        self._hrefs = Hrefs(urls)
        self._tokenizer = Tokenizer(words)
        self._zstd = zstandard.ZstdCompressor(level=1)

    def parse(self, html: bytes, url: str, charset: str | None = None, language: str | None = None) -> Page:
        """The page found at canonical `url`; `charset` is what the server's header said, if anything.

        Its own translation into the `language` that is asked for is among its links. Any bytes make a page, if an
        empty one; nothing is raised for what they hold.
        """
        document = self._documents.read(_without_marks(to_utf8(html, charset)))
        head = _Meaning(document.head, self._names)
        base = (document.head.base and canonical(document.head.base, url)) or url
        urls = self._hrefs.resolve(document.hrefs, base)
        leads = urls != NO_URL
        body = document.marked_text(leads)
        title = f"{head.description}{HEADING}{head.title}{HEADING_END}"
        stream = bounded_tokens(title.encode() + body, self._tokenizer)
        spans = mark_spans(stream)
        refresh = self._hrefs.one(head.refresh, base) if head.refresh else NO_URL
        in_head = [self._hrefs.one(href, base) for href in head.links.to_follow(document.head.lang, language)]
        return Page(
            url=self._urls.intern(url),
            title=head.title,
            tokens=stream.tokens,
            area_start=spans.area_start,
            area=spans.area,
            links=_with_head(_links(spans, urls[leads], document.nofollow[leads]), refresh, in_head),
            packed_text=self._zstd.compress(_single_spaced(body)),
            canonical=self._hrefs.one(head.links.canonical, base) if head.links.canonical else NO_URL,
            refresh=refresh,
            noindex="noindex" in head.forbidden,
            nofollow="nofollow" in head.forbidden,
            feeds=tuple(feed for href in head.links.feeds if (feed := canonical(href, base))),
        )


class _Meaning:
    """What the head of a document means; empty where it says nothing. Robots tags know us by these `names`."""

    def __init__(self, head: Head, names: tuple[str, ...]) -> None:
        self.title = " ".join(head.title.split())[:MAX_TITLE]
        self.links = HeadLinks(head.links)
        self.refresh = ""
        self.forbidden: frozenset[str] = frozenset()
        descriptions: list[str] = []
        for called, content in head.metas:
            name = called.lower()
            if name in ("description", "keywords"):
                descriptions.append(content)
            elif name in names:
                self.forbidden |= directives(content)
            elif name == "refresh" and (target := _REFRESH.match(content)):
                self.refresh = target[1].strip()
        self.description = " ".join(descriptions)


def _without_marks(html: bytes) -> bytes:
    """The document with nothing in it that would read as a mark of ours."""
    if lib is not None and not lib.holds_marks(at(html), len(html), len(MARKS)):
        return html
    if any(mark in html for mark in _MARK_BYTES):
        html = html.translate(None, _MARK_BYTES)
    return _MARK_REFERENCES.sub(b" ", html) if b"&#" in html else html


def _single_spaced(text: bytes) -> bytes:
    """A text with one space wherever there are blanks or marks, and none at its ends."""
    if lib is not None:
        room = np.empty(len(text), np.uint8)
        return room[: lib.single_spaced(at(text), len(text), len(MARKS), at(room))].tobytes()
    data = np.frombuffer(text.translate(_TO_SPACES), np.uint8)
    stays = data != ord(" ")
    stays[1:] |= stays[:-1].copy()
    single: bytes = data[stays].tobytes()
    return single.strip()


def _links(spans: MarkSpans, urls: Ints, nofollow: Bools) -> Links:
    """The links as columns."""
    start, end = spans.start, spans.end
    if len(start) != len(urls):  # the text leaves out what the tree holds
        start = end = np.zeros(len(urls), np.int32)
    return Links(urls, start, end, nofollow)


def _with_head(links: Links, refresh: int, in_head: list[int]) -> Links:
    """A meta refresh leads on like a link, before all others; what the head names, where the text does not."""
    others = dict.fromkeys(url for url in in_head if url not in (NO_URL, refresh))
    known = set(links.url.tolist()) if others else set()
    news = [refresh] * (refresh != NO_URL) + [url for url in others if url not in known]
    if not news:
        return links
    bare = Links.to(news)
    return Links(
        np.append(bare.url, links.url),
        np.append(bare.start, links.start),
        np.append(bare.end, links.end),
        np.append(bare.nofollow, links.nofollow),
    )
