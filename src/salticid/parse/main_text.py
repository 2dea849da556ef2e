"""The main text of a page: what it says, without the menus, boxes and footers around it."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from enum import StrEnum

import msgspec
from resiliparse.extract.html2text import extract_plain_text
from selectolax.lexbor import LexborHTMLParser, LexborNode

from salticid.parse.markdown_text import escaped, paragraph

# The part of a document that it calls its main one, and what in any part is there only to get around.

MOST_LEFT_OUT = 500
"""Parts of a document that are left out, one by one; who has more of them means something else by their names."""
LONGEST_LEFT_OUT = 2_000
"""Characters of a part that is left out for its class alone: the name may be of all that is around it."""
SHARE_OF_ALL = 1 / 3
"""A single article is the main part if it has at least such a share of all text,"""
SHARE_OF_MAIN = 0.7
"""and within one if it has such a share of that."""

_BY_TAG = ["nav", "script", "style", "noscript", "template", "button", "dialog"]
_BY_ROLE = ", ".join(
    f"[role={role}]" for role in ("navigation", "search", "banner", "contentinfo", "dialog", "alertdialog")
)
_BY_CLASS = ", ".join(
    f"[class*={name} i]"
    for name in (
        "breadcrumb",
        "pagination",
        "prev-next",
        "prevnext",
        "navheader",
        "navfooter",
        "headerlink",
        "cookie",
    )
)
_SPANS = frozenset(("span", "b", "strong", "i", "em", "small", "font", "tt", "code", "nobr", "u"))
_AROUND = "aside:not([class*=footnote], [class*=citation], [role]), footer, form, [role=complementary]"
"""What is beside the text where it stands in its main part, notes apart; elsewhere the layout tells."""


def leave_out(tree: LexborHTMLParser) -> None:
    """Take out of a tree what is there to get around, by tag, by role, and by classes that have the same names
    everywhere.
    """
    tree.strip_tags(_BY_TAG, recursive=True)
    _decompose(tree.css(_BY_ROLE))
    _decompose([node for node in tree.css(_BY_CLASS)[:MOST_LEFT_OUT] if len(node.text()) <= LONGEST_LEFT_OUT])
    _decompose(_menu_lines(tree))


_MENU_LINES = frozenset(("p", "div", "center", "header", "section"))
_IN_NO_LINE = ", ".join((*_MENU_LINES, "ul", "ol", "dl", "table", "pre", "blockquote", "h1", "h2", "h3", "h4", "h5"))
LEAST_LINKS = 3
"""A line of a menu has so many links,"""
LONGEST_LINE = 300
"""no more characters,"""
_SENTENCE_END = re.compile(r"[.!?…。！？][\"'”’)]*\s*$")
_WORD = re.compile(r"[^\W\d_]+")


def _menu_lines(tree: LexborHTMLParser) -> list[LexborNode]:
    """Lines that are links and little between them, as "Home | Contents | Index": no more words than links, no full
    stop.
    """
    links: dict[int, list[LexborNode]] = {}
    lines: dict[int, LexborNode] = {}
    for link in tree.css("a[href]"):
        line = link.parent
        while line is not None and line.tag in _SPANS:
            line = line.parent
        if line is not None and line.tag in _MENU_LINES:
            lines[line.mem_id] = line
            links.setdefault(line.mem_id, []).append(link)
    return [line for key, line in lines.items() if len(links[key]) >= LEAST_LINKS and _is_menu(line, links[key])]


def _is_menu(line: LexborNode, links: list[LexborNode]) -> bool:
    text = line.text()
    if len(text) > LONGEST_LINE or _SENTENCE_END.search(text) or len(line.css(_IN_NO_LINE)) > 1:  # itself is one
        return False
    between = len(_WORD.findall(text)) - sum(len(_WORD.findall(link.text())) for link in links)
    return between <= len(links)


def main_part(tree: LexborHTMLParser) -> LexborNode | None:
    """The one part that says of itself that it is the main one, without what stands beside its text; None if there is
    no such part, or several. The tree is changed by that.
    """
    found = tree.css("main, [role=main]")
    mains = [node for node in found if not _has_ancestor(node, {each.mem_id for each in found})]
    if len(mains) > 1:
        return None
    articles = (mains[0] if mains else tree).css("article")
    body = tree.body
    if mains:
        _decompose(mains[0].css(_AROUND))
        articles = mains[0].css("article")
    elif len(articles) == 1:
        _decompose(articles[0].css(_AROUND))
    whole = mains[0] if mains else body
    if whole is None:
        return None
    share = SHARE_OF_MAIN if mains else SHARE_OF_ALL
    is_article = len(articles) == 1 and len(articles[0].text()) >= share * len(whole.text())
    return articles[0] if is_article else (mains[0] if mains else None)


def _decompose(nodes: list[LexborNode]) -> None:
    """Take these out of their tree, each once: with one goes all that is in it."""
    some = nodes[:MOST_LEFT_OUT]
    known = {node.mem_id for node in some}
    for node in [node for node in some if not _has_ancestor(node, known)]:
        if node.tag not in ("html", "body", "main"):
            node.decompose()


def _has_ancestor(node: LexborNode, known: set[int]) -> bool:
    parent = node.parent
    while parent is not None:
        if parent.mem_id in known:
            return True
        parent = parent.parent
    return False


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


# The parts of a page: headings, paragraphs, lists, tables and code, each as plain text and as Markdown.


class BlockKind(StrEnum):
    """What a part of a page is."""

    HEADING = "heading"
    TEXT = "text"
    LIST = "list"
    TABLE = "table"
    CODE = "code"


class Block(msgspec.Struct, frozen=True):
    """A part of a page; of a list, an item with all that is in it.

    `level` is that of a heading, 1 to 6; of anything else it is 0. `close`: it follows without an empty line.
    """

    kind: BlockKind
    text: str
    markdown: str
    level: int = 0
    close: bool = False


def plain_blocks(text: str) -> list[Block]:
    """The parts of a text of which nothing is known but its paragraphs."""
    parts = (" ".join(part.split()) for part in re.split(r"\n\s*\n", text))
    return [Block(BlockKind.TEXT, part, paragraph(escaped(part))) for part in parts if part]


def markdown_of(blocks: list[Block]) -> str:
    """The Markdown of all parts together."""
    return "".join(("\n" if block.close else "\n\n") + block.markdown for block in blocks).lstrip("\n")
