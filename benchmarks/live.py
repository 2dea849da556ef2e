"""Crawling over loopback: pages a CPU-second beside Scrapy and a bare loop, and what each stage costs.

The crawler has one core to itself, parser process included, the server the other. All crawlers read the same
pages (`_server`) with as many requests in flight and no delay: real ones where they are at hand, then generated ones.
Ours has robots, manners, scoring and the log on; the hunt is what a person gets who sets nothing.
Scrapy obeys robots too, extracts links and text, follows the links through its own duplicate filter, and writes
a line of JSON a page; what it need not do is switched off. The bare loop does nothing but fetch and parse.
"""

from __future__ import annotations

import importlib.util
import json
import os
import subprocess
import sys
from pathlib import Path

from benchmarks._crawlers import Crawled
from benchmarks._server import CRAWLER_CORE, SERVER_CORE, server
from benchmarks._stages import STAGES
from benchmarks.material import ROOT, collections
from benchmarks.report import figure, say

PAGES = int(os.environ.get("SALTICID_BENCH_PAGES", "3000"))
ROUNDS = 2
HUNT, BEST_FIRST = "salticid as it comes", "salticid best_first"
BOUNDS = {HUNT: 2.5, BEST_FIRST: 3.5}
"""How many times as many pages a CPU-second as Scrapy."""
CRAWLS = {
    HUNT: ("_crawlers", "hunter"),
    f"{HUNT}, with WARC": ("_crawlers", "warc"),
    BEST_FIRST: ("_crawlers", "best_first"),
    f"{BEST_FIRST}, without its log": ("_crawlers", "unlogged"),
    "scrapy": ("_scrapy_spider", "scrapy"),
    "scrapy, selectolax in its callback": ("_scrapy_spider", "quick"),
    "bare aiohttp + lexbor": ("_crawlers", "bare"),
}


def run() -> None:
    """The best of two rounds each, taken in turn, for the machine is not always equally busy."""
    if CRAWLER_CORE == SERVER_CORE:
        say("  one core only: crawler and server share it, which the figures show")
    crawls = dict(CRAWLS)
    if importlib.util.find_spec("scrapy") is None:
        say("  scrapy is not installed (pip install '.[bench]'): nothing to compare with")
        crawls = {name: how for name, how in CRAWLS.items() if "scrapy" not in name}
    for name, folder in collections().items():
        say(f"  {name}")
        _race(crawls, folder)


def _race(crawls: dict[str, tuple[str, str]], folder: Path) -> None:
    rounds = [{name: _crawl(*how, folder) for name, how in crawls.items()} for _ in range(ROUNDS)]
    best = {name: min((done[name] for done in rounds), key=lambda done: done.cpu / done.pages) for name in crawls}
    for name, done in best.items():
        figure(
            f"{name}: {done.pages:,} pages of {done.size / done.pages / 1000:.1f} KB",
            _rate(done),
            "pages/CPU-s",
        )
    hunt, best_first = _rate(best[HUNT]), _rate(best[BEST_FIRST])
    logging = 100 * (1 - best_first / _rate(best[f"{BEST_FIRST}, without its log"]))
    archiving = 100 * (1 - _rate(best[f"{HUNT}, with WARC"]) / hunt)
    figure("the durable log takes of the throughput", logging, "%", 15, at_most=True)
    figure("the WARC takes of the hunt's", archiving, "%", 10, at_most=True)
    for ours, bound in BOUNDS.items():
        for name, done in best.items():
            if "salticid" not in name:
                figure(
                    f"{ours} / {name}",
                    _rate(best[ours]) / _rate(done),
                    "x",
                    bound if name == "scrapy" else None,
                )
    _stages(1e6 / hunt, folder)


def _rate(done: Crawled) -> float:
    return done.pages / done.cpu


def _crawl(module: str, name: str, folder: Path) -> Crawled:
    with server(folder) as port:
        return Crawled(**json.loads(_python(module, name, str(port), str(PAGES))))


def _python(module: str, *arguments: str) -> str:
    command = [sys.executable, "-m", f"benchmarks.{module}", *arguments]
    return subprocess.run(command, cwd=ROOT, stdout=subprocess.PIPE, text=True, check=True).stdout


def _stages(whole: float, folder: Path) -> None:
    """Each stage by itself over the same pages, and what the whole hunt costs beyond them."""
    with server(folder) as port:
        costs: dict[str, float] = json.loads(_python("_stages", str(port), str(PAGES)))
    for name, what in STAGES.items():
        figure(f"{name}: {what}", costs[name], "us/page")
    total = sum(costs.values())
    figure("sum of the stages", total, "us/page")
    figure("the whole hunt", whole, "us/page")
    figure("  of it robots, turns, waiting room, starting up", whole - total, "us/page")
