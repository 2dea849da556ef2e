"""Documents read by a compiled loop, which has lexbor's own functions build the tree and walks it once.

What it leaves to its twin, `Document`, is rare: frames, formulas, more links than a page for people has.
"""

from __future__ import annotations

import ctypes
import warnings
from functools import cache

import numpy as np
import numpy.typing as npt
from selectolax import lexbor

from salticid.native import at, lib
from salticid.parse.document import MAX_LINKS, Bools, Document, Head, HeadLink

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

    def __init__(
        self, text: Bytes, marks: npt.NDArray[np.int32], hrefs: bytes, nofollow: Bools, head: Head
    ) -> None:
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
        warnings.warn(
            f"salticid parses more slowly: it does not know the lexbor of {lexbor.__file__}", stacklevel=2
        )
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
