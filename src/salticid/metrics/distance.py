"""Distance: how many links from the seeds the pages of a crawl lie."""

import numpy as np

from salticid.metrics.parts.judged_crawl import JudgedCrawl
from salticid.metrics.parts.measure import Group, Measure
from salticid.model import Ints


@Measure(
    group=Group.LINKS, unit="links", claim="finds targets farthest from the seeds",
    needs=("a target found that links lead to from the seeds",),
)  # fmt: skip
def distance(crawl: JudgedCrawl) -> float | None:
    """Mean number of links from the nearest seed to the targets found: how far out the crawl keeps its course.

    Paper: Johnson, Tsioutsiouliklis, Giles, "Evolving strategies for focused web crawling", ICML 2003.
    """
    return mean_distance(crawl.topic.away, crawl.pages[crawl.is_target])


def mean_distance(away: Ints, pages: Ints) -> float | None:
    """The mean distance from the seeds of some pages, here the relevant ones that a crawl fetched.

    `away` has the distance of every page of the world (`PageLinks.distances`). Pages that no way leads to, so
    that a crawler must have been told of them, are left out; None when no page is left. Spec 1 calls it
    remoteness: the farther out a crawler finds relevant pages, the better it keeps its course.

    >>> mean_distance(away=np.array([0, 1, -1, 4]), pages=np.array([1, 2, 3]))
    2.5
    """
    distances = away[pages]
    distances = distances[distances >= 0]
    return float(distances.mean()) if len(distances) else None


def histogram(away: Ints, pages: Ints) -> list[int]:
    """How many of these pages lie 0, 1, 2, ... links from the seeds (spec 5: of all and of good pages).

    >>> histogram(away=np.array([0, 1, -1, 3, 1]), pages=np.array([1, 2, 3, 4]))
    [0, 2, 0, 1]
    """
    distances = away[pages]
    counts: list[int] = np.bincount(distances[distances >= 0]).tolist()
    return counts
