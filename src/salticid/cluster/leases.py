"""How a budget is dealt out to shards, so that together they behave like one crawl."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from heapq import merge
from itertools import islice
from math import ceil

from salticid.model import Limits


@dataclass(frozen=True, slots=True)
class ShardReport:
    """How a shard stands: pages it may fetch in all, pages it has, and the scores of its best waiting links.

    `fetches` are the attempts it may make in all.
    """

    allowed: int
    pages: int
    best: Sequence[float]
    fetches: int = 0


A_ROUND = 16
"""Pages a shard is allowed in one round at the most, in the mean."""
ASKED_FOR = 4 * A_ROUND
"""Scores a shard reports at the most: no shard is allowed more pages ahead of what it has."""
_AT_LEAST = 4
"""Pages dealt out at once, however young the crawl."""


def batch(pages: int, shards: int) -> int:
    """How many pages to deal out at once: a sixteenth of those there are, so that a young crawl learns as it goes.

    >>> [batch(pages, shards=4) for pages in (0, 200, 5000)]
    [4, 12, 64]
    """
    return min(A_ROUND * shards, max(_AT_LEAST, pages // 16))


def leases(reports: Mapping[int, ShardReport], budget: int, most: int) -> dict[int, int]:
    """How many pages more each shard may fetch: of the next `most`, as many as are among its best.

    What a crawl with one frontier would fetch next are the best of all waiting links; each shard is allowed as
    many as it has of these. Links it is allowed already, its best ones, are not counted again. Of equals the
    lower shard's come first. The sum of what is allowed never exceeds the budget.

    >>> leases({0: ShardReport(5, 5, [0.9, 0.2]), 1: ShardReport(6, 5, [0.8, 0.7, 0.6])}, budget=100, most=3)
    {0: 1, 1: 2}
    """
    pages_left = budget - sum(report.allowed for report in reports.values())
    waiting = (
        [
            (-score, shard)
            for score in sorted(report.best, reverse=True)[report.allowed - report.pages :][:most]
        ]
        for shard, report in sorted(reports.items())
    )
    shares: dict[int, int] = {}
    for _, shard in islice(merge(*waiting), max(0, min(most, pages_left))):
        shares[shard] = shares.get(shard, 0) + 1
    return dict(sorted(shares.items()))


def allowances(
    reports: Mapping[int, ShardReport], shares: Mapping[int, int], limits: Limits
) -> dict[int, tuple[int, int]]:
    """The pages and the attempts that each shard with a lease is allowed in all.

    What is left of the attempts goes with what is left of the pages, at least one with each lease. Their sum never
    exceeds the limit; who would get none gets no pages either.

    >>> reports = {0: ShardReport(5, 5, [0.9], fetches=20), 1: ShardReport(6, 6, [0.8, 0.7], fetches=30)}
    >>> allowances(reports, {0: 1, 1: 2}, Limits(max_pages=14, max_fetches=65))
    {0: (6, 25), 1: (8, 40)}
    """
    pages = limits.max_pages - sum(report.allowed for report in reports.values())
    fetches = limits.fetches - sum(report.fetches for report in reports.values())
    budgets = {}
    for shard, more in shares.items():
        attempts = max(0, ceil(fetches * more / pages))
        if attempts:
            budgets[shard] = reports[shard].allowed + more, reports[shard].fetches + attempts
        pages, fetches = pages - more, fetches - attempts
    return budgets
