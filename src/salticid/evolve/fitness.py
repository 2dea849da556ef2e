"""How good a crawl is: the share of good pages, or what else a person wants of it."""

from __future__ import annotations

from collections.abc import Sequence
from math import sqrt

import msgspec
import numpy as np
from scipy.special import stdtrit

from salticid.evolve.optimizers import Weights
from salticid.evolve.simulation import SimulatedCrawl, Simulation


class Goal(msgspec.Struct, frozen=True):
    """What a good page is worth: 1, and more for what is rewarded.

    `hosts` is added for the first good page of a host that no seed is on; `distance` times d / (d + 1) for
    a page d links away from the seeds; `late` times t / n for the t-th of a crawl of n. The paper rewards nothing.
    """

    hosts: float = 0.0
    distance: float = 0.0
    late: float = 0.0


class CrawlTrial(msgspec.Struct, frozen=True):
    """One crawl to be simulated: the weights, the seed of its chance, its length, and where it starts.

    Without `start` it starts from the topic's seeds.
    """

    weights: Weights
    seed: int
    length: int
    start: tuple[str, ...] | None = None
    goal: Goal = Goal()


def crawl(simulation: Simulation, trial: CrawlTrial) -> SimulatedCrawl:
    return simulation.crawl(np.array(trial.weights), trial.seed, trial.length, trial.start)


def fitness(simulation: Simulation, trial: CrawlTrial) -> float:
    """What the good pages of a crawl are worth, by the pages downloaded; without rewards good / downloaded.

    A crawl that runs out of links is judged by the pages it has; one without a page is worth nothing.
    """
    return worth(crawl(simulation, trial), trial.goal, trial.length)


def worth(crawl: SimulatedCrawl, goal: Goal, length: int) -> float:
    """What the good pages of a crawl that was to have `length` pages are worth, by the pages downloaded."""
    pages = len(crawl.pages)
    if not pages:
        return 0.0
    each = np.ones(pages)
    if goal.hosts:
        each += goal.hosts * crawl.first_of_new_host
    if goal.distance:
        each += goal.distance * crawl.depth / (crawl.depth + 1.0)
    if goal.late:
        each += goal.late * np.arange(1, pages + 1) / length
    return float(each[crawl.good].sum()) / pages


# What the paper reports of a crawl besides its fitness.


class Figures(msgspec.Struct, frozen=True):
    """Of one crawl: pages downloaded, the share of good ones, both cohesivenesses, pages by links from the seeds.

    `away` counts all pages 0, 1, 2, ... links away, `good_away` the good ones among them.
    """

    pages: int
    share: float
    community: float
    overall: float
    away: list[int]
    good_away: list[int]

    @property
    def mean_distance(self) -> float:
        """Links from the seeds, in the mean over all pages."""
        return sum(far * count for far, count in enumerate(self.away)) / max(self.pages, 1)

    @property
    def farthest(self) -> int:
        """Links from the seeds of the page farthest away."""
        return len(self.away) - 1


def figures(simulation: Simulation, trial: CrawlTrial) -> Figures:
    result = crawl(simulation, trial)
    cohesion = simulation.cohesion(result, trial.start)
    pages = len(result.pages)
    return Figures(
        pages,
        int(result.good.sum()) / max(pages, 1),
        cohesion.community or 0.0,
        cohesion.overall or 0.0,
        np.bincount(result.depth).tolist(),
        np.bincount(result.depth[result.good]).tolist(),
    )


# A mean over crawls, and how sure it is.


class Interval(msgspec.Struct, frozen=True):
    """A mean, and where it lies with 95 % (Student's t over the crawls)."""

    mean: float
    low: float
    high: float

    @classmethod
    def of(cls, values: Sequence[float]) -> Interval:
        """Of some values; a single one knows no spread.

        >>> Interval.of([1.0, 2.0, 3.0])
        Interval(mean=2.0, low=-0.484..., high=4.484...)
        """
        mean, n = float(np.mean(values)), len(values)
        if n < 2:
            return cls(mean, mean, mean)
        room = float(stdtrit(n - 1, 0.975)) * float(np.std(values, ddof=1)) / sqrt(n)
        return cls(mean, mean - room, mean + room)

    @classmethod
    def between(cls, a: Sequence[float], b: Sequence[float]) -> Interval:
        """The interval of the differences a - b, pair by pair."""
        return cls.of([one - other for one, other in zip(a, b, strict=True)])

    @property
    def sure(self) -> bool:
        """Whether zero lies outside."""
        return self.low > 0 or self.high < 0

    def __str__(self) -> str:
        return f"{self.mean:.3f} ({self.low:.3f} to {self.high:.3f})"
