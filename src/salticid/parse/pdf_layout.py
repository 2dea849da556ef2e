"""In which order people read the lines of a page, and which of them are no text of it."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise

from salticid.parse.pdf_lines import Box, Line

Block = list[Line]
"""Lines that follow each other down a page, in one column."""

_EDGE = 2
"""So many lines at the top of a page, and at its bottom, may be there for the reader to find a place by."""
_FEWEST_PAGES = 3
_SHARE = 0.3  # of the pages, for running heads differ between left and right ones
_NUMBER = re.compile(r"\d+|\b[ivxlc]+\b", re.IGNORECASE)
_NEAR = 1.0  # of a line's size: what is further down is no next line
_BESIDE = 0.3  # of the smaller one's size, which two parts of one line have in common
_GUTTER = 6.0  # points between two columns, at least
_OVERLAP = 3.0  # points by which letters of two lines may reach into each other
_MOST_BLOCKS = 300
"""A page of more is no page for people; it is read as it was written."""


def blocks_in_order(lines: Sequence[Line]) -> list[Block]:
    """The lines of a page in blocks, as they are read: down a column, then down the next.

    Lines are left as they were written within a block; only blocks are put in order, and only where they were written
    in one that nobody reads in. What reaches over several columns parts what is above from what is below.

    >>> left, right = Line("left", Box(50, 100, 250, 112), 12), Line("right", Box(300, 100, 500, 112), 12)
    >>> head, foot = Line("head", Box(50, 50, 500, 70), 20), Line("foot", Box(50, 700, 500, 712), 12)
    >>> [block[0].text for block in blocks_in_order([foot, right, head, left])]
    ['head', 'left', 'right', 'foot']
    """
    blocks = list(_blocks(lines))
    if len(blocks) > _MOST_BLOCKS or not (jumps := _jumps(blocks)):
        return blocks
    ordered = _in_order(blocks)
    return ordered if _jumps(ordered) < jumps else blocks


def without_running_heads(pages: Sequence[Sequence[Line]]) -> list[list[Line]]:
    """The lines of all pages without those at their edges that stand on many of them, numbers apart.

    >>> texts = [["Eyes", "one", "two", f"page {n}"] for n in "123"]
    >>> pages = [[Line(text, Box(0, 20 * at, 9, 20 * at + 9), 9) for at, text in enumerate(each)] for each in texts]
    >>> [line.text for page in without_running_heads([*pages[:2], pages[2][:1]]) for line in page]
    ['one', 'two', 'page 1', 'one', 'two', 'page 2']
    """
    edges = [_edge_lines(page) for page in pages]
    counts = Counter(key for edge in edges for key in set(edge.values()))
    least = max(_FEWEST_PAGES, _SHARE * len(pages))
    return [
        [line for at, line in enumerate(page) if counts[edge.get(at, "")] < least or at not in edge]
        for page, edge in zip(pages, edges, strict=True)
    ]


def _edge_lines(page: Sequence[Line]) -> dict[int, str]:
    """The places of the lines at the edges of a page, each with what it says, numbers apart."""
    down = sorted(range(len(page)), key=lambda at: page[at].box.top)
    top = min(_EDGE, (len(page) + 1) // 2)
    bottom = min(_EDGE, len(page) - top)
    ends = [(at, "top") for at in down[:top]] + [(at, "bottom") for at in down[len(down) - bottom :]]
    return {at: f"{end} {_NUMBER.sub('#', page[at].text)}" for at, end in ends}


def _blocks(lines: Sequence[Line]) -> Iterator[Block]:
    block: Block = []
    for line in lines:
        if block and not _follows(line, block[-1]):
            yield block
            block = []
        block.append(line)
    if block:
        yield block


def _follows(line: Line, before: Line) -> bool:
    """Whether a line may be the next one below another."""
    if beside(line, before):
        return True
    down = line.box.top - before.box.bottom
    below = -0.5 * line.size <= down <= _NEAR * line.size and line.box.bottom > before.box.bottom
    return below and line.box.left < before.box.right and before.box.left < line.box.right


def beside(line: Line, before: Line) -> bool:
    """Whether a line goes on where another ends, as behind an index or an exponent.

    >>> beside(Line(" + 1", Box(22, 0, 40, 10), 10), Line("x2", Box(10, -4, 21, 10), 10))
    True
    """
    common = min(line.box.bottom, before.box.bottom) - max(line.box.top, before.box.top)
    gap = line.box.left - before.box.right
    return common >= _BESIDE * min(line.size, before.size) and abs(gap) <= max(line.size, before.size)


def _jumps(blocks: Sequence[Block]) -> int:
    """How often a reader has to go up again in a column, or back to one on the left and not down."""
    jumps = 0
    for before, after in pairwise(map(_around, blocks)):
        up = after.bottom < before.top + _OVERLAP
        jumps += up and after.left < before.right - _GUTTER
    return jumps


def _in_order(blocks: list[Block]) -> list[Block]:
    """Blocks as they are read: band by band, and the columns of a band one by one."""
    if len(blocks) < 2:
        return blocks
    boxes = {id(block): _around(block) for block in blocks}
    box_of: Callable[[Block], Box] = lambda block: boxes[id(block)]  # noqa: E731
    bands = _parted(blocks, lambda block: (box_of(block).top, box_of(block).bottom), -_OVERLAP)
    ordered: list[Block] = []
    at = 0
    while at < len(bands):
        columns, end = [bands[at]], at + 1
        for stop in range(at + 1, len(bands) + 1):  # as many bands as share their columns
            together = [block for band in bands[at:stop] for block in band]
            parted = _parted(together, lambda block: (box_of(block).left, box_of(block).right), _GUTTER)
            if len(parted) < 2:
                break
            columns, end = parted, stop
        if len(columns) == 1 and len(bands) == 1:  # nothing parts them: as they were written
            return blocks
        for column in columns:
            ordered += _in_order(column)
        at = end
    return ordered


def _parted(
    blocks: list[Block], extent: Callable[[Block], tuple[float, float]], gap: float
) -> list[list[Block]]:
    """Groups of blocks, each of which ends before the next one begins, by a gap at least."""
    groups: list[list[Block]] = []
    reach = 0.0
    for block in sorted(blocks, key=lambda block: extent(block)[0]):
        start, end = extent(block)
        if groups and start < reach + gap:
            groups[-1].append(block)
            reach = max(reach, end)
        else:
            groups.append([block])
            reach = end
    # Within a group they stay as they were written.
    place = {id(block): at for at, block in enumerate(blocks)}
    return [sorted(group, key=lambda block: place[id(block)]) for group in groups]


def _around(block: Block) -> Box:
    return Box(
        min(line.box.left for line in block),
        min(line.box.top for line in block),
        max(line.box.right for line in block),
        max(line.box.bottom for line in block),
    )
