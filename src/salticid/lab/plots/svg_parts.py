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
    return tag("text", text, class_="axis", x=x, y=y, text_anchor="middle")


def upright_title(text: str, y: Scale) -> Markup:
    """What the upright axis shows, along it."""
    place = f"translate(14 {place_text((y.start + y.end) / 2)}) rotate(-90)"
    return tag("text", text, class_="axis", transform=place, text_anchor="middle")


def middle_text(text: str, x: float, y: float) -> Markup:
    """A text around its middle."""
    return tag("text", text, x=x, y=y, text_anchor="middle")


def grid(value: float, text: str, y: Scale, left: float, right: float) -> Markup:
    """A line across the plot at a value, and its text."""
    at = y.at(value)
    line = tag("line", class_="grid", x1=left, x2=right, y1=at, y2=at)
    return line + tag("text", text, x=left - 7, y=at + 4, text_anchor="end")


def svg(width: int, height: int, label: str, kind: str, parts: Iterable[Markup]) -> Markup:
    """A drawing, and what it shows for those who do not see it."""
    box = f"0 0 {width} {height}"
    return tag("svg", Markup("").join(parts), class_=kind, viewBox=box, role="img", aria_label=label)


def tag(name: str, *content: str, **fields: str | float) -> Markup:
    """An element; a field whose name is a word of Python is written with a line under its end. Numbers are places.

    >>> tag("text", "a < b", class_="axis", x=2.04, text_anchor="end")
    Markup('<text class="axis" x="2" text-anchor="end">a &lt; b</text>')
    >>> tag("circle", r=3.5)
    Markup('<circle r="3.5"/>')
    """
    head = Markup("{}").format(name)
    for field, value in fields.items():
        text = value if isinstance(value, str) else place_text(value)
        head += Markup(' {}="{}"').format(field.rstrip("_").replace("_", "-"), text)
    if not content:
        return Markup("<{}/>").format(head)
    return Markup("<{}>{}</{}>").format(head, Markup("").join(content), name)


def place_text(place: float) -> str:
    """A place on paper, to a tenth."""
    return f"{place:.1f}".removesuffix(".0")


def stand_alone(plot: Markup) -> str:
    """A plot as a file of its own, with the colors and fonts of a report inside."""
    style = Path(__file__).with_name("plots.css").read_text(encoding="utf-8").removesuffix("\n")
    head, rest = str(plot).split(">", 1)
    size = f'xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{HEIGHT}"'
    return f"{head} {size}><style>{style}</style>{rest}\n"
