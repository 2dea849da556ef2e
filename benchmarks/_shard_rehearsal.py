"""A sharded crawl over a recorded web, in one process and in virtual time: what sharding costs in what is found."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from salticid.cluster.post import Owners, glimpses
from salticid.cluster.shard import ASKED_FOR, ShardReport, batch, leases
from salticid.crawl import Crawl
from salticid.drivers.replay import VirtualClock, Window, replay
from salticid.errors import ContractBroken
from salticid.model import Glimpse, Links, Page, Visit
from salticid.runs.brief import prepare
from salticid.runs.order import Recipe
from salticid.runs.recorded import MemoryLog
from salticid.topic import Limits, Topic
from salticid.webs.recorded import RecordedWeb


class Rehearsal:
    """Shards that take turns: each fetches what it is allowed, then all exchange what they saw for each other.

    `recipe` makes the strategy and judge of each shard anew. The same arguments give the same visits. `post` is
    what they showed each other.
    """

    def __init__(self, topic: Topic, web: RecordedWeb, recipe: Callable[[], Recipe], shards: int) -> None:
        self._budget = recipe().limits.max_pages
        self._parts = [_Part(number, topic, web, recipe(), shards) for number in range(shards)]
        self.visits: list[Visit] = []
        self.post: list[Glimpse] = []

    def run(self) -> list[Visit]:
        """Crawl until the budget is used up or nobody gets any further; all visits in the order they were made."""
        steps = -1
        while self._steps > steps and (dealt := self._dealt()):
            steps = self._steps
            post: list[tuple[int, Glimpse]] = []
            for number, pages in dealt.items():
                part = self._parts[number]
                part.fetch(pages, post)
                self.visits += part.news()
            for owner, glimpse in post:
                self._parts[owner].crawl.glimpse(glimpse)
                self.post.append(glimpse)
        return self.visits

    @property
    def _steps(self) -> int:
        return sum(part.crawl.step for part in self._parts)

    def _dealt(self) -> dict[int, int]:
        count = len(self._parts)
        reports = {part.number: part.report(ASKED_FOR) for part in self._parts}
        pages = sum(part.crawl.pages for part in self._parts)
        return leases(reports, self._budget, batch(pages, count))


class _Part:
    def __init__(self, number: int, topic: Topic, web: RecordedWeb, recipe: Recipe, shards: int) -> None:
        self.number, self._web = number, web
        self._owners = Owners(web.urls, shards)
        self._log, self._clock = MemoryLog(), VirtualClock()

        def owns(url: int) -> bool:
            return self._owners.of(url) == number

        brief = prepare(topic, web, replace(recipe.limits, max_pages=0), recipe.seed + number, recipe.backlinks)
        brief = replace(brief, seeds=Links.to([url for url in brief.seeds.url.tolist() if owns(url)]))
        self.crawl = Crawl(brief, recipe.strategy, recipe.judge, self._log, self._clock, self._page, owns)

    def report(self, best: int) -> ShardReport:
        _, links = self.crawl.strategy.waiting(best)
        return ShardReport(self.crawl.limits.max_pages, self.crawl.pages, [choice.score for choice in links])

    def fetch(self, pages: int, post: list[tuple[int, Glimpse]]) -> None:
        limits = self.crawl.limits
        attempts = self.crawl.fetches + Limits(max_pages=pages).fetches
        self.crawl.extend(replace(limits, max_pages=self.crawl.pages + pages, max_fetches=attempts))

        def send(visit: Visit) -> None:
            post.extend(glimpses(visit, self._web, self._owners, self.number).items())

        replay(self.crawl, self._web, Window(), self._clock, send)
        if self.crawl.pages < self.crawl.limits.max_pages:
            self.crawl.extend(replace(limits, max_pages=self.crawl.pages))

    def news(self) -> list[Visit]:
        news, self._log.visits = self._log.visits, []
        return news

    def _page(self, url: int) -> Page:
        page = self._web.fetch(url).page
        if page is None:
            raise ContractBroken(f"{self._web.urls[url]} was asked for again but never delivered")
        return page
