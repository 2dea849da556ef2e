"""Where links and headings stand between the tokens of a page, as the marks tell."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from salticid.model import Area, Ints
from salticid.native import at, lib
from salticid.text.tokens import MARKS, MarkedTokens

_LINK, _LINK_END, _HEADING, _ = map(ord, MARKS)


class MarkSpans(NamedTuple):
    """Of each link the `start` and the `end`, none of any where a text breaks off within one; and the runs of equal
    area: META up to the title, HEADING within title and h1, REST.
    """

    start: Ints
    end: Ints
    area_start: Ints
    area: npt.NDArray[np.uint8]


def mark_spans(stream: MarkedTokens) -> MarkSpans:
    """Marks nest as brackets do: HTML may hold an anchor within another."""
    return _with_lists(stream) if lib is None else _compiled(stream)


def _compiled(stream: MarkedTokens) -> MarkSpans:
    many = len(stream.mark)
    start, end, outer, area_start = np.empty((4, many + 1), np.int32)
    area, counts = np.empty(many + 1, np.uint8), np.empty(2, np.int32)
    lib.mark_spans(
        at(stream.mark),
        at(stream.at),
        many,
        at(start),
        at(end),
        at(outer),
        at(area_start),
        at(area),
        at(counts),
    )
    links, areas = counts.tolist()
    links = max(links, 0)
    return MarkSpans(start[:links].copy(), end[:links].copy(), area_start[:areas].copy(), area[:areas].copy())


def _with_lists(stream: MarkedTokens) -> MarkSpans:
    start: list[int] = []
    end: list[int] = []
    still_open: list[int] = []
    starts, areas = [0], [Area.META]
    for mark, place in zip(stream.mark.tolist(), stream.at.tolist(), strict=True):
        if mark == _LINK:
            still_open.append(len(end))
            start.append(place)
            end.append(place)
        elif mark == _LINK_END:
            end[still_open.pop()] = place
        else:
            if starts[-1] == place:
                starts.pop(), areas.pop()
            starts.append(place)
            areas.append(Area.HEADING if mark == _HEADING else Area.REST)
    if still_open:
        start, end = [], []
    return MarkSpans(
        np.array(start, np.int32),
        np.array(end, np.int32),
        np.array(starts, np.int32),
        np.array(areas, np.uint8),
    )
