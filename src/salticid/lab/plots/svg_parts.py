"""What all plots are made of."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from markupsafe import Markup

from salticid.lab.plots.numbers import shorten
from salticid.lab.plots.scales import Scale

WIDTH, HEIGHT = 760, 340
LEFT, TOP, BOTTOM = 62, 12, 46
LETTER = 6.9
"""How wide a letter is, roughly."""
SHORTEST_LABEL, LONGEST_LABEL = 8, 34
"""Labels have room for so many letters; figures and capitals, of which short names are made, are wider than most."""
LABEL_GAP = 15.0
LINE = 13.0
"""From one line of a text to its next."""
STYLES = 16
"""So many ways to draw a curve the style sheet knows: eight colours, unbroken and dashed."""
DASHED = STYLES // 2
"""Styles from this one on are dashed: what a paper reports is drawn so."""


@dataclass(frozen=True, slots=True)
class Axes:
    """What a plot's axes say, and how they run."""

    x: str
    y: str
    from_zero: bool = True
    log: bool = False


def label_width(names: Iterable[str]) -> float:
    """How much room the longest of some names needs beside a plot."""
    return LETTER * max(SHORTEST_LABEL, *(len(shorten(name, LONGEST_LABEL)) for name in names))


def right_edge(names: Iterable[str]) -> float:
    """Where a plot ends that has these names beside it."""
    return WIDTH - 24 - label_width(names)


def upright_scale(low: float, high: float) -> Scale:
    """From the bottom of a plot to its top."""
    return Scale(low, high, HEIGHT - BOTTOM, TOP)


def frame(axes: Axes, y: Scale, right: float, ticks: Iterable[Markup] = ()) -> list[Markup]:
    """Lines across a plot, the ticks of its x axis, and what both axes show."""
    lines = (grid(value, text, y, LEFT, right) for value, text in y.ticks())
    return [*lines, *ticks, axis_title(axes.x, (LEFT + right) / 2, HEIGHT - 6), upright_title(axes.y, y)]


def plot(label: str, parts: Iterable[Markup]) -> Markup:
    """A drawing of the usual size."""
    return svg(WIDTH, HEIGHT, label, "plot", parts)


def axis_title(text: str, x: float, y: float) -> Markup:
    """What an axis shows, below it."""
    return Markup('<text class="axis" x="{}" y="{}" text-anchor="middle">{}</text>').format(
        place_text(x), place_text(y), text
    )


def upright_title(text: str, y: Scale) -> Markup:
    """What the upright axis shows, along it."""
    return Markup(
        '<text class="axis" transform="translate(14 {}) rotate(-90)" text-anchor="middle">{}</text>'
    ).format(place_text((y.start + y.end) / 2), text)


def middle_text(text: str, x: float, y: float) -> Markup:
    """A text around its middle."""
    return Markup('<text x="{}" y="{}" text-anchor="middle">{}</text>').format(
        place_text(x), place_text(y), text
    )


def grid(value: float, text: str, y: Scale, left: float, right: float) -> Markup:
    """A line across the plot at a value, and its text."""
    at = y.at(value)
    return Markup(
        '<line class="grid" x1="{}" x2="{}" y1="{}" y2="{}"/><text x="{}" y="{}" text-anchor="end">{}</text>'
    ).format(
        place_text(left),
        place_text(right),
        place_text(at),
        place_text(at),
        place_text(left - 7),
        place_text(at + 4),
        text,
    )


def svg(width: int, height: int, label: str, kind: str, parts: Iterable[Markup]) -> Markup:
    """A drawing, and what it shows for those who do not see it."""
    return Markup('<svg class="{}" viewBox="0 0 {} {}" role="img" aria-label="{}">{}</svg>').format(
        kind, width, height, label, Markup("").join(parts)
    )


def place_text(place: float) -> str:
    """A place on paper, to a tenth."""
    return f"{place:.1f}".removesuffix(".0")


def stand_alone(plot: Markup) -> str:
    """A plot as a file of its own, with the colors and fonts of a report inside."""
    style = Path(__file__).with_name("plots.css").read_text(encoding="utf-8").removesuffix("\n")
    head, rest = str(plot).split(">", 1)
    size = f'xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{HEIGHT}"'
    return f"{head} {size}><style>{style}</style>{rest}\n"
