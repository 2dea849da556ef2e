"""How well the generated web stands in for real ones: do the same strategies win on them?"""

from __future__ import annotations

import os
import shutil
from itertools import combinations
from pathlib import Path

from scipy.stats import spearmanr

from benchmarks.material import CACHE
from benchmarks.report import say
from salticid.lab.compare import run_experiment
from salticid.lab.experiment import Experiment
from salticid.lab.reproduce.reproduction import grounds
from salticid.worlds.topics import TopicPlan

PAGES, BUFFER = 300, 256
STRATEGIES = (
    "adaptive_n", "anchor", "best_first", "best_n_first:n=16", "best_n_first:n=256", "breadth_first", "context_graph",
    "fish_search", "infospiders", "myspiders", "neighbourhood", "opic", "random_walk", "shark_search", "transition",
    "url_keyword",
)  # fmt: skip


def run() -> None:
    """Shares of the oracle on each world, task neighbours, and Spearman's rank correlation of their order."""
    shared = Path(os.environ.get("SALTICID_SHARED") or CACHE.parents[2] / "shared") / "data"
    out = CACHE / "stand-in"
    shares: dict[str, list[float]] = {}
    for ground in grounds(shared if shared.is_dir() else None, out, lambda *_: None):
        topics = ground.topics(out, TopicPlan(task="neighbours"))
        pagerank = f"pagerank:cross_domain={str(not ground.one_host).lower()}"
        experiment = Experiment(str(ground.world), str(topics), (*STRATEGIES, pagerank), PAGES, BUFFER)
        results = run_experiment(experiment, out / f"race-{ground.name}", os.cpu_count() or 1, lambda *_: None)
        means = [results.strategies[name]["oracle_share"].mean or 0.0 for name in experiment.strategies]
        shares[ground.name] = means
        say(f"  {ground.name}, {len(results.topics)} topics:")
        for mean, name in sorted(zip(means, experiment.strategies, strict=True), reverse=True):
            say(f"    {name.partition(':cross')[0]:<22} {100 * mean:5.1f} %")
        shutil.rmtree(out / f"race-{ground.name}", ignore_errors=True)
    for a, b in combinations(shares, 2):
        found = spearmanr(shares[a], shares[b])
        say(f"  rank correlation of {a} and {b}: {found.statistic:+.2f} (p = {found.pvalue:.2g})")
