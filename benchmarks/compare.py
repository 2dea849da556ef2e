"""Three crawlers on all topics of schools-wikipedia, 1,000 pages each, every measure, and the report."""

from __future__ import annotations

import resource
import shutil
import time

from benchmarks.material import CACHE, topics, world
from benchmarks.report import figure, peak_memory, say
from salticid.lab.compare import run_experiment
from salticid.lab.experiment import Experiment
from salticid.lab.report.page import write_report

STRATEGIES = ("best_first", "pagerank:cross_domain=false", "infospiders")
WORKERS = 2


def run() -> None:
    """From nothing to report.html, on two cores; robustness and sweeps apart."""
    files = topics("neighbours")
    if not files:
        say("  no labels, no topics: nothing to compare")
        return
    out = CACHE / "compare"
    shutil.rmtree(out, ignore_errors=True)
    experiment = Experiment(str(world()), str(files[0].parent), STRATEGIES, max_pages=1000, max_buffer=256)
    began = time.perf_counter()
    write_report(run_experiment(experiment, out, WORKERS, lambda *_: None), out / "report.html")
    figure(
        f"{len(STRATEGIES)} crawlers x {len(files)} topics",
        time.perf_counter() - began,
        "s",
        240,
        at_most=True,
    )
    worker = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024
    figure("memory of all processes at the most", peak_memory() + WORKERS * worker, "MB", 2000, at_most=True)
