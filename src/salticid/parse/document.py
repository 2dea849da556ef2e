"""What is looked at of an HTML document: what its head says, where its links lead, and its text with marks in it."""

from __future__ import annotations

import ctypes
import warnings
from dataclasses import dataclass, field
from functools import cache
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from selectolax import lexbor
from selectolax.lexbor import LexborHTMLParser, LexborNode

from salticid.native import at, lib
from salticid.text import MARKS

Bools = npt.NDArray[np.bool_]

MAX_LINKS = 20_000
"""A page with more is no page for people; the rest of its links is left out."""

LINK, LINK_END, HEADING, HEADING_END = (f" {mark} " for mark in MARKS)

_UNREAD = ["script", "style", "noframes", "noembed", "svg"]
_LOOKED_FOR = (
    "title, base[href], link[rel][href], meta[content], a[href], area[href], frame[src], iframe, h1, a[href] img[alt]"
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
        self.nofollow = np.array(["nofollow" in (each.get("rel") or "").lower() for each in attributes], np.bool_)

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


# Documents read by a compiled loop, which has lexbor's own functions build the tree and walks it once.
#
# What it leaves to its twin, `Document`, is rare: frames, formulas, more links than a page for people has.

_FUNCTIONS = (
    "lxb_html_document_create",
    "lxb_html_document_destroy",
    "lxb_html_document_parse",
    "lxb_html_document_body_element_noi",
    "lxb_dom_document_root",
    "lxb_html_document_create_element_noi",
    "lxb_dom_node_type_noi",
    "lxb_dom_node_tag_id_noi",
    "lxb_dom_node_parent_noi",
    "lxb_dom_node_first_child_noi",
    "lxb_dom_node_next_noi",
    "lxb_dom_node_text_content",
    "lxb_dom_element_first_attribute_noi",
    "lxb_dom_element_next_attribute_noi",
    "lxb_dom_attr_qualified_name",
    "lxb_dom_attr_value_noi",
)
_TAGS = 512
_ROOM = 1 << 18
"""Bytes of text, of hrefs and of the head that are usually enough; a longer document is given as many as it has."""

_SAMPLE = (
    b"<html lang=en><title>T</title><base href=/x><meta name=a content=b><link rel=c href=d type=e><p>See "
    b"<a href=f rel=nofollow>all <img alt=g></a><h1>eight</h1><script>no</script><iframe src=h></iframe>eyes"
)
"""A document with everything that the loop looks at."""

Bytes = npt.NDArray[np.uint8]
Lexbor = tuple[npt.NDArray[np.uint64], Bytes]
"""The addresses of lexbor's functions, and what its tags are to the loop."""


class DocumentReader:
    """Reads one document after the other, each of which is done with when the next is read.

    >>> html = b"<title>Eyes</title><p>See <a href=b>all</a> <a href=c rel=nofollow>eight</a>"
    >>> document = DocumentReader().read(html)
    >>> document.hrefs, document.nofollow.tolist(), document.head.title, document.marked_text(document.nofollow)
    (b'b\\x00c\\x00', [False, True], 'Eyes', b'See  all    \\x01  eight  \\x02 ')
    """

    def __init__(self) -> None:
        self._rooms = _rooms(_ROOM)
        self._marks, self._nodes = np.empty((MAX_LINKS, 3), np.int32), np.empty(MAX_LINKS, np.uint64)
        self._nofollow = np.empty(MAX_LINKS, np.bool_)

    def read(self, html: bytes) -> Document | WrittenDocument:
        """What a document in UTF-8 holds."""
        return self._compiled(html) or Document(html)

    def _compiled(self, html: bytes) -> WrittenDocument | None:
        lexbor = None if lib is None else _lexbor()
        return None if lexbor is None else self._read_with(lexbor, html)

    def _read_with(self, lexbor: Lexbor, html: bytes) -> WrittenDocument | None:
        functions, kinds = lexbor
        text, hrefs, head = rooms = self._rooms if len(html) <= _ROOM else _rooms(len(html))
        sizes = np.array([*map(len, rooms), MAX_LINKS], np.int64)
        if not lib.read_document(
            at(functions), at(kinds), at(html), len(html), at(text), at(hrefs), at(head),
            at(self._marks), at(self._nodes), at(self._nofollow), at(sizes),
        ):  # fmt: skip
            return None
        size, href_size, head_size, links = sizes.tolist()
        return WrittenDocument(
            text[:size],
            self._marks[:links, :2],
            hrefs[:href_size].tobytes(),
            self._nofollow[:links],
            _head(_fields(head[:head_size])),
        )


class WrittenDocument:
    """A document as the compiled loop has written it down, with the places of the two marks of every link."""

    def __init__(self, text: Bytes, marks: npt.NDArray[np.int32], hrefs: bytes, nofollow: Bools, head: Head) -> None:
        self._text, self._marks = text, marks
        self.hrefs, self.nofollow, self.head = hrefs, nofollow, head

    def marked_text(self, leads: Bools) -> bytes:
        """As `Document.marked_text`."""
        size = len(self._text)
        if not leads.all():
            gone = np.sort(self._marks[~leads], axis=None)
            size = lib.drop_marks(at(self._text), size, at(gone), len(gone))
        return self._text[:size].tobytes()


def _rooms(size: int) -> tuple[Bytes, Bytes, Bytes]:
    return np.empty(size, np.uint8), np.empty(size, np.uint8), np.empty(size, np.uint8)


def _fields(written: Bytes) -> list[str]:
    """Fields with a NUL behind each."""
    return written.tobytes().decode().split("\0")[:-1]


def _head(fields: list[str]) -> Head:
    head, following = Head(), iter(fields)
    for kind in following:
        match kind:
            case "meta":
                head.metas.append((next(following), next(following)))
            case "link":
                head.links.append(HeadLink(*(next(following) for _ in HeadLink._fields)))
            case _:  # base, lang, title
                setattr(head, kind, next(following))
    return head


@cache
def _lexbor() -> Lexbor | None:
    """The lexbor that is loaded; None, with a warning, if its functions do not do what the loop expects of them."""
    found = _find_lexbor()
    if found is None or not _reads_sample(found):
        warnings.warn(f"salticid parses more slowly: it does not know the lexbor of {lexbor.__file__}", stacklevel=2)
        return None
    return found


def _reads_sample(found: Lexbor) -> bool:
    """Whether the loop and its twin read the same in a sample."""
    written, twin = DocumentReader()._read_with(found, _SAMPLE), Document(_SAMPLE)
    if written is None or (written.hrefs, written.head) != (twin.hrefs, twin.head):
        return False
    leads = np.ones(len(twin.nofollow), np.bool_)
    same_links = written.nofollow.tolist() == twin.nofollow.tolist()
    return same_links and written.marked_text(leads) == twin.marked_text(leads)


def _find_lexbor() -> Lexbor | None:
    if lib.functions_of_lexbor() != len(_FUNCTIONS):
        return None
    try:
        library = ctypes.CDLL(lexbor.__file__)
        places = [ctypes.cast(getattr(library, name), ctypes.c_void_p).value or 0 for name in _FUNCTIONS]
    except (OSError, AttributeError):
        return None
    functions, kinds = np.array(places, np.uint64), np.empty(_TAGS, np.uint8)
    return (functions, kinds) if lib.tag_kinds(at(functions), at(kinds), _TAGS) else None
