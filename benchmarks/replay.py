"""Visits a second over a recorded web: the whole crawl, with a log in memory and with the stored one."""

from __future__ import annotations

import shutil
import time
from pathlib import Path
from typing import NamedTuple

from benchmarks.material import CACHE, topics, world
from benchmarks.report import figure, say
from salticid.judges import judges
from salticid.protocols import Log
from salticid.runs.order import Recipe
from salticid.runs.recorded import MemoryLog, RecordedCrawl
from salticid.store.log import CrawlLog
from salticid.strategies import strategies
from salticid.topic import Limits
from salticid.truth import load_topic
from salticid.webs.recorded import RecordedWeb

LIMITS = Limits(max_pages=2000, max_buffer=256)


def run() -> None:
    """best_first and hunter, 2,000 pages, over a few topics; the means."""
    files = topics("examples")[::8]
    if not files:
        say("  no labels, no topics: nothing to crawl")
        return
    for strategy, stored, target in (
        ("best_first", False, 15_000),
        ("best_first", True, None),
        ("hunter", False, 3000),
    ):
        measured = [_rates(file, strategy, stored) for file in files]
        name = f"{strategy}, {'stored log' if stored else 'log in memory'}"
        figure(f"{name}, CPU", sum(rates.cpu for rates in measured) / len(files), "visits/s", target)
        figure(f"{name}, clock", sum(rates.clock for rates in measured) / len(files), "visits/s")
        figure(f"{name}, CPU, good pages", sum(rates.good for rates in measured) / len(files), "pages/s")


class Rates(NamedTuple):
    """Visits a CPU second and a second, and good pages a CPU second."""

    cpu: float
    clock: float
    good: float


def _rates(file: Path, strategy: str, stored: bool) -> Rates:
    """One crawl, from reading the topic to the closed log."""
    topic, _ = load_topic(file)
    web = RecordedWeb(world())
    folder = CACHE / "crawl"
    shutil.rmtree(folder, ignore_errors=True)
    cpu, clock = time.process_time(), time.perf_counter()
    log: Log = CrawlLog(folder, web.urls, web.words) if stored else MemoryLog()
    made = strategies.make(strategy)
    recipe = Recipe(made, judges.make(getattr(made, "judge", "cosine")), LIMITS)
    crawl = RecordedCrawl(topic, web, recipe, log)
    if isinstance(log, CrawlLog):
        log.begin({})
    crawl.run()
    if isinstance(log, CrawlLog):
        log.close()
    cpu, clock = time.process_time() - cpu, time.perf_counter() - clock
    return Rates(crawl.crawl.step / cpu, crawl.crawl.step / clock, crawl.crawl.pages / cpu)
