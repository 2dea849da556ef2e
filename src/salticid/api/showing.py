"""Hunts and races as a notebook shows them: HTML in which everything from the web is escaped."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Mapping, Sequence
from html import escape
from itertools import accumulate
from typing import Any

from salticid.errors import UserError
from salticid.model import Outcome
from salticid.store import StoredVisit


def hunt_as_html(summary: str, visits: Sequence[StoredVisit], best: Sequence[StoredVisit]) -> str:
    """What came of a hunt: a sentence, the best pages, and how its harvest went."""
    positive = [visit.positive for visit in visits if visit.outcome == Outcome.OK.value and not visit.revisit]
    curve = [so_far / pages for pages, so_far in enumerate(accumulate(positive), start=1)]
    rows = [[f"{visit.current_score:.3f}", _link(visit.final_url, visit.title)] for visit in best]
    return f"<p>{escape(summary)}.</p>{_table(('score', 'page'), rows)}{_plot(curve) if curve else ''}"


def league_as_html(means: Mapping[str, Mapping[str, float | None]]) -> str:
    """The means of a race: a row a strategy, a column a measure that could be worked out."""
    measures = list(dict.fromkeys(name for each in means.values() for name, value in each.items() if value is not None))
    rows = [
        [escape(strategy), *("" if (mean := each.get(name)) is None else f"{mean:.3f}" for name in measures)]
        for strategy, each in means.items()
    ]
    return _table(("strategy", *measures), rows)


def _plot(curve: Sequence[float]) -> str:
    """An image, so that its style is not that of the notebook."""
    from salticid.lab.plots import Axes, line_plot, simple_curve, stand_alone  # here: few hunts are shown

    axes, name = Axes("pages fetched", "share so far"), "judged on topic"
    plot = stand_alone(line_plot({name: simple_curve(curve)}, [name], axes, "Harvest"))
    data = b64encode(plot.encode()).decode()
    return f'<img alt="Share judged on topic so far" src="data:image/svg+xml;base64,{data}">'


def _link(url: str, title: str | None) -> str:
    """A link to a page of the web; one that a browser might run is only text."""
    text = escape(title or url)
    if not url.startswith(("http://", "https://")):
        return text
    return f'<a href="{escape(url, quote=True)}" rel="noopener noreferrer" target="_blank">{text}</a>'


def _table(titles: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Cells are HTML already."""
    head = "".join(f"<th>{escape(title)}</th>" for title in titles)
    body = "".join(f"<tr>{''.join(f'<td>{cell}</td>' for cell in row)}</tr>" for row in rows)
    return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"


# Rows as data frames.


def to_pandas(rows: Sequence[Mapping[str, Any]]) -> Any:
    """A data frame of rows; a UserError where pandas is not installed."""
    try:
        from pandas import DataFrame  # type: ignore[import-untyped, unused-ignore]
    except ModuleNotFoundError as error:
        if error.name != "pandas":
            raise
        raise UserError("to_pandas() needs pandas, which is not installed; pip install pandas") from None
    return DataFrame(list(rows))
