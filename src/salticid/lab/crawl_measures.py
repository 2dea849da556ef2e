"""All measures of one crawl."""

from __future__ import annotations

from collections.abc import Mapping

import msgspec
import numpy as np

from salticid.errors import UserError
from salticid.metrics.distance import histogram
from salticid.metrics.parts.judged_crawl import JudgedCrawl
from salticid.metrics.parts.measure import Measure, Metric, Need, measure_of
from salticid.model import Bools, Floats

POINTS = 100
"""Values a curve along the crawl is shown with."""
RECALLS = tuple(round(0.05 * step, 2) for step in range(1, 21))
"""Recall at which precision is looked at."""


class CrawlMeasures(msgspec.Struct):
    """What the measures say of a crawl: a value each, curves at the places of `grid`, histograms."""

    values: dict[str, float | None]
    curves: dict[str, list[float]]
    histograms: dict[str, list[int]]


def grid(max_pages: int) -> list[int]:
    """After how many pages a curve is looked at.

    >>> grid(3)
    [1, 2, 3]
    """
    places: list[int] = np.unique(np.rint(np.linspace(1, max_pages, POINTS)).astype(np.int64)).tolist()
    return places


def measure_crawl(crawl: JudgedCrawl, metrics: Mapping[str, Metric]) -> CrawlMeasures:
    """Measure one crawl of a topic; and draw what reports show beside measures."""
    values: dict[str, float | None] = {}
    curves: dict[str, list[float]] = {}
    for name, metric in metrics.items():
        measure = measure_of(metric, name)
        value = _compute(crawl, measure, metric)
        if isinstance(value, np.ndarray):
            curves[name] = value.tolist() if measure.tops else _at_grid(value, crawl.topic.length)
            value = float(value[-1 if measure.top is None else measure.tops.index(measure.top)])
        values[name] = value
    if targets := len(crawl.topic.targets):
        curves["precision_recall"] = _precision_at_recall(np.array(crawl.relevant, np.bool_), targets)
    away = crawl.topic.away
    return CrawlMeasures(
        values,
        curves,
        {
            "distance_all": histogram(away, crawl.pages),
            "distance_relevant": histogram(away, crawl.pages[crawl.is_target]),
        },
    )


def _compute(crawl: JudgedCrawl, measure: Measure, metric: Metric) -> float | Floats | None:
    """A number or a curve; None where what the measure needs is not there, or where it is not finite throughout."""
    if not all(crawl.has(need) for need in measure.needs if isinstance(need, Need)):
        return None
    try:
        value = metric(crawl)
        numbers = np.zeros(0) if value is None else np.asarray(value, np.float64)
    except Exception as error:
        cause = f"{type(error).__name__}: {error}"
        raise UserError(f"the measure {measure.name} failed on {crawl.topic.topic.name}: {cause}") from error
    if not numbers.size or not np.isfinite(numbers).all():
        return None
    if numbers.ndim > 1 or (measure.tops and numbers.shape != (len(measure.tops),)):
        raise UserError(
            f"the measure {measure.name} gave numbers of shape {numbers.shape}; give one, or a curve"
        )
    return numbers if numbers.ndim else float(numbers)


def _precision_at_recall(relevant: Bools, targets: int) -> list[float]:
    """Precision at the page where each recall is reached; 0 where it never is."""
    hits = np.cumsum(relevant)
    places = hits.searchsorted([np.ceil(recall * targets - 1e-9) for recall in RECALLS])
    pages = np.minimum(places, max(len(hits) - 1, 0))
    there = places < len(hits)
    precise = hits[pages] / (pages + 1) if len(hits) else np.zeros(len(RECALLS))
    shares: list[float] = np.where(there, precise, 0.0).tolist()
    return shares


def _at_grid(curve: Floats, length: int) -> list[float]:
    """The values of a curve at the grid; one that ended sooner keeps its last."""
    places = np.minimum(np.array(grid(length)), len(curve)) - 1
    values: list[float] = curve[places].tolist()
    return values
