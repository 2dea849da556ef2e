"""Bookmarks as browsers write them to a file: Netscape's HTML of 1994, still."""

from __future__ import annotations

import re
from html import unescape
from typing import NamedTuple

from salticid.errors import UserError
from salticid.urls import canonical

LARGEST = 2 << 20
"""Bytes of a file of bookmarks: some ten thousand of them."""
_LONGEST_TITLE = 500
# No tree is made of it: the file may be anything, and these look at each character a bounded number of times.
_ANCHOR = re.compile(r"<a\s([^<>]*+)>([^<]*+)", re.IGNORECASE)
_HREF = re.compile(r"""\bhref\s*+=\s*+(?:"([^"]*+)"|'([^']*+)'|([^\s"'>]++))""", re.IGNORECASE)


class Bookmark(NamedTuple):
    """A page with a bookmark."""

    url: str
    title: str


def bookmarks(data: bytes) -> list[Bookmark]:
    """The pages marked in a file, in its order, each once; UserError if it is none.

    Only http and https; URLs in their canonical form.

    >>> bookmarks(b'<DL><p><DT><A HREF="http://A.example/#top">Spiders</A><DT><A HREF="javascript:1">x</A></DL>')
    [Bookmark(url='http://a.example/', title='Spiders')]
    """
    if len(data) > LARGEST:
        raise UserError(
            f"the bookmarks are larger than {LARGEST >> 20} MB; export only a folder of them, or paste URLs"
        )
    pages: dict[str, Bookmark] = {}
    for attributes, title in _ANCHOR.findall(data.decode("utf-8", "replace")):
        href = _HREF.search(attributes)
        url = canonical(unescape("".join(href.groups(default="")))) if href else None
        if url is not None:
            pages.setdefault(url, Bookmark(url, " ".join(unescape(title).split())[:_LONGEST_TITLE]))
    if not pages:
        raise UserError(
            "there is no bookmark of a web page in the file; export your bookmarks from the browser as HTML"
        )
    return list(pages.values())
