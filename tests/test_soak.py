"""A short soak; `python -m benchmarks soak` is the long one."""

from __future__ import annotations

from benchmarks.soak import soak


def test_a_crawl_of_faulty_hosts_stays_small_polite_and_lively() -> None:
    soaked = soak(15, hosts=100, delay=0.5)
    assert soaked.status == 0
    others = [line for line in soaked.err.splitlines() if not line.startswith(("  http://h", "  and "))]
    assert all(line.endswith("start points could not be read:") for line in others), soaked.err
    assert soaked.hosts.served > 300
    assert soaked.hosts.offences == []
    assert soaked.hosts.longest_silence < 10
    assert soaked.peak < 400 << 20
    assert soaked.growth() < 20_000, (
        "bytes a request: so short a run has not yet seen all words and filled all buffers"
    )
    assert soaked.more_descriptors < 50
