"""Curves as SVG: colours, fonts and dashes come from the page's style sheet, text is escaped by Markup."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby, pairwise

from markupsafe import Markup

from salticid.lab.plots.numbers import finite, shorten
from salticid.lab.plots.scales import Scale, round_bounds
from salticid.lab.plots.svg_parts import (
    LABEL_GAP,
    LEFT,
    LONGEST_LABEL,
    STYLES,
    Axes,
    frame,
    middle_text,
    place_text,
    plot,
    right_edge,
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
