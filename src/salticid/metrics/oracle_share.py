"""Oracle share: how near a crawl came to one that knows all links and all targets."""

from collections.abc import Sequence

import numpy as np

from salticid.metrics.parts.judged_crawl import JudgedCrawl
from salticid.metrics.parts.measure import Better, Group, Measure, Need


@Measure(
    title="share of the oracle", better=Better.HIGHER, group=Group.TARGETS, unit="share",
    claim="comes nearest to the oracle", of="of its area",
    needs=(Need.TARGETS, "one of them that the oracle can reach"),
)  # fmt: skip
def oracle_share(crawl: JudgedCrawl) -> float | None:
    """Area under the curve of targets found against pages fetched, divided by that of an oracle that knows all links
    and all targets.
    """
    return share_of_area(crawl.is_target.tolist(), crawl.topic.oracle, crawl.topic.length)


def share_of_area(crawl: Sequence[bool], oracle: Sequence[bool], length: int) -> float | None:
    """The area under the crawl's curve of targets found against pages fetched, divided by the oracle's.

        share = sum of f(n) over n = 1..length / the same of the oracle, f(n) = targets among the first n pages

    Both sequences hold one entry for every good page, seeds and examples among them: they cost a page as any
    other does, but are never found. `length` is the number of pages that all crawls compared were allowed; one
    that ended sooner, the oracle too, keeps what it has found. None when the oracle finds nothing.

    The oracle (`salticid.metrics.parts.oracle`) is greedy, so that a lucky crawl may pass it: the share can exceed 1.

    >>> share_of_area([False, False, True, True], [False, True, True], length=4)
    0.6
    """
    best = _area(oracle, length)
    return _area(crawl, length) / best if best else None


def _area(hits: Sequence[bool], length: int) -> int:
    """A target found on page n counts on that page and on all after it."""
    return int((length - np.flatnonzero(hits[:length])).sum())
