"""A crawl over sockets that is killed a hundred times, its site away now and then: what is lost or asked for again."""

from __future__ import annotations

import random
import tempfile
import time
from pathlib import Path

from tests.support.killing import Site, check_archive, check_calls, crawl_through_kills, live, served, survey

from benchmarks.report import figure

PAGES, KILLS, CONCURRENCY = 4000, 100, 8
SECONDS = 0.2
"""How long a page takes: so long that there is work left for the last kill."""


def run() -> None:
    """Kill, order again, until the site is crawled; then hold every page against what was served."""
    site = Site(PAGES, hosts=20, seconds=SECONDS)
    with tempfile.TemporaryDirectory() as out, served(site) as port:
        folder = Path(out) / "crawl"
        topic = site.write_topic(Path(out) / "t.toml")
        limits = ("--max-pages", 2 * PAGES, "--user-agent", "Salticid/kill (+mailto:a@example.org)")
        order = ("crawl", topic, *limits, *live(port, CONCURRENCY), "--out", folder)
        began = time.perf_counter()
        told = crawl_through_kills(site, order, folder, KILLS, random.Random(1), outages=True)
        figure("kills", told.kills, "", target=KILLS)
        figure("of them while the site was away", told.amid_outages, "")
        figure("of them before anything was asked for", told.early, "")
        figure("the whole of it", time.perf_counter() - began, "s")
        found = survey(site, folder)
        check_calls(folder)
        records = check_archive(folder)
    again = sum(site.times_asked()[url] - 1 for url in site.all_urls())
    figure("pages stored", found.stored, "", target=PAGES)
    figure("pages lost", len(found.lost), "")
    figure("pages stored twice", len(found.twice), "")
    figure("pages torn", len(found.torn), "")
    figure("raw exchanges not where they should be", len(found.unreadable), "")
    figure("records in the WARC, every digest right", records, "")
    figure("pages kept and asked for again", told.asked_again, "")
    figure("pages asked for again", again, "", target=told.kills * told.most_lost(CONCURRENCY), at_most=True)
    figure("most that one kill cost", max(told.lost), "", target=told.most_lost(CONCURRENCY), at_most=True)
