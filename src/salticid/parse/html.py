"""An HTML document to a page: a term stream with link marks.

Marks are put into the tree around every anchor and heading, the text is taken out in one call, and
the marks tell where in the stream of tokens each link stands.
"""

from __future__ import annotations

import re

import numpy as np
import numpy.typing as npt
import zstandard
from selectolax.lexbor import LexborHTMLParser, LexborNode

from salticid.model import NO_URL, Area, Ints, Links, Page
from salticid.parse.charset import decode
from salticid.parse.head_links import HeadLinks
from salticid.parse.hrefs import Hrefs
from salticid.parse.robots_tags import AGENT, directives
from salticid.parse.word_bound import bounded_tokens
from salticid.protocols import Interning
from salticid.text.tokens import MARKS, MarkedTokens, Tokenizer
from salticid.urls import canonical

MAX_LINKS = 20_000
"""A page with more is no page for people; the rest of its links is left out."""
MAX_TITLE = 500

_LINK, _LINK_END, _HEADING, _HEADING_END = (f" {mark} " for mark in MARKS)
_AREA_MARKS = ord(MARKS[2])
_MARK_BYTES = "".join(MARKS).encode()
_BLANKS = _MARK_BYTES + b"\t\n\r\x0b\x0c"
_TO_SPACES = bytes.maketrans(_BLANKS, b" " * len(_BLANKS))
_MARK_REFERENCES = re.compile(rb"&#(?:0*[1-4](?![0-9])|[xX]0*[1-4](?![0-9a-fA-F]));?")
_UNREAD = ["script", "style", "noframes", "noembed", "svg"]
_LOOKED_FOR = (
    "title, base[href], link[rel][href], meta[content], "
    "a[href], area[href], frame[src], iframe, h1, a[href] img[alt]"
)
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
        self._hrefs = Hrefs(urls)
        self._tokenizer = Tokenizer(words)
        self._zstd = zstandard.ZstdCompressor(level=1)

    def parse(self, html: bytes, url: str, charset: str | None = None, language: str | None = None) -> Page:
        """The page found at canonical `url`; `charset` is what the server's header said, if anything.

        Its own translation into the `language` that is asked for is among its links. Any bytes make a page, if an
        empty one; nothing is raised for what they hold.
        """
        tree = LexborHTMLParser(_without_marks(decode(html, charset)))
        tree.strip_tags(_UNREAD)
        nodes = _Nodes(tree)
        head = _Head(nodes, self._names)
        base = (head.base and canonical(head.base, url)) or url
        urls, nofollow, body = self._mark(tree.body or tree.css_first("frameset"), nodes, base)
        text = f"{head.description}{_HEADING}{head.title}{_HEADING_END}{body}"
        stream = bounded_tokens(text, self._tokenizer)
        area_start, area = _areas(stream)
        refresh = self._hrefs.one(head.refresh, base) if head.refresh else NO_URL
        in_head = [self._hrefs.one(href, base) for href in head.links.to_follow(tree, language)]
        return Page(
            url=self._urls.intern(url),
            title=head.title,
            tokens=stream.tokens,
            area_start=area_start,
            area=area,
            links=_with_head(_links(stream, urls, nofollow), refresh, in_head),
            packed_text=self._zstd.compress(_single_spaced(body.encode())),
            canonical=self._hrefs.one(head.links.canonical, base) if head.links.canonical else NO_URL,
            refresh=refresh,
            noindex="noindex" in head.forbidden,
            nofollow="nofollow" in head.forbidden,
            feeds=tuple(feed for href in head.links.feeds if (feed := canonical(href, base))),
        )

    def _mark(self, body: LexborNode | None, nodes: _Nodes, base: str) -> tuple[list[int], list[bool], str]:
        """The URLs of the links, which of them say nofollow, and the text with all marks in it."""
        if body is None:
            return [], [], ""
        urls, nofollow = self._mark_links(nodes.links[:MAX_LINKS], base)
        for image in nodes.images:
            image.insert_after(f" {image.attributes['alt'] or ''} ")
        if nodes.frames:
            body.strip_tags(["iframe"])
        for heading in nodes.headings:
            heading.insert_before(_HEADING)
            heading.insert_after(_HEADING_END)
        return urls, nofollow, body.text(separator=" ")

    def _mark_links(self, links: list[LexborNode], base: str) -> tuple[list[int], list[bool]]:
        """Put marks around all links that lead to a page; their URLs and nofollow, in reading order."""
        nodes: list[LexborNode] = []
        hrefs: list[str] = []
        follow_not: list[bool] = []
        for node in links:
            attributes = node.attributes
            href = attributes.get("href") or attributes.get("src") or ""
            if not href.lstrip().startswith("#"):
                nodes.append(node)
                hrefs.append(href)
                follow_not.append("nofollow" in (attributes.get("rel") or "").lower())
        urls: list[int] = []
        nofollow: list[bool] = []
        for node, url, no in zip(nodes, self._hrefs.resolve(hrefs, base), follow_not, strict=True):
            if url != NO_URL:
                urls.append(url)
                nofollow.append(no)
                node.insert_before(_LINK)
                node.insert_after(_LINK_END)
        return urls, nofollow


