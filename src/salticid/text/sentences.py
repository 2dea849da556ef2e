"""What a page says itself, a sentence at a time: menus and other lists of links are none."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import groupby
from operator import itemgetter
from typing import NamedTuple

import numpy as np

from salticid.model import Area, Page
from salticid.text.link_lists import link_lists
from salticid.text.tokens import letter_runs

MOST_CHARACTERS = 200_000
"""Of a page's text; what stands after them is not read."""
_LETTERS = re.compile("[A-Za-z]+")
_END = re.compile(r"[.!?…][\"'”’»)\]]*$")
_WIDE_END = re.compile("(?<=[。！？])")  # after which no blank stands
_NO_SIGN = re.compile(r"\w")
_BLANK_BEFORE = re.compile(r" (?=[.,;!?…)\]](?: |$))")
"""Blanks that are no author's: the text of a page has one at each end of a link."""
_LIST = -1


class Stretch(NamedTuple):
    """A part of a page's text: a heading, what stands between two of them, or a list of links."""

    is_list: bool
    sentences: list[str]


def sentences(page: Page) -> list[str]:
    """The sentences of a page's text, in reading order, headings for themselves; lists of links are left out.

    >>> from salticid.testing.small import SmallWeb
    >>> menu = " ".join(f'<a href="/{n}">part {n}</a>' for n in "abcde")
    >>> web = SmallWeb({"home": f"<h1>Eyes</h1>{menu}<p>Spiders have eight, e.g. here. Do <a href=/f>you</a>?"})
    >>> sentences(web.page(web.id("home")))
    ['Eyes', 'Spiders have eight, e.g. here.', 'Do you?']
    """
    return [sentence for stretch in stretches(page) if not stretch.is_list for sentence in stretch.sentences]


def words_before_text(page: Page) -> int:
    """How many of a page's tokens come before those of its text: its description and its title."""
    return len(page.words_in(Area.META)) + sum(1 for _ in letter_runs(page.title))


def stretches(page: Page) -> Iterator[Stretch]:
    """The text of a page, cut where a heading or a list of links begins or ends. Numbers go with what is before."""
    pieces = page.text[:MOST_CHARACTERS].split(" ")
    words = np.array([*map(_words, pieces)])
    token = words_before_text(page) + np.cumsum(words) - np.maximum(words, 1)
    kinds = np.where(link_lists(page), _LIST, page.areas) if len(page.tokens) else np.zeros(1, np.int32)
    of_pieces = kinds[np.clip(token, 0, len(kinds) - 1)].tolist()
    for kind, some in groupby(zip(of_pieces, pieces, strict=True), itemgetter(0)):
        found = _cut([piece for _, piece in some])
        if found:
            yield Stretch(kind == _LIST, found)


def _cut(pieces: list[str]) -> list[str]:
    """Cut at the ends of sentences: a full stop and the like, after which no small letter follows."""
    found: list[list[str]] = [[]]
    for piece in pieces:
        if found[-1] and _END.search(found[-1][-1]) and not piece[:1].islower() and _NO_SIGN.search(piece):
            found.append([])
        found[-1].append(piece)
    whole = (_BLANK_BEFORE.sub("", " ".join(sentence)) for sentence in found)
    return [sentence for each in whole for sentence in _WIDE_END.split(each) if sentence]


def _words(piece: str) -> int:
    """How many tokens a piece of text between two blanks is."""
    if piece.isascii() and len(piece) <= 64:
        return len(_LETTERS.findall(piece))
    return sum(1 for _ in letter_runs(piece))
