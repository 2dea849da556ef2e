"""Plots as SVG: curves and bars. Colors, fonts and dashes come from the page's style sheet."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby, pairwise
from textwrap import wrap

from markupsafe import Markup

from salticid.lab.plots.svg import (
    DASHED,
    LABEL_GAP,
    LEFT,
    LETTER,
    LINE,
    LONGEST_LABEL,
    STYLES,
    WIDTH,
    Axes,
    Scale,
    finite,
    frame,
    grid,
    middle_text,
    place_text,
    plot,
    right_edge,
    round_bounds,
    shorten,
    svg,
    tag,
    upright_scale,
)
from salticid.lab.results import Curve

MOST_POINTS = 120
MOST_BANDS = 6
"""With more curves their bands would hide one another: then each has one error bar, all at different places."""
FEW_BARS = 8
"""Error bars along the x axis stand at so many places of a curve."""

Point = tuple[float, float]


def strip_plot(counts: Mapping[str, int], label: str) -> Markup:
    """How many there are of each kind: a bar in parts, and what each part is below it; kinds name its style."""
    total = sum(counts.values()) or 1
    parts, x = [], 0.0
    for at, (kind, count) in enumerate(counts.items()):
        width = (WIDTH - 2) * count / total
        parts.append(tag("rect", class_=f"v {kind}", x=x, y=0, width=max(0.0, width - 2), height=22))
        key = at * WIDTH / len(counts)
        parts.append(tag("rect", class_=f"v {kind}", x=key, y=33, width=11, height=11))
        parts.append(tag("text", f"{count} {kind}", x=key + 16, y=43))
        x += width
    return svg(WIDTH, 48, label, "plot", parts)


@dataclass(frozen=True, slots=True)
class _PlotCurve:
    """A curve with its few points: x, mean, low, high."""

    name: str
    style: int
    points: list[tuple[float, float, float, float]]


def simple_curve(values: Sequence[float], first: int = 1) -> Curve:
    """Values at places one apart, without errors."""
    return Curve([float(first + at) for at in range(len(values))], [*values], [0.0] * len(values))


def line_plot(
    curves: Mapping[str, Curve],
    order: Sequence[str],
    axes: Axes,
    title: str,
    x_errors: Mapping[str, Sequence[float]] | None = None,
) -> Markup:
    """Curves with error bands, each named at its end; "" when there is nothing to draw.

    `order` are all strategies of the report: a strategy's place there is its colour in every plot. `x_errors` are
    standard errors along the x axis, where that was measured too: bars at a few places.
    """
    lines = [each for each in (_curve_of(name, curves[name], order, axes) for name in curves) if each.points]
    if not lines:
        return Markup("")
    right = right_edge(each.name for each in lines)
    x, y = _scales(lines, axes, right)
    ends = _spread([y.at(each.points[-1][1]) for each in lines], y.end + 6, y.start - 2)
    with_bands = len(lines) <= MOST_BANDS
    parts = frame(axes, y, right, _ticks(x, y))
    parts += [_band(each, x, y) for each in lines] if with_bands else []
    parts += [_curve(each, x, y) for each in lines]
    parts += [] if with_bands else [_error_bar(each, x, y, n / len(lines)) for n, each in enumerate(lines)]
    for each in lines:
        errors = (x_errors or {}).get(each.name, ())
        parts += _bars_along(each.style, curves[each.name], errors, x, y)
    parts += [_label(each, x, y, right, at) for each, at in zip(lines, ends, strict=True)]
    label = f"{title}: {axes.y} against {axes.x}, for {', '.join(each.name for each in lines)}"
    return plot(label, parts)


def _curve_of(name: str, curve: Curve, order: Sequence[str], axes: Axes) -> _PlotCurve:
    """A curve without what is no number, or has no place on a logarithmic axis, thinned out."""
    points = []
    for place in _few(len(curve.x)):
        x, mean = finite(curve.x[place]), finite(curve.mean[place])
        if x is None or mean is None or (axes.log and x <= 0):
            continue
        error = finite(curve.se[place]) if place < len(curve.se) else None
        points.append((x, mean, mean - (error or 0.0), mean + (error or 0.0)))
    return _PlotCurve(name, order.index(name) % STYLES if name in order else STYLES - 1, points)


def _few(points: int) -> list[int]:
    """Places of at most so many points, evenly apart, both ends among them."""
    if points <= MOST_POINTS:
        return list(range(points))
    return [round(n * (points - 1) / (MOST_POINTS - 1)) for n in range(MOST_POINTS)]


def _scales(lines: Sequence[_PlotCurve], axes: Axes, right: float) -> tuple[Scale, Scale]:
    points = [point for each in lines for point in each.points]
    first, last = min(point[0] for point in points), max(point[0] for point in points)
    if not axes.log:
        first = min(first, 0)
    if last <= first:
        first, last = (first, first * 2) if axes.log else (first, first + 1)
    low, high = round_bounds(
        min(point[2] for point in points), max(point[3] for point in points), from_zero=axes.from_zero
    )
    if axes.from_zero and min(point[1] for point in points) >= 0:
        low = 0
    return Scale(first, last, LEFT, right, axes.log), upright_scale(low, high)


def _ticks(x: Scale, y: Scale) -> Iterable[Markup]:
    """Marks along the x axis, each with its number."""
    for value, text in x.ticks():
        at = x.at(value)
        yield tag("line", class_="tick", x1=at, x2=at, y1=y.start, y2=y.start + 4)
        yield middle_text(text, at, y.start + 18)


def _band(each: _PlotCurve, x: Scale, y: Scale) -> Markup:
    upper = [(point[0], point[3]) for point in each.points]
    lower = [(point[0], point[2]) for point in reversed(each.points)]
    return tag("polygon", class_=f"band s{each.style}", points=_places(upper + lower, x, y))


def _curve(each: _PlotCurve, x: Scale, y: Scale) -> Markup:
    if len(each.points) == 1:
        at, mean = each.points[0][:2]
        line = tag("circle", cx=x.at(at), cy=y.at(mean), r=3.5)
    else:
        line = tag("polyline", points=_places([point[:2] for point in each.points], x, y))
    return tag("g", tag("title", each.name), line, class_=f"curve s{each.style}")


def _error_bar(each: _PlotCurve, x: Scale, y: Scale, share: float) -> Markup:
    """In the right half of the curve, so far from its middle."""
    place, _, low, high = each.points[int(len(each.points) * (1 + share) / 2)]
    at = x.at(place)
    return tag("line", class_=f"bar s{each.style}", x1=at, x2=at, y1=y.at(low), y2=y.at(high))


def _bars_along(style: int, curve: Curve, errors: Sequence[float], x: Scale, y: Scale) -> Iterable[Markup]:
    """Error bars along the x axis at a few places of a curve."""
    step = max(1, len(curve.x) // FEW_BARS)
    for place in range(step // 2, min(len(curve.x), len(errors)), step):
        value, error, height = curve.x[place], errors[place], y.at(curve.mean[place])
        ends = {"x1": x.at(value - error), "x2": x.at(value + error)}
        yield tag("line", class_=f"bar s{style}", **ends, y1=height, y2=height)


def _label(each: _PlotCurve, x: Scale, y: Scale, right: float, at: float) -> Markup:
    """The name beside the end of its curve, and a line from the one to the other: dotted where the curve ends early."""
    end, height = x.at(each.points[-1][0]), y.at(each.points[-1][1])
    kind = f"lead{' far' if right - end > LABEL_GAP else ''} s{each.style}"
    lead = tag("line", class_=kind, x1=end + 2, y1=height, x2=right + 14, y2=at)
    return lead + tag("text", shorten(each.name, LONGEST_LABEL), x=right + 18, y=at + 4)


def _spread(heights: Sequence[float], top: float, bottom: float) -> list[float]:
    """The same heights, moved apart until no two labels touch, and none beyond the ends."""
    gap = min(LABEL_GAP, (bottom - top) / max(len(heights) - 1, 1))
    order = sorted(range(len(heights)), key=heights.__getitem__)
    places = [min(max(height, top), bottom) for height in heights]
    for before, after in pairwise(order):
        places[after] = max(places[after], places[before] + gap)
    if order:
        places[order[-1]] = min(places[order[-1]], bottom)
    for after, before in pairwise(reversed(order)):
        places[before] = min(places[before], places[after] - gap)
    return places


def _places(points: Iterable[Point], x: Scale, y: Scale) -> str:
    """The points as SVG wants them, those at the same place once."""
    places = (f"{place_text(x.at(at))},{place_text(y.at(value))}" for at, value in points)
    return " ".join(place for place, _ in groupby(places))


# Plots made of bars.


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
    low = min(0.0, *(mean - error for each in bars.values() for mean, error in zip(each.mean, each.se, strict=True)))
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
    return tag("g", sample, tag("text", shorten(name, LONGEST_LABEL), x=x + 13, y=y), class_=f"s{style % STYLES}")


def _level(style: int, name: str, value: float, right: float, y: Scale, down: float) -> Markup:
    """A line across the plot, and its key below those of the bars."""
    height, key = place_text(y.at(value)), y.end + 6 + down
    line = tag("polyline", points=f"{LEFT},{height} {place_text(right)},{height}")
    sample = tag("line", class_=f"lead s{style}", x1=right + 6, x2=right + 18, y1=key, y2=key)
    text = tag("text", shorten(name, LONGEST_LABEL), x=right + 21, y=key + 4)
    return tag("g", line, class_=f"curve s{style}") + sample + text
