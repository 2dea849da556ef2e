"""An HTML document to a page: a term stream with link marks.

Marks stand in the text around every anchor and heading, and tell where in the stream of tokens each link stands.
"""

from __future__ import annotations

import re

import numpy as np
import zstandard

from salticid.model import NO_URL, Ints, Links, Page
from salticid.native import at, lib
from salticid.parse.charset import to_utf8
from salticid.parse.document import HEADING, HEADING_END, Bools, Head
from salticid.parse.document_reader import DocumentReader
from salticid.parse.head_links import HeadLinks
from salticid.parse.hrefs import Hrefs
from salticid.parse.mark_spans import MarkSpans, mark_spans
from salticid.parse.robots_tags import AGENT, directives
from salticid.parse.word_bound import bounded_tokens
from salticid.protocols import Interning
from salticid.text.tokens import MARKS, Tokenizer
from salticid.urls import canonical

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
