"""The main text of a page with its structure, as Markdown.

What belongs to the main text is decided elsewhere (`main_text`). Here its lines are found again in the tree of the
document, and what of the tree is none of them is left out.
"""

from __future__ import annotations

import re

from selectolax.lexbor import LexborHTMLParser

from salticid.parse.blocks import Block, plain_blocks
from salticid.parse.markdown_writer import MarkdownWriter
from salticid.urls import canonical

FEWEST_FOUND = 0.5
"""The share of a main text that must be found in the tree; else it is told without its structure."""

LONGEST_ENTRY = 80
"""Characters of an entry of a menu."""

_UNREAD = [
    "script", "style", "noscript", "template", "svg", "canvas", "iframe", "object", "embed", "audio", "video",
    "select", "textarea", "button", "head", "noframes", "noembed",
]  # fmt: skip
_BULLET = re.compile(r"^\s*(?:•|\d+\.)\s")
_UNCOMPARED = re.compile(r"[\s¶#§🔗]+")


def blocks_of(tree: LexborHTMLParser, main_text: str, url: str) -> list[Block]:
    """The parts of a document found at `url` that are its main text, in their order. The tree is used up by that.

    >>> html = "<h1>Eyes</h1><p>See <a href=/b>all <b>eight</b></a>.<ul><li>two<li>six</ul><footer>Bye</footer>"
    >>> parts = blocks_of(LexborHTMLParser(html), "Eyes\\n\\nSee all eight.\\n\\n  • two\\n  • six", "http://a.example/")
    >>> print(*(part.markdown for part in parts), sep="|")
    # Eyes|See [all **eight**](http://a.example/b).|- two|- six
    """
    base, body = tree.css_first("base[href]"), tree.body
    if body is None:
        return plain_blocks(main_text)
    body.strip_tags(_UNREAD)
    lines = _Lines(main_text)
    address = (base and canonical(base.attributes.get("href") or "", url)) or url
    blocks = MarkdownWriter(lines.hold, address).read(body)
    return blocks if lines.found >= FEWEST_FOUND else plain_blocks(main_text)


class _Lines:
    """The lines of a main text, to be found again whatever blanks and bullets they were given."""

    def __init__(self, main_text: str) -> None:
        lines = main_text.split("\n")
        self._lines = {_key(line) for line in lines}
        self._items = {_key(line[match.end() :]) for line in lines if (match := _BULLET.match(line))}
        self._all = sum(map(len, self._lines))
        self._lines |= {item for item in self._items if len(item) > LONGEST_ENTRY}
        self._held = 0

    @property
    def found(self) -> float:
        """The share of the main text that was asked for."""
        return self._held / self._all if self._all else 0.0

    def hold(self, text: str, is_item: bool) -> bool:
        """Whether most of a text is of these lines; the first one of an item is of those with a bullet.

        So an entry of a menu is not taken for the heading that it leads to.
        """
        keys = [_key(line) for line in text.split("\n")]
        first = self._items if is_item and len(keys[0]) <= LONGEST_ENTRY else self._lines
        known = sum(len(key) for key in keys[:1] if key in first)
        known += sum(len(key) for key in keys[1:] if key in self._lines)
        holds = 2 * known > sum(map(len, keys))
        self._held += known if holds else 0
        return holds


def _key(line: str) -> str:
    return _UNCOMPARED.sub("", line)
