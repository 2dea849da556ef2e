"""A crawl that is killed, whenever and however often, loses nothing that it kept and tears nothing."""

from __future__ import annotations

import random
import time
from pathlib import Path

import pytest
from tests.killing import Program, Site, alive, check_whole, children_of, crawl_through_kills, live, served

CONCURRENCY = 8


@pytest.mark.parametrize("strategy", ["best_first"])
def test_a_crawl_killed_at_odd_moments_ends_with_every_page_once_and_whole(tmp_path: Path, strategy: str) -> None:
    site, folder = Site(pages=300, seconds=0.04), tmp_path / "crawl"
    with served(site) as port:
        topic = site.write_topic(tmp_path / "t.toml")
        order = ("crawl", topic, "--strategy", strategy, *live(port, CONCURRENCY), "--out", folder)
        told = crawl_through_kills(site, order, folder, kills=6, rng=random.Random(8))
    assert told.kills >= 3, "it was killed while there was work to do"
    assert told.said["stopped"] == "frontier empty"
    assert told.said["pages"] == site.pages
    assert told.asked_again == 0, "what is kept is never asked for again"
    assert max(told.lost) <= told.most_lost(CONCURRENCY)
    again = sum(site.times_asked()[url] - 1 for url in site.all_urls())
    assert again <= sum(told.lost)
    check_whole(site, folder)


def test_parsers_do_not_outlive_a_program_that_is_killed(tmp_path: Path) -> None:
    site, folder = Site(pages=200, seconds=0.05), tmp_path / "crawl"
    with served(site) as port:
        topic = site.write_topic(tmp_path / "t.toml")
        with Program("crawl", topic, *live(port), "--out", folder) as program:
            program.until(lambda: len(site.asked) > 30, "30 requests")
            parsers = children_of(program.process.pid)
            program.kill()
    assert parsers
    deadline = time.monotonic() + 10
    while any(map(alive, parsers)) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert not any(map(alive, parsers))
