"""The figures of a paper, drawn anew from what came out here."""

from __future__ import annotations

import re
from collections.abc import Mapping

import msgspec
from markupsafe import Markup

from salticid.lab.plots.bars import bar_plot
from salticid.lab.plots.lines import line_plot
from salticid.lab.plots.svg_parts import DASHED, Axes
from salticid.lab.results import Curve


class PaperFigure(msgspec.Struct, frozen=True):
    """One figure of a paper with our numbers: curves, or bars where the places on the x axis have names (`groups`).

    `number` is the paper's, "Figure 2a"; `quote` what the paper says of it; `levels` are numbers it prints, drawn
    across the plot. `x_errors` has standard errors along the x axis, where both axes were measured. `main`: shown in
    the docs too.
    """

    number: str
    title: str
    where: str
    quote: str
    x: str
    y: str
    curves: dict[str, Curve]
    groups: list[str] = []
    levels: dict[str, float] = {}
    x_errors: dict[str, list[float]] = {}
    from_zero: bool = True
    log: bool = False
    main: bool = False

    @property
    def name(self) -> str:
        """A name for a file that needs no escape in a link."""
        return "-".join(re.findall(r"[a-z0-9]+", f"{self.number} {self.where}".lower()))


def draw(figure: PaperFigure) -> Markup:
    """The figure as SVG that the style of a report colours; "" when there is nothing to draw."""
    order = [*figure.curves, *[""] * (DASHED - len(figure.curves)), *figure.levels]
    axes = Axes(figure.x, figure.y, figure.from_zero, figure.log)
    title = f"{figure.number}, {figure.title}"
    if figure.groups:
        return bar_plot(figure.curves, figure.groups, figure.levels, axes, title)
    curves = {**figure.curves, **_levels(figure)}
    return line_plot(curves, order, axes, title, figure.x_errors)


def _levels(figure: PaperFigure) -> Mapping[str, Curve]:
    places = [x for curve in figure.curves.values() for x in curve.x]
    if not places:
        return {}
    ends = [min(places), max(places)]
    return {name: Curve(ends, [value] * 2, [0.0] * 2) for name, value in figure.levels.items()}
