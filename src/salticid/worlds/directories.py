"""Web directories: leaves with the pages that editors listed there, and what they wrote of them.

Read from a dump of the Open Directory (`content.rdf.u8` and its like, packed by gzip or not), or from HTML pages of a
directory, a file each or a folder of them.
"""

from __future__ import annotations

import gzip
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from io import BufferedIOBase
from pathlib import Path
from xml.etree.ElementTree import Element, ParseError, iterparse
from xml.sax.saxutils import escape, quoteattr

from selectolax.lexbor import LexborHTMLParser, LexborNode

from salticid.errors import UserError
from salticid.urls import canonical

LEAST_LINKS = 5
"""A leaf with fewer makes no topic, as in the papers."""
_ROOT = "Top/"
_DUMP_HEAD = """<?xml version="1.0" encoding="UTF-8"?>
<RDF xmlns:r="http://www.w3.org/TR/RDF/" xmlns:d="http://purl.org/dc/elements/1.0/" xmlns="http://dmoz.org/rdf/">
"""
_PAGES = (".html", ".htm")
_DESCRIPTION_MARKS = " -–—:"


@dataclass(frozen=True, slots=True)
class Entry:
    """A page that an editor listed, with the words of its link and of its description."""

    url: str
    title: str
    description: str

    @property
    def text(self) -> str:
        """All that the editor wrote."""
        return f"{self.title} {self.description}".strip()


@dataclass(frozen=True, slots=True)
class Leaf:
    """A category without categories below it: its path from the root, and its entries in the editors' order."""

    path: str
    entries: tuple[Entry, ...]


def read_leaves(source: Path) -> list[Leaf]:
    """The leaves of a directory that list enough pages, by their paths."""
    if not source.exists():
        raise UserError(f"there is no directory {source}; name a dump in RDF, an HTML page or a folder of them")
    listed: dict[str, dict[str, Entry]] = {}
    for path, entry in _entries(source):
        listed.setdefault(path, {}).setdefault(entry.url, entry)
    inner = {path.rpartition("/")[0] for path in listed}
    inner |= {above for path in inner for above in _above(path)}
    leaves = [
        Leaf(path, tuple(entries.values()))
        for path, entries in sorted(listed.items())
        if path not in inner and len(entries) >= LEAST_LINKS
    ]
    if not leaves:
        raise UserError(f"{source} has no leaf that lists {LEAST_LINKS} pages or more; name another directory")
    return leaves


def write_dump(file: Path, leaves: Iterable[Leaf]) -> None:
    """Write a dump such as `read_leaves` reads."""
    with file.open("w", encoding="utf-8") as out:
        out.write(_DUMP_HEAD)
        for leaf in leaves:
            topic = escape(f"{_ROOT}{leaf.path}")
            for entry in leaf.entries:
                title, text = escape(entry.title), escape(entry.description)
                out.write(
                    f"<ExternalPage about={quoteattr(entry.url)}><d:Title>{title}</d:Title>"
                    f"<d:Description>{text}</d:Description><topic>{topic}</topic></ExternalPage>\n"
                )
        out.write("</RDF>\n")


def _above(path: str) -> Iterator[str]:
    """All categories above one.

    >>> list(_above("Arts/Music/Jazz"))
    ['Arts/Music', 'Arts']
    """
    while "/" in path:
        path = path.rpartition("/")[0]
        yield path


def _entries(source: Path) -> Iterator[tuple[str, Entry]]:
    if source.is_dir():
        for file in sorted(each for each in source.rglob("*") if each.suffix.lower() in _PAGES):
            yield from _html_entries(file)
    elif source.suffix.lower() in _PAGES:
        yield from _html_entries(source)
    else:
        yield from _rdf_entries(source)


def _rdf_entries(source: Path) -> Iterator[tuple[str, Entry]]:
    """Each `ExternalPage` of a dump, one at a time: such a file is larger than memory."""
    try:
        with _opened(source) as file:
            for _, element in iterparse(file):  # noqa: S314 - expat bounds what entities may grow to
                if _name(element) == "ExternalPage":
                    yield from _external_page(element)
                    element.clear()
    except (ParseError, OSError, EOFError) as error:
        raise UserError(f"{source} is no RDF dump of a directory: {error}") from None


def _opened(source: Path) -> BufferedIOBase:
    return gzip.open(source) if source.suffix == ".gz" else source.open("rb")


def _external_page(element: Element) -> Iterator[tuple[str, Entry]]:
    parts = {_name(part).lower(): (part.text or "").strip() for part in element}
    about = next((value for key, value in element.attrib.items() if key.rpartition("}")[2] == "about"), "")
    url = canonical(about)
    if url is not None and parts.get("topic"):
        path = parts["topic"].removeprefix(_ROOT)
        yield path, Entry(url, parts.get("title", ""), parts.get("description", ""))


def _name(element: Element) -> str:
    """The name of an element without its namespace."""
    return element.tag.rpartition("}")[2]


def _html_entries(file: Path) -> Iterator[tuple[str, Entry]]:
    """The links of a page's list items, with the text behind each; the page's title is the path."""
    tree = LexborHTMLParser(file.read_bytes().decode("utf-8", "replace"))
    path = _path_of(tree) or file.stem
    for item in tree.css("li"):
        link = item.css_first("a[href]")
        url = canonical(link.attributes.get("href") or "") if link is not None else None
        if link is not None and url is not None:
            yield (
                path,
                Entry(url, _text(link), _text(item).removeprefix(_text(link)).strip(_DESCRIPTION_MARKS)),
            )


def _path_of(tree: LexborHTMLParser) -> str:
    """The category that a page is of: its first heading, else its title, in parts by whatever stands between them."""
    heading = tree.css_first("h1") or tree.css_first("title")
    text = _text(heading) if heading is not None else ""
    for mark in (" > ", " › ", " » ", ": "):
        text = text.replace(mark, "/")
    return "/".join(part.strip() for part in text.split("/") if part.strip()).removeprefix(_ROOT)


def _text(node: LexborNode) -> str:
    return " ".join(node.text(separator=" ").split())
