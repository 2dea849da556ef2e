"""Plots made of bars."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from textwrap import wrap

from markupsafe import Markup

from salticid.lab.plots.numbers import shorten
from salticid.lab.plots.scales import Scale, round_bounds
from salticid.lab.plots.svg_parts import (
    DASHED,
    LABEL_GAP,
    LEFT,
    LETTER,
    LINE,
    LONGEST_LABEL,
    STYLES,
    Axes,
    frame,
    grid,
    middle_text,
    place_text,
    plot,
    right_edge,
    svg,
    tag,
    upright_scale,
)
from salticid.lab.results import Curve


def bar_plot(
    bars: Mapping[str, Curve],
    groups: Sequence[str],
    levels: Mapping[str, float],
    axes: Axes,
    title: str,
) -> Markup:
    """Bars side by side in named groups, with their standard errors; `levels` are drawn across, dashed and named.

    A curve has one value a group; "" when there is nothing to draw.
    """
    heights = [mean + error for each in bars.values() for mean, error in zip(each.mean, each.se, strict=True)]
    if not heights or not groups:
        return Markup("")
    right = right_edge((*bars, *levels))
    low = min(
        0.0, *(mean - error for each in bars.values() for mean, error in zip(each.mean, each.se, strict=True))
    )
    y = upright_scale(*round_bounds(low, max(*heights, *levels.values(), 0.0), from_zero=True))
    wide = (right - LEFT) / len(groups)
    parts = frame(axes, y, right)
    for place, group in enumerate(groups):
        parts.append(_group_name(group, LEFT + wide * (place + 0.5), wide, y.start + 18))
    thick = 0.8 * wide / len(bars)
    for number, (name, each) in enumerate(bars.items()):
        for place, (mean, error) in enumerate(zip(each.mean, each.se, strict=True)):
            at = LEFT + wide * (place + 0.1) + thick * number
            parts.append(_standing_bar(number, (at, thick), mean, error, y))
        parts.append(_key(number, name, right + 8, y.end + 10 + LABEL_GAP * number))
    for number, (name, value) in enumerate(levels.items(), start=len(bars)):
        parts.append(_level(DASHED + number % DASHED, name, value, right, y, LABEL_GAP * number))
    label = f"{title}: {axes.y} for {', '.join(groups)}; {', '.join(bars)}"
    return plot(label, parts)


def distance_plot(
    name: str, style: int, everything: Sequence[int], relevant: Sequence[int], size: tuple[int, int]
) -> Markup:
    """Bars for the pages at 0, 1, 2, ... links from the seeds, and before them bars for the targets among them.

    `size` is how many distances and how many pages have room, the same for all strategies of a report.
    """
    width, height, left, top, bottom = 230, 150, 40, 8, 22
    distances, most = size
    y = Scale(*round_bounds(0, max(most, 1), from_zero=True), height - bottom, top)
    step = (width - left - 4) / max(distances, 1)
    parts = [grid(value, text, y, left, width - 4) for value, text in y.ticks()[::2]]
    for far in range(distances):
        at = left + far * step
        parts.append(_bar("all", at, step, everything, far, y))
        parts.append(_bar("good", at, step, relevant, far, y))
        if far % math.ceil(distances / 10) == 0:
            parts.append(middle_text(str(far), at + step / 2, height - 6))
    label = f"{name}: pages by links from the seeds, from 0 on: {_counts(everything)}; targets: {_counts(relevant)}"
    return svg(width, height, label, f"plot small s{style % STYLES}", parts)


def _group_name(name: str, middle: float, wide: float, top: float) -> Markup:
    """The name of a group below its bars, in as many lines as it takes not to touch the next one."""
    lines = wrap(name, max(1, int(wide / LETTER)), break_long_words=False)
    texts = [middle_text(line, middle, top + LINE * at) for at, line in enumerate(lines)]
    return tag("g", Markup("").join(texts), class_="group")


def _bar(kind: str, at: float, step: float, counts: Sequence[int], far: int, y: Scale) -> Markup:
    count = counts[far] if far < len(counts) else 0
    if count <= 0:
        return Markup("")
    top, inset = y.at(count), 0.1 * step
    return tag("rect", class_=kind, x=at + inset, y=top, width=step - 2 * inset, height=y.start - top)


def _counts(counts: Sequence[int]) -> str:
    return ", ".join(map(str, counts)) or "none"


def _standing_bar(style: int, across: tuple[float, float], mean: float, error: float, y: Scale) -> Markup:
    """A bar from zero to a mean, and on it one standard error either way."""
    at, thick = across
    top, bottom = sorted((y.at(mean), y.at(0.0)))
    middle = at + 0.46 * thick
    bar = tag("rect", class_="all", x=at, y=top, width=0.92 * thick, height=bottom - top)
    errors = tag("line", class_="bar", x1=middle, x2=middle, y1=y.at(mean - error), y2=y.at(mean + error))
    return tag("g", bar, errors, class_=f"s{style % STYLES}")


def _key(style: int, name: str, x: float, y: float) -> Markup:
    sample = tag("rect", class_="all", x=x, y=y - 8, width=9, height=9)
    return tag(
        "g", sample, tag("text", shorten(name, LONGEST_LABEL), x=x + 13, y=y), class_=f"s{style % STYLES}"
    )


def _level(style: int, name: str, value: float, right: float, y: Scale, down: float) -> Markup:
    """A line across the plot, and its key below those of the bars."""
    height, key = place_text(y.at(value)), y.end + 6 + down
    line = tag("polyline", points=f"{LEFT},{height} {place_text(right)},{height}")
    sample = tag("line", class_=f"lead s{style}", x1=right + 6, x2=right + 18, y1=key, y2=key)
    text = tag("text", shorten(name, LONGEST_LABEL), x=right + 21, y=key + 4)
    return tag("g", line, class_=f"curve s{style}") + sample + text
