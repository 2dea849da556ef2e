"""What is true of a subject day by day, and how much of it a watched crawl has."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from salticid.lab.rounds.daily_web import signature
from salticid.lab.rounds.watched_crawl import WatchedCrawl
from salticid.webs.recorded import RecordedWeb
from salticid.worlds.labels import labels_of


class DailyTruth:
    """The pages of a label on each day, by URL, with what they say."""

    def __init__(self, worlds: Sequence[Path], label: str) -> None:
        self._webs = [RecordedWeb(world) for world in worlds]
        self._targets: list[dict[int, bytes]] = []
        for world, web in zip(worlds, self._webs, strict=True):
            urls = [web.urls.find(url) for url in labels_of(world).get(label, [])]
            pages = {url: web.page_at(url) for url in urls}
            self._targets.append({url: signature(page) for url, page in pages.items() if page is not None})

    def shares(self, crawl: WatchedCrawl, spell, day: int) -> tuple[float, float]:
        """The shares of that day's pages that the crawl knows, and knows as they are."""
        web, targets = self._webs[day], self._targets[day]
        known, fresh = set(), set()
        for page in crawl.kept:
            at = web.urls.find(spell(page.url))
            if at < 0:
                continue
            final = web.fetch(at).final
            if final in targets:
                known.add(final)
                if targets[final] == page.said:
                    fresh.add(final)
        return len(known) / len(targets), len(fresh) / len(targets)
