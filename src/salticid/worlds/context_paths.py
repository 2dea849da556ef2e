"""The context paths of a world's links, in a file beside it: a recording keeps no outline of its pages."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple, Self

import msgspec
from selectolax.lexbor import LexborHTMLParser, LexborNode, SelectolaxError

from salticid.errors import UserError
from salticid.parse import GOOD_STATUSES, decode, prescan
from salticid.urls import canonical
from salticid.worlds.answers import Answer, Unread, WorldSource
from salticid.worlds.writer import MAX_HTML

# The context path of a link: the headings and the list items above it in the outline of its page.
#
# G. Attardi, S. Di Marco, D. Salvi: Categorization by context, Journal of Universal Computer Science 4(9), 1998.

LONGEST_STEP = 20
"""Words of a heading or an item that are kept: an item of more was not closed by its author, or is no list."""
MOST_ITEMS = 8
"""Items around a link that are looked at."""
_LEVELS = {f"h{level}": level for level in range(1, 7)}
_ITEMS = ("li", "dt", "dd")
_LINKS = {"a": "href", "area": "href", "frame": "src", "iframe": "src"}
_UNREAD = ["script", "style"]


class ContextPath(NamedTuple):
    """What stands above the link to `url`: headings from the highest to the nearest, items from the outermost in."""

    url: str
    headings: tuple[str, ...]
    items: tuple[str, ...]


def context_paths(html: bytes, url: str, charset: str | None = None) -> list[ContextPath]:
    """The path of each link of a page to a page, in reading order.

    A heading holds until the next of its level or higher. An item that holds the link in a list of its own is there
    with all its words, the one around the link with those that are part of no link; one of definitions stands below
    the term before it.

    >>> html = b"<h1>People</h1><h2>Staff</h2><ul><li>Cooks<ul><li>head: <a href=ann>Ann</a></ul></ul>"
    >>> context_paths(html, "http://a.example/")
    [ContextPath(url='http://a.example/ann', headings=('People', 'Staff'), items=('Cooks', 'head:'))]
    """
    tree = LexborHTMLParser(decode(html, charset))
    tree.strip_tags(_UNREAD)
    base = tree.css_first("base[href]")
    start = (base is not None and canonical(base.attributes["href"] or "", url)) or url
    outline = _Outline()
    links = [
        (to, outline.headings_above(node), outline.items_above(node))
        for node in (tree.root.traverse(include_text=True) if tree.root is not None else ())
        if outline.goes_on(node) and (to := _target(node, start)) is not None
    ]
    return [ContextPath(to, _texts(headings), _texts(items)) for to, headings, items in links]


def _target(node: LexborNode, base: str) -> str | None:
    """The page that an element links to."""
    name = _LINKS.get(node.tag or "")
    href = (node.attributes.get(name) or "") if name is not None else ""
    return canonical(href, base) if href and not href.lstrip().startswith("#") else None


@dataclass(eq=False)
class _Step:
    """A heading or an item that is being read: its words, and of these the ones that are part of no link."""

    level: int = 0
    above: _Step | None = None
    words: list[str] = field(default_factory=list)
    own: list[str] = field(default_factory=list)


class _Outline:
    """What is open while a tree is walked through, parents before their children."""

    def __init__(self) -> None:
        self._headings: list[_Step] = []
        self._heading: dict[int, _Step | None] = {}
        self._item: dict[int, _Step | None] = {}
        self._in_link: dict[int, bool] = {}
        self._term: dict[int, _Step] = {}

    def goes_on(self, node: LexborNode) -> bool:
        """Take the next node in; whether it is an element."""
        tag, above = node.tag or "", node.parent.mem_id if node.parent is not None else 0
        heading, item = self._heading.get(above), self._item.get(above)
        in_link = self._in_link.get(above, False)
        if tag == "-text":
            self._read(node, heading or item, in_link)
            return False
        if tag in _LEVELS:
            heading = self._open_heading(_LEVELS[tag])
        elif tag in _ITEMS:
            item = self._open_item(tag, above, item)
        self._heading[node.mem_id], self._item[node.mem_id] = heading, item
        self._in_link[node.mem_id] = in_link or (tag == "a" and "href" in node.attributes)
        return True

    def headings_above(self, link: LexborNode) -> list[list[str]]:
        """The words of all headings that hold where a link stands, but for the one it is part of."""
        around = self._heading[link.mem_id]
        return [step.words for step in self._headings if step is not around]

    def items_above(self, link: LexborNode) -> list[list[str]]:
        """The words of all items that a link is in."""
        item = self._item[link.mem_id]
        steps = [item.own] if item is not None else []
        while item is not None and (item := item.above) is not None and len(steps) < MOST_ITEMS:
            steps.append(item.words)
        return steps[::-1]

    def _open_heading(self, level: int) -> _Step:
        heading = _Step(level)
        self._headings = [*(step for step in self._headings if step.level < level), heading]
        return heading

    def _open_item(self, tag: str, above: int, outer: _Step | None) -> _Step:
        item = _Step(above=self._term.get(above, outer) if tag == "dd" else outer)
        if tag == "dt":
            self._term[above] = item
        return item

    def _read(self, text: LexborNode, step: _Step | None, in_link: bool) -> None:
        if step is not None and len(step.words) < LONGEST_STEP:
            words = (text.text_content or "").split()
            step.words += words
            step.own += [] if in_link else words


def _texts(steps: list[list[str]]) -> tuple[str, ...]:
    """The texts of all steps that say something."""
    return tuple(" ".join(words[:LONGEST_STEP]) for words in steps if words)


FILE = "context_paths.jsonl"


class PagePaths(msgspec.Struct, frozen=True):
    """The paths of the links of one page, in reading order."""

    page: str
    links: list[ContextPath]


class WithContextPaths:
    """A source whose links' paths are noted while it is read; entered, and left once the world is built."""

    def __init__(self, source: WorldSource) -> None:
        self._source, self._noted = source, tempfile.TemporaryFile()  # noqa: SIM115 - closed by __exit__
        self.name, self.size, self.done = source.name, source.size, 0
        self._pages: set[str] = set()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._noted.close()

    def __iter__(self) -> Iterator[Answer | Unread]:
        for item in self._source:
            self.done = self._source.done
            if isinstance(item, Answer):
                self._note(item)
            yield item

    def write_beside(self, world: Path) -> None:
        """Put the paths beside the world that was made of the source: for `build`."""
        self._noted.seek(0)
        with (world / FILE).open("wb") as file:
            shutil.copyfileobj(self._noted, file)

    def _note(self, answer: Answer) -> None:
        url = canonical(answer.url)
        if answer.html is None or answer.status not in GOOD_STATUSES or url is None or url in self._pages:
            return
        self._pages.add(url)
        html = answer.html[:MAX_HTML]
        try:
            paths = [] if prescan(html) else context_paths(html, url, answer.charset)
        except SelectolaxError:  # out of memory, on a page that asks for gigabytes
            return
        self._noted.write(msgspec.json.encode(PagePaths(url, paths)) + b"\n")


def context_paths_of(world: Path) -> Iterator[PagePaths]:
    """What was noted beside a world, page by page."""
    file = world / FILE
    if not file.exists():
        raise UserError(f"beside {world} no context paths were kept; build it with --context-paths from its pages")
    with file.open("rb") as lines:
        for line in lines:
            try:
                yield msgspec.json.decode(line, type=PagePaths)
            except msgspec.MsgspecError as error:
                raise UserError(f"{file} cannot be read ({error}); build the world again") from None
