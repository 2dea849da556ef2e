"""Farms: names cost nothing, so many names on one address, or under one domain, get no more than one would."""

from __future__ import annotations

from pathlib import Path

from tests.endless import DULL, Sheet
from tests.farm import crawl

FARM = "127.0.0.66"
NAMES = 1_000


def _thousand(host: str, path: str) -> Sheet:
    """Each name leads to many others."""
    at = int(host[1 : host.index(".")])
    return DULL, [f"http://n{(at * 7 + k) % NAMES}.example/" for k in range(1, 30)]


def test_a_thousand_names_on_one_address_are_asked_as_slowly_as_an_address_deserves(tmp_path: Path) -> None:
    per_address, delay = 8, 1.0
    done = crawl(tmp_path, _thousand, lambda name: FARM, [FARM], ["http://n1.example/"], "--max-fetches", 20)
    begun = [asked.at for asked in done.requests]
    assert len(begun) >= 2 * 20, "each name has a robots.txt too"
    for at, first in enumerate(begun):
        # What began earlier and was late to arrive was under way, and of those there are so many at the most.
        for seconds in (0.5, 1.0, 3.0):
            within = sum(time <= first + seconds for time in begun[at:])
            assert within <= seconds * per_address / delay + 1 + per_address
