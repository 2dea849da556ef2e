"""What an answer says to people and asks of them: its main text, the parts of that, and its wishes."""

from __future__ import annotations

from collections.abc import Collection

import msgspec
from selectolax.lexbor import LexborHTMLParser

from salticid.parse.blocks import Block
from salticid.parse.charset import decode
from salticid.parse.content import Content, content
from salticid.parse.document_language import document_language, stated_language
from salticid.parse.main_text import main_text, whole_text, without_edges
from salticid.parse.markdown import blocks_of
from salticid.parse.prescan import prescan
from salticid.parse.wishes import Wishes, wishes_of

MAX_HTML = 8 << 20
"""Bytes of a page that are read."""
_LISTS = {"x-robots-tag": "\n"}
"""Fields of which all count, and what is put between them."""


class Reading(msgspec.Struct, frozen=True):
    """A page as it is read from its answer; `text` is None where it has none, `blocks` are there if asked for.

    `language` is that of the text, None where that is not sure.
    """

    text: str | None
    wishes: Wishes
    blocks: list[Block] = []
    language: str | None = None


def read_answer(
    response: bytes, url: str, with_blocks: bool, repeated: Collection[str] = ()
) -> Reading | None:
    """The page of an HTTP response as it came over the wire from `url`, head and codings included.

    Lines that its site has `repeated` are left out of the edges of its main text.
    None where there is neither HTML nor a PDF, or something no parser should see.

    >>> head = b"HTTP/1.1 200 OK\\r\\nContent-Type: text/html\\r\\n\\r\\n"
    >>> reading = read_answer(head + b"<h1>Eyes</h1><p>Four of them look ahead.", "http://a.example/", True)
    >>> reading.text, [block.markdown for block in reading.blocks]
    ('Eyes\\n\\nFour of them look ahead.', ['# Eyes', 'Four of them look ahead.'])
    >>> read_answer(head + b"<div>" * 50_000, "http://a.example/", True) is None
    True
    """
    head, _, body = response.partition(b"\r\n\r\n")
    fields = head_fields(head)
    page = content(fields, body, MAX_HTML)
    text_of = main_text
    if page.pdf is not None:
        page, text_of = _html_of(page.pdf), whole_text
    if page.html is None or prescan(page.html):
        return None
    html = decode(page.html, page.charset)
    text = text_of(html)
    text = text and without_edges(text, repeated)
    tree = LexborHTMLParser(html)
    wishes = wishes_of(tree, fields, url)
    language = document_language(text, stated_language(tree, fields)) if text else None
    return Reading(text, wishes, blocks_of(tree, text, url) if with_blocks and text else [], language)


def _html_of(pdf: bytes) -> Content:
    """The HTML that a PDF was read as, if it can be."""
    from salticid.parse.pdf import read_pdf  # here: only a process that may die of it should load pdfium

    document = read_pdf(pdf)
    return Content(None if document is None else document.html, "utf-8", None)


def head_fields(head: bytes) -> dict[str, str]:
    """The fields of a head, names in lower case; of one that stands there twice the first counts, of robots tags all.

    >>> head_fields(b"HTTP/1.1 200 OK\\r\\nX-Robots-Tag: noai\\r\\nServer: a\\r\\nx-robots-tag: none\\r\\nserver: b")
    {'x-robots-tag': 'noai\\nnone', 'server': 'a'}
    """
    fields: dict[str, str] = {}
    for line in head.decode("latin-1").split("\r\n")[1:]:
        name, _, value = line.partition(":")
        key, value = name.strip().lower(), value.strip()
        if key in fields and key in _LISTS:
            fields[key] += _LISTS[key] + value
        fields.setdefault(key, value)
    return fields
