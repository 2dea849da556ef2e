"""A million links wait within 300 MB, whatever the crawl has been through."""

import subprocess
import sys
from pathlib import Path

import pytest

MEGABYTES = 300

MILLION = """
import gc, os
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
links, page, more = 1_000_000, 500, 50
order = dice.permutation(links + 10_000).astype(np.int32)
before = resident()
frontier = Frontier(Numbers(), limit=links)
for first in range(0, len(order), page):
    frontier.push(order[first : first + page], dice.random(page), source=first // page)
assert frontier._worst is not None
print("filled", resident() - before)
most = before
for step in range(2_000):
    frontier.pop(1)
    known, new = dice.integers(links, size=10), links + 10_000 + np.arange(40 * step, 40 * step + 40)
    frontier.push(np.append(known, new), dice.random(more), source=30_000 + step)
    if step % 200 == 0:
        most = max(most, resident())
print("crawled_on", most - before)
for _ in range(2):
    frontier.rescore_from({source: dice.random() for source in range(len(order) // page)})
    most = max(most, resident())
print("judge_retrained", most - before)
assert len(frontier) == links
"""


@pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="resident memory is read from Linux's /proc")
def test_a_million_links_fit(capsys: pytest.CaptureFixture[str]) -> None:
    ran = subprocess.run([sys.executable, "-c", MILLION], capture_output=True, text=True, check=True)
    grown = {since: float(size) for since, size in map(str.split, ran.stdout.splitlines())}
    assert grown.keys() == {"filled", "crawled_on", "judge_retrained"}
    for since, size in grown.items():
        with capsys.disabled():
            print(f"\na frontier of 1,000,000 links, {since}: {size:.0f} MB")
        assert 50 < size < MEGABYTES
