"""The main text of a page with its structure, as Markdown.

What belongs to the main text is decided elsewhere (`main_text`). Here its lines are found again in the tree of the
document, and what of the tree is none of them is left out.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

from selectolax.lexbor import LexborHTMLParser, LexborNode

from salticid.parse.main_text import Block, BlockKind, leave_out, plain_blocks
from salticid.parse.markdown_text import SPANS, MarkdownLine, fenced, paragraph
from salticid.urls import canonical

# A document's tree, gone through once and written as Markdown.

MAX_NESTING = 16
"""Lists, items and quotes within each other; what is deeper is not indented any further."""
MAX_COLUMNS = 100

_HEADINGS = {f"h{level}": level for level in range(1, 7)}
_CONTAINERS = frozenset(("ul", "ol", "menu", "dir", "blockquote", "li"))
_ENDS_LINES = _CONTAINERS.union(
    _HEADINGS, ("address", "article", "aside", "body", "caption", "center", "dd", "details", "div", "dl", "dt"),
    ("fieldset", "figcaption", "figure", "footer", "form", "header", "hgroup", "hr", "legend", "main", "nav", "p"),
    ("pre", "search", "section", "summary", "table", "tbody", "td", "tfoot", "th", "thead", "tr"),
)  # fmt: skip
_IN_NO_CELL = "ul, ol, dl, pre, blockquote, h1, h2, h3, h4, h5, h6"
_PERMALINKS = ("¶", "§", "#", "🔗", "\uf0c1")
"""What documentation puts behind headings, to link to them."""
_CLOSING = re.compile(r"#(?=#*$)")
"""What Markdown takes for the end of a heading, and shows not."""
_LANGUAGE = re.compile(r"(?:^|\s)(?:language|lang|highlight)-([\w+#]{1,20})(?=\s|$)")
_NO_LANGUAGES = frozenset(("default", "none", "notranslate", "text"))


@dataclass(slots=True)
class _Container:
    """A list, an item of one, or a quote."""

    tag: str
    number: int = 1
    """Of the next item."""
    marker: str = ""
    """What an item begins with; blanks, once it has begun."""


class _Part(NamedTuple):
    """A part of a list or a quote: whether it begins an item, and whether that is one of the outermost list."""

    text: str
    markdown: str
    begins: bool
    outermost: bool


@dataclass(slots=True)
class _Item:
    """An item of the outermost list, or a quote: whether it stands close to the one before, and what it holds."""

    close: bool
    texts: list[str] = field(default_factory=list)
    lines: list[str] = field(default_factory=list)


@dataclass(slots=True)
class MarkdownWriter:
    """Writes what is `wanted` of a document. Relative links are of `base`.

    `wanted` is asked with a text and whether an item of a list begins with it.
    """

    wanted: Callable[[str, bool], bool]
    base: str
    _blocks: list[Block] = field(default_factory=list)
    _line: MarkdownLine = field(init=False)
    _level: int = 0
    _within: list[_Container] = field(default_factory=list)
    _parts: list[_Part] = field(default_factory=list)
    """Of the list or quote that is being written."""

    def __post_init__(self) -> None:
        self._line = MarkdownLine(self.base)

    def read(self, body: LexborNode) -> list[Block]:
        """The parts of the document."""
        for node, enters in _walk(body, self._written_whole):
            tag = node.tag or ""
            if tag in _ENDS_LINES:
                self._end_line()
            if tag in _CONTAINERS:
                self._enter(node, tag) if enters else self._leave()
            elif tag in _HEADINGS:
                self._level = _HEADINGS[tag] if enters else 0
            else:
                _write_inline(self._line, node, enters)
        self._end_line()
        self._end_parts()
        return self._blocks

    def _enter(self, node: LexborNode, tag: str) -> None:
        container = _Container(tag, _number(node.attributes.get("start")))
        if tag == "li":
            outer = self._within[-1] if self._within else container
            container.marker = f"{outer.number}. " if outer.tag == "ol" else "- "
            outer.number += 1
        self._within.append(container)

    def _leave(self) -> None:
        self._within.pop()
        if not self._within:
            self._end_parts()

    def _end_line(self) -> None:
        text, line = self._line.end()
        begins = bool(self._within) and bool(self._within[-1].marker.strip())
        if not text or not self.wanted(text, begins):
            return
        if self._level:
            words, line = " ".join(text.split()), _CLOSING.sub(r"\#", " ".join(line.split()))
            self._write(Block(BlockKind.HEADING, words, f"{'#' * self._level} {line}", self._level))
        else:
            self._write(Block(BlockKind.TEXT, text, paragraph(line).replace("\n", "\\\n")))

    def _written_whole(self, node: LexborNode) -> bool:
        """Write a node of which no part is a part of the document; False if it is none of these."""
        if node.tag == "pre":
            self._end_line()
            self._write_code(node)
            return True
        if node.tag == "table" and len(node.css("table")) == 1 and not node.css_first(_IN_NO_CELL):
            self._end_line()
            return self._write_table(node)
        return False

    def _write_code(self, node: LexborNode) -> None:
        text = node.text().strip("\n").rstrip()
        if text and self.wanted(text, False):
            self._write(Block(BlockKind.CODE, text, fenced(text, _language(node))))

    def _write_table(self, table: LexborNode) -> bool:
        """Write a table; False if it only keeps things in place, as one of a single row or column does."""
        rows = [row.css("td, th")[:MAX_COLUMNS] for row in table.css("tr")]
        if len(rows) < 2 or max(map(len, rows)) < 2:
            return False
        if caption := table.css_first("caption"):
            text, line = self._cell(caption)
            if text and self.wanted(text, False):
                self._write(Block(BlockKind.TEXT, text, paragraph(line)))
        texts: list[str] = []
        lines: list[list[str]] = []
        for row in rows:
            cells = [self._cell(each) for each in row]
            words = [text for text, _ in cells if text]
            if words and (self.wanted("".join(words), False) or self.wanted("\n".join(words), False)):
                if not lines and not all(each.tag == "th" for each in row):
                    lines.append([""] * len(row))
                texts.append(" ".join(words))
                lines.append([line.replace("\\|", "|").replace("|", "\\|") for _, line in cells])
        if len(texts) == 1 and sum(map(bool, lines[-1])) == 1:
            self._write(Block(BlockKind.TEXT, texts[0], paragraph("".join(lines[-1]))))
        elif lines:
            self._write(Block(BlockKind.TABLE, "\n".join(texts), _table(lines)))
        return True

    def _cell(self, cell: LexborNode) -> tuple[str, str]:
        """What a cell says, in one line, as text and as Markdown."""
        line = MarkdownLine(self.base)
        for node, enters in _walk(cell, lambda _: False):
            if node.tag == "br" or node.tag in _ENDS_LINES:
                line.say(" ")
            else:
                _write_inline(line, node, enters)
        return line.end()

    def _write(self, block: Block) -> None:
        if not self._within:
            self._blocks.append(block)
            return
        first = rest = ""
        begins = outermost = False
        for number, each in enumerate(self._within[:MAX_NESTING]):
            if each.tag == "blockquote":
                first, rest = f"{first}> ", f"{rest}> "
            elif each.tag == "li":
                blank = " " * len(each.marker)
                begins = each.marker != blank
                outermost |= begins and number <= 1
                first, rest, each.marker = first + each.marker, rest + blank, blank
        lines = [(rest if number else first) + line for number, line in enumerate(block.markdown.split("\n"))]
        markdown = "\n".join(line.rstrip() for line in lines)
        self._parts.append(_Part(block.text, markdown, begins, outermost))

    def _end_parts(self) -> None:
        """Make blocks of a list, one of each item; items that are one part each stand close together."""
        items: list[_Item] = []
        before = False
        for part in self._parts:
            close = before and part.begins
            if part.outermost or not items:
                items.append(_Item(close))
            elif not close:
                items[-1].lines.append("")
            items[-1].texts.append(part.text)
            items[-1].lines.append(part.markdown)
            before = part.begins
        for item in items:
            text, markdown = "\n".join(item.texts), "\n".join(item.lines)
            self._blocks.append(Block(BlockKind.LIST, text, markdown, close=item.close))
        self._parts.clear()


def _write_inline(line: MarkdownLine, node: LexborNode, enters: bool) -> None:
    """Write what stands within lines."""
    tag = node.tag or ""
    if tag in SPANS:
        line.open(node) if enters else line.close()
    elif enters and node.is_text_node:
        text = node.text_content or ""
        is_permalink = text.strip() in _PERMALINKS and node.parent is not None and node.parent.tag == "a"
        line.say("" if is_permalink else text)
    elif enters and tag == "img":
        line.say(node.attributes.get("alt") or "")
    elif enters and tag == "br":
        line.break_()


def _table(lines: list[list[str]]) -> str:
    """A table of which the first line is the head."""
    columns = max(map(len, lines))
    rows = [f"| {' | '.join(cells + [''] * (columns - len(cells)))} |" for cells in lines]
    return "\n".join([rows[0], f"|{' --- |' * columns}", *rows[1:]])


def _walk(root: LexborNode, written_whole: Callable[[LexborNode], bool]) -> Iterator[tuple[LexborNode, bool]]:
    """All nodes of a tree, each as it is entered and as it is left; however deep it is, for nothing here recurses."""
    node, end = root.first_child, root.mem_id
    while node is not None:
        whole = node.is_element_node and written_whole(node)
        if not whole:
            yield node, True
            if node.first_child is not None:
                node = node.first_child
                continue
            yield node, False
        while node.next is None:
            parent = node.parent
            if parent is None or parent.mem_id == end:
                return
            node = parent
            yield node, False
        node = node.next


def _number(start: str | None) -> int:
    return int(start) if start and start.isascii() and start.isdigit() and len(start) < 6 else 1


def _language(node: LexborNode) -> str:
    """The language of a block of code, if its element, what it holds or what holds it says so."""
    outer = node.parent
    for each in (node.css_first("code"), node, outer, outer and outer.parent):
        match = _LANGUAGE.search((each.attributes.get("class") or "") if each else "")
        if match and match[1] not in _NO_LANGUAGES:
            return match[1]
    return ""


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
    leave_out(tree)
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
