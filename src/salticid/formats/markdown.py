"""Markdown: a folder with a file a page, or a chunk of one, and an index of them."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping, Sequence
from datetime import datetime
from pathlib import Path

from salticid.formats import Export, FolderFormat
from salticid.parse import escaped, link
from salticid.store.exports import GENERATOR, Chunk, Document, NewsChunk, NewsDocument, one_line
from salticid.urls import host

INDEX = "index.md"
_LONGEST_NAME = 60
Value = str | float | bool | datetime | None | Sequence["Value"] | Mapping[str, "Value"]
_NO_NAME = re.compile(r"[^a-z0-9]+")


class Markdown(FolderFormat):
    """The index is called by the title of the export."""

    title = "Markdown"
    about = "a file a page, packed"
    suffix = "markdown"
    has_chunks = True

    def write(self, export: Export, out: Path) -> None:
        number, before = 0, None
        with export.documents() as documents, (out / INDEX).open("w", encoding="utf-8") as index:
            index.write(front_matter({"title": export.title, "generator": GENERATOR}))
            index.write(f"\n# {escaped(one_line(export.title))}\n\n")
            for document in documents:
                is_next = not isinstance(document, Chunk) or document.chunk == 1 or document.url != before
                number, before = number + is_next, document.url
                name = file_name(number, document)
                (out / name).write_text(page_file(document), encoding="utf-8")
                index.write(_entry(document, name))


def file_name(number: int, document: Document) -> str:
    """The name of a file: safe on every system, and no two are the same however they are sorted or spelled.

    >>> from types import SimpleNamespace as Some
    >>> file_name(7, Some(title="../Étude: CON", final_url="http://a.example/"))
    '00007-etude-con.md'
    """
    words = unicodedata.normalize("NFKD", document.title or host(document.final_url)).encode("ascii", "ignore").decode()
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


def front_matter(values: Mapping[str, Value]) -> str:
    """Names and values as YAML that no text from outside can leave, between two rules; None is left out.

    >>> front_matter({"title": 'an "eye"', "score": 0.5, "tags": ["x"], "date": None}).splitlines()
    ['---', 'title: "an \\\\"eye\\\\""', 'score: 0.5', 'tags:', '- "x"', '---']
    """
    return f"---\n{_lines(values, '')}---\n"


def _lines(values: Mapping[str, Value], indent: str) -> str:
    lines = []
    for name, value in values.items():
        if isinstance(value, Mapping):
            lines.append(f"{indent}{name}:\n{_lines(value, indent + '  ')}")
        elif isinstance(value, Sequence) and not isinstance(value, str):
            lines.append(f"{indent}{name}:\n{''.join(_item(each, indent) for each in value)}" if value else "")
        elif value is not None:
            lines.append(f"{indent}{name}: {_scalar(value)}\n")
    return "".join(lines)


def _item(value: Value, indent: str) -> str:
    if isinstance(value, Mapping):
        return f"{indent}- {_lines(value, indent + '  ').lstrip()}"
    return f"{indent}- {_scalar(value)}\n"


def _scalar(value: Value) -> str:
    """A value on one line. A text is always in quotes, where nothing but a quote and a backslash has a meaning."""
    if isinstance(value, str):
        text = one_line(value).replace("\\", "\\\\").replace('"', '\\"')
        return f'"{text}"'
    if isinstance(value, bool):
        return "true" if value else "false"
    return value.strftime("%Y-%m-%dT%H:%M:%SZ") if isinstance(value, datetime) else repr(value)