class _Nodes:
    """What of a document is looked at, found in one walk; `links` are all that lead somewhere, in reading order."""

    def __init__(self, tree: LexborHTMLParser) -> None:
        self.title: list[LexborNode] = []
        self.base: list[LexborNode] = []
        self.head_links: list[LexborNode] = []
        self.meta: list[LexborNode] = []
        self.headings: list[LexborNode] = []
        self.images: list[LexborNode] = []
        self.frames: list[LexborNode] = []
        self.links: list[LexborNode] = []
        others = {
            "title": self.title, "base": self.base, "link": self.head_links, "meta": self.meta,
            "h1": self.headings, "img": self.images, "iframe": self.frames,
        }  # fmt: skip
        for node in tree.css(_LOOKED_FOR):
            tag = node.tag or ""
            others.get(tag, self.links).append(node)
            if tag == "iframe" and "src" in node.attributes:
                self.links.append(node)


class _Head:
    """What the head of a document says, as text; empty where it says nothing. Robots tags know us by these `names`."""

    def __init__(self, nodes: _Nodes, names: tuple[str, ...]) -> None:
        titles = [title for title in nodes.title if title.parent is not None and title.parent.tag == "head"]
        titles = titles or nodes.title
        self.title = " ".join(titles[0].text().split())[:MAX_TITLE] if titles else ""
        self.base = (nodes.base[0].attributes["href"] or "") if nodes.base else ""
        self.links = HeadLinks(nodes.head_links)
        self.refresh = ""
        self.forbidden: frozenset[str] = frozenset()
        descriptions: list[str] = []
        for meta in nodes.meta:
            name = (meta.attributes.get("name") or meta.attributes.get("http-equiv") or "").lower()
            content = meta.attributes["content"] or ""
            if name in ("description", "keywords"):
                descriptions.append(content)
            elif name in names:
                self.forbidden |= directives(content)
            elif name == "refresh" and (target := _REFRESH.match(content)):
                self.refresh = target[1].strip()
        self.description = " ".join(descriptions)


def _without_marks(text: str) -> bytes:
    """The document with nothing in it that would read as a mark of ours."""
    html = text.encode("utf-8", "replace")
    if any(mark in html for mark in _MARK_BYTES):
        html = html.translate(None, _MARK_BYTES)
    return _MARK_REFERENCES.sub(b" ", html) if b"&#" in html else html


def _single_spaced(text: bytes) -> bytes:
    """A text with one space wherever there are blanks or marks, and none at its ends."""
    data = np.frombuffer(text.translate(_TO_SPACES), np.uint8)
    stays = data != ord(" ")
    stays[1:] |= stays[:-1].copy()
    single: bytes = data[stays].tobytes()
    return single.strip()


def _areas(stream: MarkedTokens) -> tuple[Ints, npt.NDArray[np.uint8]]:
    """The runs of equal area: META up to the title, HEADING within title and h1, REST."""
    starts, areas = [0], [Area.META]
    ours = stream.mark >= _AREA_MARKS
    for mark, at in zip(stream.mark[ours].tolist(), stream.at[ours].tolist(), strict=True):
        if starts[-1] == at:
            starts.pop(), areas.pop()
        starts.append(at)
        areas.append(Area.HEADING if mark == _AREA_MARKS else Area.REST)
    return np.array(starts, np.int32), np.array(areas, np.uint8)


def _links(stream: MarkedTokens, urls: list[int], nofollow: list[bool]) -> Links:
    """The links as columns. Marks nest as brackets do: HTML may hold an anchor within another."""
    start = stream.at[stream.mark == ord(MARKS[0])]
    end = stream.at[stream.mark == ord(MARKS[1])]
    if not len(start) == len(end) == len(urls):  # the text leaves out what the tree holds
        start = end = np.zeros(len(urls), np.int32)
    ours = stream.mark[stream.mark < _AREA_MARKS]
    if len(ours) == 2 * len(urls) and np.any(ours[::2] != ord(MARKS[0])):
        end = _anchor_ends(stream)
    return Links(np.array(urls, np.int32), start, end, np.array(nofollow, np.bool_))


def _anchor_ends(stream: MarkedTokens) -> Ints:
    """Where each anchor ends, in the order the anchors begin."""
    ends: list[int] = []
    still_open: list[int] = []
    for mark, at in zip(stream.mark.tolist(), stream.at.tolist(), strict=True):
        if mark == ord(MARKS[0]):
            still_open.append(len(ends))
            ends.append(at)
        elif mark == ord(MARKS[1]):
            ends[still_open.pop()] = at
    return np.array(ends, np.int32)


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
