"""What is looked at of an HTML document: what its head says, where its links lead, and its text with marks in it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from selectolax.lexbor import LexborHTMLParser, LexborNode

from salticid.text.tokens import MARKS

Bools = npt.NDArray[np.bool_]

MAX_LINKS = 20_000
"""A page with more is no page for people; the rest of its links is left out."""

LINK, LINK_END, HEADING, HEADING_END = (f" {mark} " for mark in MARKS)

_UNREAD = ["script", "style", "noframes", "noembed", "svg"]
_LOOKED_FOR = (
    "title, base[href], link[rel][href], meta[content], "
    "a[href], area[href], frame[src], iframe, h1, a[href] img[alt]"
)


class HeadLink(NamedTuple):
    """A `link` element that has `href` and `rel`; empty where it says nothing."""

    href: str
    rel: str
    type: str
    hreflang: str


@dataclass(slots=True)
class Head:
    """What a document says about itself, as it is written there; empty where it says nothing."""

    title: str = ""
    base: str = ""
    lang: str = ""
    metas: list[tuple[str, str]] = field(default_factory=list)
    """Of each `meta` with `content` its name and the content."""
    links: list[HeadLink] = field(default_factory=list)


class Document:
    """A document as lexbor builds it from UTF-8: the `hrefs` of its links in reading order, with a NUL behind each, and
    which of them say `nofollow`.
    """

    def __init__(self, html: bytes) -> None:
        tree = LexborHTMLParser(html)
        tree.strip_tags(_UNREAD)
        self._nodes = _Nodes(tree)
        self._body = tree.body or tree.css_first("frameset")
        self.head = self._nodes.head(tree)
        self._links = [] if self._body is None else self._nodes.links[:MAX_LINKS]
        attributes = [node.attributes for node in self._links]
        hrefs = (each.get("href") or each.get("src") or "" for each in attributes)
        self.hrefs = "".join(f"{href}\0" for href in hrefs).encode()
        self.nofollow = np.array(
            ["nofollow" in (each.get("rel") or "").lower() for each in attributes], np.bool_
        )

    def marked_text(self, leads: Bools) -> bytes:
        """The text of the body in UTF-8 with marks around headings and around those links that lead somewhere."""
        if self._body is None:
            return b""
        for node, somewhere in zip(self._links, leads.tolist(), strict=True):
            if somewhere:
                node.insert_before(LINK)
                node.insert_after(LINK_END)
        for image in self._nodes.images:
            image.insert_after(f" {image.attributes['alt'] or ''} ")
        if self._nodes.frames:
            self._body.strip_tags(["iframe"])
        for heading in self._nodes.headings:
            heading.insert_before(HEADING)
            heading.insert_after(HEADING_END)
        return self._body.text(separator=" ").encode()


class _Nodes:
    """What of a document is looked at, found in one walk; `links` are all that lead somewhere, in reading order."""

    def __init__(self, tree: LexborHTMLParser) -> None:
        self._titles: list[LexborNode] = []
        self._bases: list[LexborNode] = []
        self._head_links: list[LexborNode] = []
        self._metas: list[LexborNode] = []
        self.headings: list[LexborNode] = []
        self.images: list[LexborNode] = []
        self.frames: list[LexborNode] = []
        self.links: list[LexborNode] = []
        others = {
            "title": self._titles, "base": self._bases, "link": self._head_links, "meta": self._metas,
            "h1": self.headings, "img": self.images, "iframe": self.frames,
        }  # fmt: skip
        for node in tree.css(_LOOKED_FOR):
            tag = node.tag or ""
            others.get(tag, self.links).append(node)
            if tag == "iframe" and "src" in node.attributes:
                self.links.append(node)

    def head(self, tree: LexborHTMLParser) -> Head:
        in_head = [title for title in self._titles if title.parent is not None and title.parent.tag == "head"]
        titles = in_head or self._titles
        html = tree.css_first("html[lang]")
        return Head(
            title=titles[0].text() if titles else "",
            base=(self._bases[0].attributes["href"] or "") if self._bases else "",
            lang=(html.attributes["lang"] or "") if html is not None else "",
            metas=[_meta(node.attributes) for node in self._metas],
            links=[_head_link(node.attributes) for node in self._head_links],
        )


def _meta(attributes: dict[str, str | None]) -> tuple[str, str]:
    return attributes.get("name") or attributes.get("http-equiv") or "", attributes["content"] or ""


def _head_link(attributes: dict[str, str | None]) -> HeadLink:
    href, rel, kind, tag = (attributes.get(name) or "" for name in ("href", "rel", "type", "hreflang"))
    return HeadLink(href, rel, kind, tag)
