"""One crawl of a topic as measures see it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from salticid.metrics.parts.judged_topic import JudgedTopic
from salticid.metrics.parts.measure import Need
from salticid.model import Bools, Floats, Ints


@dataclass(frozen=True, eq=False)
class JudgedCrawl:
    """The good pages of a crawl in the order in which they were fetched, and all that is true of them.

    `pages` are numbers of the world's pages, `scores` what the judge gave them. `halves` are the pages of two other
    crawls of the strategy, from either half of the seeds, where these were made.
    """

    topic: JudgedTopic
    pages: Ints
    scores: Floats
    halves: tuple[Ints, Ints] | None = None

    @cached_property
    def urls(self) -> list[str]:
        """Where the pages are."""
        urls = self.topic.world.web.urls
        return [urls[url] for url in self.topic.urls(self.pages).tolist()]

    @cached_property
    def places(self) -> Ints:
        """Where the pages stand in the pool: `crawl.topic.smart[crawl.places]`."""
        return self.topic.pool.places(self.pages)

    @cached_property
    def is_target(self) -> Bools:
        return np.isin(self.pages, self.topic.targets)

    @cached_property
    def is_seed(self) -> Bools:
        return np.isin(self.pages, self.topic.seeds)

    @cached_property
    def is_counted(self) -> Bools:
        """Which pages count for or against: all but seeds and examples."""
        return ~np.isin(self.pages, self.topic.start_pages)

    @cached_property
    def relevant(self) -> list[bool]:
        """For each page that counts whether it is a target."""
        relevant: list[bool] = self.is_target[self.is_counted].tolist()
        return relevant

    def has(self, need: Need) -> bool:
        """Whether a need is met."""
        topic = self.topic
        checks: dict[Need, Callable[[], object]] = {
            Need.PAGES: lambda: len(self.pages),
            Need.TARGETS: lambda: len(topic.targets),
            Need.FOUND: self.is_target.any,
            Need.EXAMPLES: lambda: len(topic.examples),
            Need.CLASSIFIERS: lambda: topic.called_positive,
            Need.DATES: lambda: np.isfinite(topic.dates(self.pages)).any(),
            Need.HALVES: lambda: self.halves,
        }
        return bool(checks[need]())
