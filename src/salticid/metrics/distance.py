"""Distance: how many links from the seeds the pages of a crawl lie."""

from __future__ import annotations

import numpy as np

from salticid.metrics.page_links import PageLinks
from salticid.model import Ints
from salticid.webs.recorded import RecordedWeb


def distances(web: RecordedWeb, seeds: Ints) -> Ints:
    """For each page of the world the least number of links from one of the seeds, URL ids; -1: no way leads.

    Who asks for several topics of one world keeps its `PageLinks` and asks those.
    """
    return PageLinks.between(web).distances(seeds)


def distance(away: Ints, pages: Ints) -> float | None:
    """The mean distance from the seeds of some pages, here the relevant ones that a crawl fetched.

    `away` is what `distances` gave. Pages that no way leads to, so that a crawler must have been told of them,
    are left out; None when no page is left. Spec 1 calls it remoteness: the farther out a crawler finds
    relevant pages, the better it keeps its course.

    >>> distance(away=np.array([0, 1, -1, 4]), pages=np.array([1, 2, 3]))
    2.5
    """
    reached = away[pages]
    reached = reached[reached >= 0]
    return float(reached.mean()) if len(reached) else None


def histogram(away: Ints, pages: Ints) -> list[int]:
    """How many of these pages lie 0, 1, 2, ... links from the seeds (spec 5: of all and of good pages).

    >>> histogram(away=np.array([0, 1, -1, 3, 1]), pages=np.array([1, 2, 3, 4]))
    [0, 2, 0, 1]
    """
    reached = away[pages]
    counts: list[int] = np.bincount(reached[reached >= 0]).tolist()
    return counts
