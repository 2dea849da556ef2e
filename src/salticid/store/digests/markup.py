"""HTML and XML made of elements, so that whatever the web wrote is text in them and never markup."""

from __future__ import annotations

import re
from xml.etree.ElementTree import Element, tostring

_NO_CHARACTERS = re.compile("[^\t\n\r\x20-\x7e\xa0-\ud7ff\ue000-\ufdcf\ufdf0-\ufffd\U00010000-\U0010ffff]")
"""What XML forbids or discourages."""
_ADDRESS = re.compile(r"https?://", re.IGNORECASE)


def element(tag: str, *content: Element | str | None, **fields: str) -> Element:
    """An element; a field whose name is a word of Python is written with a line under its end. None is nothing.

    >>> html(element("p", "a < b ", element("b", "\\0c"), class_="x"))
    '<p class="x">a &lt; b <b>c</b></p>'
    """
    made = Element(tag, {name.rstrip("_").replace("_", "-"): clean(value) for name, value in fields.items()})
    for part in content:
        if isinstance(part, Element):
            made.append(part)
        elif part and len(made):
            made[-1].tail = (made[-1].tail or "") + clean(part)
        elif part:
            made.text = (made.text or "") + clean(part)
    return made


def link(address: str, *content: Element | str | None, **fields: str) -> Element:
    """A link that leads to a page of the web, and to nothing else."""
    leads = {"href": address, "rel": "noreferrer"} if _ADDRESS.match(address) else {}
    return element("a", *content, **leads, **fields)


def clean(text: str) -> str:
    """A text without the characters that no document may hold."""
    return _NO_CHARACTERS.sub("", text)


def html(root: Element) -> str:
    """An element as HTML."""
    return tostring(root, encoding="unicode", method="html")


def xml(root: Element) -> bytes:
    """An element as a document of XML."""
    return b'<?xml version="1.0" encoding="utf-8"?>\n' + tostring(root, encoding="unicode").encode() + b"\n"
