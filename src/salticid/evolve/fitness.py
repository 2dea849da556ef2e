"""How good a crawl is: the share of good pages, or what else a person wants of it."""

from __future__ import annotations

import msgspec
import numpy as np

from salticid.evolve.optimizer import Weights
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
