"""Scrapy with our scheduler and with its own: processor time a page.

The spider, the server and the settings are those of `live`; only what orders the requests differs. Ours reads every
page once more to score its links, and has its log.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys

from benchmarks._crawlers import KEYWORDS, Crawled
from benchmarks._server import server
from benchmarks.material import ROOT
from benchmarks.report import figure

PAGES = int(os.environ.get("SALTICID_BENCH_PAGES", "3000"))
ROUNDS = 2
OWN, ON_DISK = "scrapy's own, in memory", "scrapy's own, on disk"
_OURS = {"SCHEDULER": "salticid.scrapy.Scheduler", "SALTICID_KEYWORDS": KEYWORDS}
SCHEDULERS = {
    OWN: {},
    ON_DISK: {"JOBDIR": "FOLDER/job"},
    "best_first, in memory": _OURS | {"SALTICID_STRATEGY": "best_first"},
    "best_first, on disk": _OURS | {"SALTICID_STRATEGY": "best_first", "SALTICID_DIR": "FOLDER/crawl"},
    "hunter, on disk": _OURS | {"SALTICID_DIR": "FOLDER/crawl"},
}


def run() -> None:
    """The best of two rounds each, taken in turn, for the machine is not always equally busy."""
    rounds = [{name: _crawl(settings) for name, settings in SCHEDULERS.items()} for _ in range(ROUNDS)]
    best = {name: min(1e3 * done[name].cpu / done[name].pages for done in rounds) for name in SCHEDULERS}
    for name, cost in best.items():
        figure(f"{name}: {PAGES:,} pages", cost, "ms/page")
    for name in SCHEDULERS:
        if name not in (OWN, ON_DISK):
            beside = ON_DISK if name.endswith("disk") else OWN
            figure(f"{name}, beyond {beside}", best[name] - best[beside], "ms/page")


def _crawl(settings: dict[str, str]) -> Crawled:
    with server() as port:
        command = [sys.executable, "-m", "benchmarks._scrapy_spider", "scrapy", str(port), str(PAGES)]
        command.append(json.dumps(settings))
        said = subprocess.run(command, cwd=ROOT, stdout=subprocess.PIPE, text=True, check=True).stdout
        return Crawled(**json.loads(said))
