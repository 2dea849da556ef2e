"""A million links wait within 300 MB, whatever the crawl has been through."""

import subprocess
import sys
from pathlib import Path

import pytest

MEGABYTES = 300

MILLION = """
import gc, os, sys
import numpy as np
from salticid.strategies.parts.frontier import Frontier

class Numbers:
    def host(self, url):
        return url % 20_000

def resident():
    gc.collect()
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE") / 1e6

dice = np.random.default_rng(0)
links, page = 1_000_000, 50
order = dice.permutation(links + 10_000).astype(np.int32)
before = most = resident()
frontier = Frontier(Numbers(), limit=links)
for first in range(0, len(order), page):
    frontier.push(order[first : first + page], dice.random(page), source=first // page)
assert frontier._worst is not None
most = resident()
if "crawled on" in sys.argv:
    for step in range(20_000):
        frontier.pop(1)
        known, new = dice.integers(links, size=10), links + 10_000 + np.arange(40 * step, 40 * step + 40)
        frontier.push(np.append(known, new), dice.random(page), source=30_000 + step)
        if step % 500 == 0:
            most = max(most, resident())
if "judge retrained" in sys.argv:
    for _ in range(3):
        frontier.rescore_from({source: dice.random() for source in range(len(order) // page)})
        most = max(most, resident())
assert len(frontier) == links
print(most - before)
"""


@pytest.mark.skipif(
    not Path("/proc/self/statm").exists(), reason="resident memory is read from Linux's /proc"
)
@pytest.mark.parametrize("since", ["filled", "crawled on", "judge retrained"])
def test_a_million_links_fit(since: str, capsys: pytest.CaptureFixture[str]) -> None:
    ran = subprocess.run([sys.executable, "-c", MILLION, since], capture_output=True, text=True, check=True)
    grown = float(ran.stdout)
    with capsys.disabled():
        print(f"\na frontier of 1,000,000 links, {since}: {grown:.0f} MB")
    assert 50 < grown < MEGABYTES
