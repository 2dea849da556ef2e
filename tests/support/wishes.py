"""Wishes of the page, made by hand."""

from __future__ import annotations

from collections.abc import Sequence

from salticid.runs.spec import CrawlSpec
from salticid.service.wish import Mood, Wish
from salticid.topic import Limits, Topic


def wish(
    query: str,
    seeds: Sequence[str],
    origins: Sequence[str],
    strategy: str,
    judge: str,
    max_pages: int,
    began: str,
    mood: Mood = "run",
) -> Wish:
    """A wish to hunt on the live web."""
    topic, limits = Topic(query, query, tuple(seeds)), Limits(max_pages)
    spec = CrawlSpec(topic=topic, strategy=strategy, judge=judge, limits=limits)
    return Wish(spec=spec, began=began, origins=tuple(origins), mood=mood)
