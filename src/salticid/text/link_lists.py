"""Menus, tables of contents, prev and next: what of a page's words is a list of links, and no text of its own."""

from __future__ import annotations

import numpy as np

from salticid.model import Bools, Ints, Page
from salticid.native import at, lib

LEAST_LINKS = 5
"""So many links in a row are a list."""
MOST_WORDS_BETWEEN = 2
"""Links with no more words between them stand in a row."""


def link_lists(page: Page) -> Bools:
    """For each token of a page whether it is part of a list of links, from the first link's words to the last one's.

    >>> from salticid.testing.small import SmallWeb
    >>> menu = " ".join(f'<a href="/{n}">part {n}</a>' for n in "abcde")
    >>> web = SmallWeb({"home": menu + "<p>Some text with <a href='/f'>a link</a></p>"})
    >>> link_lists(web.page(web.id("home"))).astype(int).tolist()
    [1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 0, 0, 0, 0, 0]
    """
    start, end, size = page.links.start, page.links.end, len(page.tokens)
    if lib is None:
        return _link_lists(start, end, size)
    marks = np.empty(size, np.bool_)
    lib.list_marks(at(start), at(end), len(start), LEAST_LINKS, MOST_WORDS_BETWEEN, at(marks), size)
    return marks


def _link_lists(start: Ints, end: Ints, size: int) -> Bools:
    inside = np.zeros(size + 1, np.int32)
    if len(start) < LEAST_LINKS:
        return inside[:-1] > 0
    apart = start[1:] - end[:-1] > MOST_WORDS_BETWEEN
    first = np.flatnonzero(np.concatenate(([True], apart)))
    last = np.append(first[1:], len(start)) - 1
    long = last - first + 1 >= LEAST_LINKS
    np.add.at(inside, start[first[long]], 1)
    np.add.at(inside, end[last[long]], -1)
    return np.cumsum(inside[:-1]) > 0
