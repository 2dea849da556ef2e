"""All strategies on ten topics of schools-wikipedia under equal budgets: harvest, recall, and their own cost a page."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from statistics import mean
from typing import Any

from benchmarks.material import topics, world
from benchmarks.report import figure, say
from benchmarks.timed import Timed
from salticid.judges import judges
from salticid.metrics.parts.measure import hits
from salticid.runs.order import Recipe
from salticid.runs.recorded import MemoryLog, RecordedCrawl
from salticid.strategies import strategies
from salticid.topic import Limits
from salticid.truth import load_topic
from salticid.webs.recorded import RecordedWeb

LIMITS = Limits(max_pages=int(os.environ.get("SALTICID_BENCH_PAGES", "300")), max_buffer=256)
TOPICS = 10
ONE_SITE: dict[str, dict[str, Any]] = {"pagerank": {"cross_domain": False}}
"""The collection is one site, on which no link leads to another domain."""
DEAREST = {"pagerank": 2.0, "infospiders": 3.0, "myspiders": 3.0}
"""Milliseconds a page that a strategy may cost; 1 if it is not named here."""


@dataclass(frozen=True, slots=True)
class Raced:
    """One crawl: the share of its pages that are targets, the share of the targets it got, its cost in ms a page."""

    harvest: float
    recall: float
    cost: float


def run() -> None:
    """Task neighbours: the seeds are some links away from the topic."""
    files = topics("neighbours")
    if not files:
        say("  no labels, no topics: nothing to crawl")
        return
    files = files[:: max(1, len(files) // TOPICS)][:TOPICS]
    say(f"  {len(files)} topics, {LIMITS.max_pages} pages, max_buffer {LIMITS.max_buffer}, judge cosine")
    web = RecordedWeb(world())
    for name in strategies.names():
        raced = [_race(web, file, name) for file in files]
        found = f"harvest {mean(r.harvest for r in raced):.3f}, recall {mean(r.recall for r in raced):.3f}"
        figure(f"{name}: {found}", mean(r.cost for r in raced), "ms/page", DEAREST.get(name, 1.0), at_most=True)


def _race(web: RecordedWeb, file: Path, name: str) -> Raced:
    topic, truth = load_topic(file)
    spent = {"own": 0.0}
    strategy: Any = Timed(strategies.make(name, ONE_SITE.get(name)), spent, {"choose": "own", "observe": "own"})
    log = MemoryLog()
    run = RecordedCrawl(topic, web, Recipe(strategy, judges.make("cosine"), LIMITS), log)
    run.run()
    pages = [visit for visit in log.visits if visit.good]
    relevant = hits([web.urls[visit.final] for visit in pages], topic, truth)
    return Raced(
        sum(relevant) / max(1, len(relevant)),
        sum(relevant) / len(truth.targets),
        1000 * spent["own"] / max(1, len(pages)),
    )
