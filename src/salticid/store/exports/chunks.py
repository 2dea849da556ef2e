"""A page cut by its headings into pieces of about so many words."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import takewhile

from salticid.parse import Block, BlockKind, escaped, fenced, markdown_of, paragraph

_SENTENCE_END = re.compile(r"(?<=[.!?。！？])\s+")


@dataclass(frozen=True, slots=True)
class Piece:
    """A piece of a page: the headings under which all of it stands, the outermost first, and what it holds."""

    headings: list[str]
    blocks: list[Block]

    @property
    def text(self) -> str:
        return "\n\n".join(block.text for block in self.blocks)

    @property
    def markdown(self) -> str:
        return markdown_of(self.blocks)


def cut(blocks: list[Block], words: int) -> list[Piece]:
    """The pieces of a page, in its order: whole sections together as long as they have no more than so many words.

    A longer section is cut between its parts, and a part that is too long alone between lines, sentences or words, in
    this order. A page without a word is one piece.

    >>> page = [Block(BlockKind.HEADING, name, f"# {name}", level) for name, level in (("A", 1), ("B", 2), ("C", 2))]
    >>> [(piece.headings, piece.text) for piece in cut(page, 2)]
    [(['A'], 'A\\n\\nB'), (['A', 'C'], 'C')]
    """
    pieces: list[Piece] = []
    room = 0
    for headings, section in _sections(blocks):
        size = sum(map(_words, section))
        if pieces and size <= room:
            last = pieces[-1]
            pieces[-1] = Piece(_common(last.headings, headings), last.blocks + section)
            room -= size
            continue
        pieces.append(Piece(headings, []))
        room = words
        for block in section:
            only_headings = all(each.kind is BlockKind.HEADING for each in pieces[-1].blocks)
            for part in _parts(block, room if only_headings and room else words, words):
                size = _words(part)
                if size > room and pieces[-1].blocks:
                    pieces.append(Piece(headings, []))
                    room = words
                pieces[-1].blocks.append(part)
                room -= size
    return pieces or [Piece([], [])]


def _sections(blocks: list[Block]) -> Iterator[tuple[list[str], list[Block]]]:
    """The sections of a page, each from its heading up to the next, with the headings it stands under, its own too."""
    path: list[Block] = []
    section: list[Block] = []
    for block in blocks:
        if block.kind is BlockKind.HEADING:
            if section:
                yield [heading.text for heading in path], section
            path = [*_above(path, block.level), block]
            section = []
        section.append(block)
    if section:
        yield [heading.text for heading in path], section


def _above(path: list[Block], level: int) -> Iterator[Block]:
    return takewhile(lambda heading: heading.level < level, path)


def _common(one: list[str], other: list[str]) -> list[str]:
    return [a for a, _ in takewhile(lambda pair: pair[0] == pair[1], zip(one, other, strict=False))]


def _words(block: Block) -> int:
    return len(block.text.split())


def _parts(block: Block, first: int, words: int) -> Iterator[Block]:
    """A block in parts that stand for themselves, the first of no more than `first` words, the others of `words`."""
    if _words(block) <= first:
        yield block
    elif block.kind is BlockKind.CODE:
        language = block.markdown.partition("\n")[0].lstrip("`")
        for text in _packed(block.text.split("\n"), "\n", first, words):
            yield Block(block.kind, text, fenced(text, language))
    elif block.kind is BlockKind.TABLE and block.markdown.count("\n") > 2:
        for table in _tables(block, first, words):
            yield from _parts(table, words, words)
    else:
        sentences = [part for line in block.text.split("\n") for part in _SENTENCE_END.split(line)]
        for text in _packed(sentences, " ", first, words):
            yield Block(BlockKind.TEXT, text, paragraph(escaped(text)))


def _tables(table: Block, first: int, words: int) -> Iterator[Block]:
    """A table in tables of fewer rows, each under the same head; one row alone may still have too many words."""
    head, rule, *rows = table.markdown.split("\n")
    texts = table.text.split("\n")
    told = [texts.pop(0)] if len(texts) > len(rows) else []
    taken: list[str] = []
    most = first
    for text, row in zip(texts, rows, strict=True):
        if taken and len(" ".join([*told, text]).split()) > most:
            yield Block(BlockKind.TABLE, "\n".join(told), "\n".join([head, rule, *taken]))
            told, taken, most = [], [], words
        told.append(text)
        taken.append(row)
    yield Block(BlockKind.TABLE, "\n".join(told), "\n".join([head, rule, *taken]))


def _packed(lines: list[str], between: str, first: int, words: int) -> Iterator[str]:
    """Lines put together as long as they have no more than so many words, at first fewer; a longer line is cut."""
    text, room = "", first
    for line in lines:
        while (count := len(line.split())) > room:
            if not text:
                split = line.split()
                text, line = " ".join(split[:room]), " ".join(split[room:])
            yield text
            text, room = "", words
        text, room = f"{text}{between}{line}" if text else line, room - count
    if text.strip():
        yield text
