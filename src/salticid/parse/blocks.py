"""The parts of a page: headings, paragraphs, lists, tables and code, each as plain text and as Markdown."""

from __future__ import annotations

import re
from enum import StrEnum

import msgspec

from salticid.parse.markdown_signs import escaped, paragraph


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
