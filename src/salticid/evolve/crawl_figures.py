"""What the paper reports of a crawl besides its fitness."""

from __future__ import annotations

import msgspec
import numpy as np

from salticid.evolve.fitness import CrawlTrial, crawl
from salticid.evolve.simulation import Simulation


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
