"""Priorities of requests as a strategy hears of them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, cast

import numpy as np

from salticid.model import Ints, Visit
from salticid.protocols import Strategy


class _ByPriority:
    """Shows a strategy the links of a page in the order of their priorities, and is it in all else."""

    def __init__(self, strategy: Strategy, priority: Callable[[int], int]) -> None:
        self._strategy, self._priority = strategy, priority

    def observe(self, visit: Visit, fresh: Ints) -> None:
        if visit.page is not None and len(fresh):
            urls = visit.page.links.url[fresh].tolist()
            ranks = np.fromiter(map(self._priority, urls), np.int64, len(urls))
            if ranks.min() != ranks.max():
                fresh = fresh[np.argsort(-ranks, kind="stable")]
        self._strategy.observe(visit, fresh)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._strategy, name)


def by_priority(strategy: Strategy, priority: Callable[[int], int]) -> Strategy:
    """The strategy, which prefers of links that it thinks equal the one whose URL has the higher priority.

    Equal links are taken in the order in which the strategy hears of them, so that is all that is changed.
    """
    return cast(Strategy, _ByPriority(strategy, priority))
