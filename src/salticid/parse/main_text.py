"""The main text of a page: what it says, without the menus, boxes and footers around it."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence

from resiliparse.extract.html2text import extract_plain_text
from selectolax.lexbor import LexborHTMLParser

from salticid.parse.main_part import leave_out, main_part

FEWEST_WORDS = 20
"""A main part that says less is believed only if the layout shows no more."""
OWN_LINES = 3
"""So many lines of a page's own, one after the other, are no edge of its text any more."""

_GAP = re.compile(r"\n(?:[ \t]*\n){2,}")


def main_text(html: str) -> str | None:
    """The main text of a document that a parser may see (`prescan`); None where there is none.

    It is the part that the document itself calls its main one, else what looks like that by its layout; neither holds
    what is there to get around. Paragraphs, headings and items of lists stand on lines of their own.

    >>> main_text("<nav><a href=/>Home</a></nav><main><h1>Eyes</h1><p>Four of them look ahead.</main>")
    'Eyes\\n\\nFour of them look ahead.'
    """
    tree = LexborHTMLParser(html)
    leave_out(tree)
    part = main_part(tree)
    text = "" if part is None else _plain(part.html or "", main_content=False)
    if len(text.split()) < FEWEST_WORDS:
        by_layout = _plain(tree.html or "", main_content=True)
        text = by_layout if part is None or len(by_layout.split()) >= FEWEST_WORDS else text
    return text or None


def _plain(html: str, main_content: bool) -> str:
    text: str = extract_plain_text(html, main_content=main_content, links=False)
    return text.strip()


def whole_text(html: str) -> str | None:
    """All text of a document that has nothing around it, as a PDF; None where there is none."""
    text: str = extract_plain_text(html, main_content=False, links=False)
    return text.strip() or None


def lines_of(text: str) -> list[str]:
    """The lines of a main text as they are compared: white space folded.

    >>> lines_of("Prev  Up\\n\\n  • Eyes")
    ['Prev Up', '', '• Eyes']
    """
    return [" ".join(line.split()) for line in text.split("\n")]


def without_edges(text: str, repeated: Collection[str]) -> str:
    """A main text without those lines at its beginning and its end that its site repeats.

    An edge ends where `OWN_LINES` others stand one after the other: what is repeated within them, such as a line of
    code or the heading of a section, is of the text. If nothing with a letter in it would be left, all stays.

    >>> without_edges("Prev Up\\n\\nEyes\\n\\nPrev  Up", ["Prev Up"]), without_edges("Prev Up", ["Prev Up"])
    ('Eyes', 'Prev Up')
    """
    keys = lines_of(text)
    known = frozenset(repeated)
    places = [at for at, key in enumerate(keys) if key]
    left_out = {*_edge(keys, places, known), *_edge(keys, places[::-1], known)}
    if not left_out:
        return text
    kept = [line for at, line in enumerate(text.split("\n")) if at not in left_out]
    own = _GAP.sub("\n\n", "\n".join(kept)).strip()
    return own if any(map(str.isalpha, own)) else text


def _edge(keys: Sequence[str], places: Sequence[int], known: Collection[str]) -> Iterator[int]:
    """Where known lines stand, from the first of some places on, until the edge ends."""
    own = 0
    for at in places:
        if keys[at] in known:
            yield at
            own = 0
        elif (own := own + 1) == OWN_LINES:
            return
