"""Parts of plots: SVG elements, scales, and numbers rounded to what their error allows."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from markupsafe import Markup

from salticid.lab.results import Score

# Numbers as a reader wants them: no more decimals than their error allows.

MOST_DECIMALS = 5
MISSING = "–"
MINUS = "−"


def finite(value: float | None) -> float | None:
    """The value, or None where there is no number."""
    return value if value is not None and math.isfinite(value) else None


def decimals(errors: Iterable[float | None], significant: int, otherwise: int) -> int:
    """How many decimals show the smallest error that is not zero with so many significant digits.

    >>> decimals([0.02, 0.11, 0.0], 1, otherwise=3), decimals([12.3], 2, otherwise=3), decimals([None], 1, otherwise=3)
    (2, 0, 3)
    """
    sizes = [error for error in map(finite, errors) if error is not None and error > 0]
    if not sizes:
        return otherwise
    return min(max(significant - 1 - math.floor(math.log10(min(sizes))), 0), MOST_DECIMALS)


def number(value: float | None, digits: int) -> str:
    """A number with so many decimals, thousands apart; a dash for none.

    >>> number(1234.5678, 1), number(-0.25, 2), number(-0.001, 2), number(None, 2)
    ('1,234.6', '−0.25', '0.00', '–')
    """
    value = finite(value)
    if value is None:
        return MISSING
    text = f"{abs(value):,.{digits}f}"
    return MINUS + text if value < 0 and any(digit in text for digit in "123456789") else text


def mean_and_error(score: Score, digits: int) -> str:
    """Mean ± standard error; the mean alone where one topic knows no error.

    >>> mean_and_error(Score(0.4312, 0.0187, 33), 2), mean_and_error(Score(0.5, None, 1), 2)
    ('0.43 ± 0.02', '0.50')
    """
    mean, error = finite(score.mean), finite(score.se)
    if mean is None or error is None:
        return number(mean, digits)
    return f"{number(mean, digits)} ± {number(error, digits)}"


def p_value(p: float | None) -> str:
    """The number alone, for a table: two significant digits, and no more than three decimals.

    >>> p_value(0.00001), p_value(0.0316), p_value(0.314), p_value(None)
    ('< 0.001', '0.032', '0.31', '–')
    """
    p = finite(p)
    if p is None:
        return MISSING
    if p < 0.001:
        return "< 0.001"
    return f"{p:.3f}" if p < 0.0995 else f"{p:.2f}"


def p_text(p: float | None) -> str:
    """The number in a sentence.

    >>> p_text(0.00001), p_text(0.0316), p_text(None)
    ('p < 0.001', 'p = 0.032', 'not tested')
    """
    text = p_value(p)
    if text == MISSING:
        return "not tested"
    return f"p {text}" if text.startswith("<") else f"p = {text}"


def unbroken(text: str) -> str:
    """The text with spaces that no line breaks at within "0.43 ± 0.02" and "p < 0.001".

    >>> unbroken("a 0.43 ± 0.02 (p < 0.001)")
    'a 0.43\\xa0±\\xa00.02 (p\\xa0<\\xa00.001)'
    """
    for sign in ("± ", "p < ", "p = "):
        text = text.replace(sign, sign.replace(" ", "\u00a0"))
    return text.replace(" ±", "\u00a0±")


def shorten(name: str, most: int) -> str:
    """A name that fits: the middle of a long one goes, for settings at its end tell it from others.

    >>> shorten("best_n_first:n=256,admit=always", 20), shorten("opic", 20)
    ('best_n_fi…mit=always', 'opic')
    """
    if len(name) <= most:
        return name
    head = (most - 1) // 2
    return f"{name[:head]}…{name[len(name) - (most - 1 - head) :]}"


# From values to places on paper.


@dataclass(frozen=True, slots=True)
class Scale:
    """Where values from `low` to `high` lie between two places; values beyond are put at the end they passed.

    >>> Scale(0, 10, 100, 200).at(2.5), Scale(1, 100, 0, 50, log=True).at(10), Scale(0, 10, 100, 200).at(99)
    (125.0, 25.0, 200.0)
    """

    low: float
    high: float
    start: float
    end: float
    log: bool = False

    def at(self, value: float) -> float:
        """The place of a value."""
        value = min(max(value, self.low), self.high)
        if self.log:
            share = math.log(value / self.low) / math.log(self.high / self.low)
        else:
            share = (value - self.low) / (self.high - self.low)
        return self.start + (self.end - self.start) * share

    def ticks(self) -> list[tuple[float, str]]:
        """Round values to mark, with their texts.

        >>> Scale(0, 1000, 0, 1).ticks()[:3]
        [(0.0, '0'), (200.0, '200'), (400.0, '400')]
        >>> [text for _, text in Scale(10, 1000, 0, 1, log=True).ticks()]
        ['10', '20', '50', '100', '200', '500', '1,000']
        """
        if self.log:
            return [(value, number(value, 0)) for value in _round_values(self.low, self.high)]
        step = round_step(self.high - self.low)
        digits = max(0, -math.floor(math.log10(step) + 1e-9))
        first, last = math.ceil(self.low / step - 1e-9), math.floor(self.high / step + 1e-9)
        return [(n * step, number(n * step, digits)) for n in range(first, last + 1)]


def round_bounds(low: float, high: float, *, from_zero: bool) -> tuple[float, float]:
    """Round bounds around values, from zero on if wanted, never of no width.

    >>> round_bounds(0.12, 0.43, from_zero=True), round_bounds(312.0, 488.0, from_zero=False)
    ((0.0, 0.45), (300.0, 500.0))
    >>> round_bounds(3.0, 3.0, from_zero=False)
    (2.0, 4.0)
    """
    if from_zero:
        low, high = min(low, 0), max(high, 0)
    if high - low <= 1e-12 * max(abs(low), abs(high), 1e-300):
        room = abs(high) / 3 or 1.0
        low, high = (low, high + room) if from_zero else (low - room, high + room)
    step = round_step(high - low)
    return _tidy(math.floor(low / step + 1e-9) * step), _tidy(math.ceil(high / step - 1e-9) * step)


def round_step(width: float) -> float:
    """A step of 1, 2 or 5 times a power of ten that parts a width into four to nine.

    >>> round_step(1000), round_step(0.43), round_step(90)
    (200.0, 0.05, 10.0)
    """
    power = 10.0 ** math.floor(math.log10(width))
    parts = {1: 0.2, 2: 0.5, 5: 1.0}
    lead = max(first for first in parts if first * power <= width * (1 + 1e-9))
    return _tidy(parts[lead] * power)


def _tidy(value: float) -> float:
    """Without the noise of binary fractions."""
    return float(f"{value:.10g}")


def _round_values(low: float, high: float) -> list[float]:
    powers = range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)
    values = [first * 10.0**power for power in powers for first in (1, 2, 5)]
    return [value for value in values if low <= value <= high]


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
    width, height = head.partition('viewBox="0 0 ')[2].partition('"')[0].split()
    size = f'xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}"'
    return f"{head} {size}><style>{style}</style>{rest}\n"
