"""Plots as SVG text: lines, bars, and numbers rounded to what their error allows."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from salticid.lab.plots.plots import bar_plot, distance_plot, line_plot, simple_curve, strip_plot
    from salticid.lab.plots.svg import (
        DASHED,
        MINUS,
        MISSING,
        Axes,
        decimals,
        finite,
        mean_and_error,
        number,
        p_text,
        p_value,
        stand_alone,
        unbroken,
    )
else:
    from salticid.doors import door

    __all__, __getattr__ = door(__name__)
