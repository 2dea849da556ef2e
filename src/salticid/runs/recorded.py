"""One crawl over a recorded web, from topic to stop reason."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from salticid.crawl import Crawl
from salticid.drivers.arrivals import arrivals
from salticid.drivers.replay import VirtualClock, replay
from salticid.errors import ContractBroken
from salticid.model import Limits, Page, StopReason, Topic, Visit
from salticid.protocols import Judge, Log, Strategy, Web
from salticid.runs.brief import BacklinksOver, prepare
from salticid.runs.past import Past, RelivedJudge


@dataclass(frozen=True, slots=True)
class Recipe:
    """How to crawl: all that decides the visits besides the topic and the web."""

    strategy: Strategy
    judge: Judge
    limits: Limits
    arrivals: str = "one"
    seed: int = 0
    backlinks: BacklinksOver | None = None


class RecordedCrawl:
    """A crawl that is ready to run: the same topic, web and recipe give the same visits, bit for bit.

    With a `past` the crawl repeats an earlier run, which the log holds, and goes on from its end. The limits of
    the recipe are then those it began with; `larger` ones hold from there on.
    """

    def __init__(
        self,
        topic: Topic,
        web: Web,
        recipe: Recipe,
        log: Log,
        past: Past | None = None,
        larger: Limits | None = None,
    ) -> None:
        self._web, self._judge, self._past, self._larger = web, recipe.judge, past, larger
        self._clock = VirtualClock()
        self.brief = prepare(topic, web, recipe.limits, recipe.seed, recipe.backlinks)
        self._arrivals = arrivals(
            recipe.arrivals, len(self.brief.seeds), np.random.default_rng([recipe.seed, 1])
        )
        judge: Judge = recipe.judge
        if past is not None:
            judge = relived = RelivedJudge(past, recipe.judge)
            relived.tell = lambda: past.tell(self.crawl, recipe.judge)
        self.crawl = Crawl(self.brief, recipe.strategy, judge, log, self._clock, self._page)

    def run(self, watch: Callable[[Visit], None] | None = None) -> StopReason:
        """Crawl to the end."""

        def after(visit: Visit) -> None:
            self._told()
            if watch is not None:
                watch(visit)

        while True:
            stopped = replay(self.crawl, self._web, self._arrivals, self._clock, after)
            self._told()
            if self.crawl.stopped is not None:
                return stopped

    @property
    def seconds(self) -> float:
        """How long the crawl would have taken on the recorded web."""
        return self._clock.now

    def _told(self) -> None:
        """What people said at this point of an earlier run; after it, what they say now."""
        if self._past is not None:
            self._past.tell(self.crawl, self._judge)
        if self._larger is not None and (self._past is None or self._past.over):
            larger, self._larger = self._larger, None
            self.crawl.extend(larger)

    def _page(self, url: int) -> Page:
        page = self._web.fetch(url).page
        if page is None:
            raise ContractBroken(f"{self._web.urls[url]} was asked for again but never delivered")
        return page
