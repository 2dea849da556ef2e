"""Visits a second over a recorded web: the whole crawl, with a log in memory and with the stored one."""

from __future__ import annotations

import shutil
import time
from pathlib import Path

from benchmarks.material import CACHE, topics, world
from benchmarks.report import figure, say
from salticid.judges import judges
from salticid.model import Limits
from salticid.protocols import Log
from salticid.runs.order import Recipe
from salticid.runs.recorded import RecordedCrawl
from salticid.store.log import CrawlLog
from salticid.store.memory_log import MemoryLog
from salticid.strategies import strategies
from salticid.truth import load_topic
from salticid.webs.recorded import RecordedWeb

LIMITS = Limits(max_pages=2000, max_buffer=256)


def run() -> None:
    """best_first, 2,000 pages, max_buffer 256, over a few topics; the means."""
    files = topics("examples")[::8]
    if not files:
        say("  no labels, no topics: nothing to crawl")
        return
    for stored, target in ((False, 5000), (True, 2500)):
        measured = [_rates(file, stored) for file in files]
        name = "stored log" if stored else "log in memory"
        figure(f"best_first, {name}, CPU", sum(cpu for cpu, _ in measured) / len(files), "visits/s", target)
        figure(f"best_first, {name}, clock", sum(wall for _, wall in measured) / len(files), "visits/s")


def _rates(file: Path, stored: bool) -> tuple[float, float]:
    """Visits per CPU second and per second of one crawl, from reading the topic to the closed log."""
    topic, _ = load_topic(file)
    web = RecordedWeb(world())
    folder = CACHE / "crawl"
    shutil.rmtree(folder, ignore_errors=True)
    cpu, wall = time.process_time(), time.perf_counter()
    log: Log = CrawlLog(folder, web.urls, web.words) if stored else MemoryLog()
    crawl = RecordedCrawl(
        topic, web, Recipe(strategies.make("best_first"), judges.make("cosine"), LIMITS), log
    )
    if isinstance(log, CrawlLog):
        log.begin({})
    crawl.run()
    if isinstance(log, CrawlLog):
        log.close()
    visits = crawl.crawl.step
    return visits / (time.process_time() - cpu), visits / (time.perf_counter() - wall)
