"""One crawl over a recorded web, from topic to stop reason."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from salticid.crawl import Crawl
from salticid.drivers.arrivals import arrivals
from salticid.drivers.brief import prepare
from salticid.drivers.replay import VirtualClock, replay
from salticid.errors import ContractBroken
from salticid.model import Limits, Page, StopReason, Topic, Visit
from salticid.protocols import Judge, Log, Strategy, Web


@dataclass(frozen=True, slots=True)
class Recipe:
    """How to crawl: all that decides the visits besides the topic and the web."""

    strategy: Strategy
    judge: Judge
    limits: Limits
    arrivals: str = "one"
    seed: int = 0


class RecordedCrawl:
    """A crawl that is ready to run: the same topic, web and recipe give the same visits, bit for bit."""

    def __init__(self, topic: Topic, web: Web, recipe: Recipe, log: Log) -> None:
        self._web = web
        self._clock = VirtualClock()
        self.brief = prepare(topic, web, recipe.limits, recipe.seed)
        self._arrivals = arrivals(
            recipe.arrivals, len(self.brief.seeds), np.random.default_rng([recipe.seed, 1])
        )
        self.crawl = Crawl(self.brief, recipe.strategy, recipe.judge, log, self._clock, self._page)

    def run(self, watch: Callable[[Visit], None] | None = None) -> StopReason:
        """Crawl to the end."""
        return replay(self.crawl, self._web, self._arrivals, self._clock, watch)

    @property
    def seconds(self) -> float:
        """How long the crawl would have taken on the recorded web."""
        return self._clock.now

    def _page(self, url: int) -> Page:
        page = self._web.fetch(url).page
        if page is None:
            raise ContractBroken(f"{self._web.urls[url]} was asked for again but never delivered")
        return page
