"""Markdown: a folder with a file a page, or a chunk of one, and an index of them."""

from __future__ import annotations

import re
import unicodedata
from pathlib import Path

from salticid.parse.markdown_signs import escaped, link
from salticid.store.exports.documents import Chunk, Document, DocumentStream, NewsChunk, NewsDocument
from salticid.store.exports.front_matter import Value, front_matter
from salticid.store.exports.new_folder import GENERATOR
from salticid.store.exports.reference import one_line
from salticid.urls import host

INDEX = "index.md"
_LONGEST_NAME = 60
_NO_NAME = re.compile(r"[^a-z0-9]+")


def write(documents: DocumentStream, folder: Path, title: str) -> None:
    """Write documents into an empty folder, and the index, which is called by the title."""
    number, before = 0, None
    with (folder / INDEX).open("w", encoding="utf-8") as index:
        index.write(front_matter({"title": title, "generator": GENERATOR}))
        index.write(f"\n# {escaped(one_line(title))}\n\n")
        for document in documents:
            is_next = not isinstance(document, Chunk) or document.chunk == 1 or document.url != before
            number, before = number + is_next, document.url
            name = file_name(number, document)
            (folder / name).write_text(page_file(document), encoding="utf-8")
            index.write(_entry(document, name))


def file_name(number: int, document: Document) -> str:
    """The name of a file: safe on every system, and no two are the same however they are sorted or spelled.

    >>> from types import SimpleNamespace as Some
    >>> file_name(7, Some(title="../Étude: CON", final_url="http://a.example/"))
    '00007-etude-con.md'
    """
    words = (
        unicodedata.normalize("NFKD", document.title or host(document.final_url))
        .encode("ascii", "ignore")
        .decode()
    )
    slug = _NO_NAME.sub("-", words.lower())[:_LONGEST_NAME].strip("-")
    chunk = f"-{document.chunk:03}" if isinstance(document, Chunk) else ""
    return f"{number:05}{f'-{slug}' if slug else ''}{chunk}.md"


def page_file(document: Document) -> str:
    """A page, or a chunk of one, with what is known about it in front."""
    about: dict[str, Value] = {
        "url": document.final_url,
        "title": document.title,
        "date": document.last_modified or document.fetched,
        "fetched": document.fetched,
        "score": round(document.current_score, 4),
        "language": document.language,
        "licence": document.licence,
        "noindex": document.noindex or None,
        "noarchive": document.noarchive or None,
        "noai": document.noai or None,
        "tdm_reservation": document.tdm_reservation or None,
    }
    if isinstance(document, Chunk):
        about |= {"headings": document.headings, "chunk": document.chunk, "chunks": document.chunks}
    if isinstance(document, NewsDocument | NewsChunk):
        added, removed = (told.split("\n") if told else [] for told in (document.added, document.removed))
        about |= {"news": document.news, "added": added, "removed": removed}
    return f"{front_matter(about)}\n{document.markdown}\n"


def _entry(document: Document, name: str) -> str:
    if isinstance(document, Chunk) and document.chunk > 1:
        path = escaped(" > ".join(map(one_line, document.headings))) or f"part {document.chunk}"
        return f"  - {link(path, name)}\n"
    title = escaped(one_line(document.title)) or escaped(document.final_url)
    return f"- {link(title, name)} - {document.current_score:.3f} - {link('source', document.final_url)}\n"
