"""Tangles: the same folders in ever new orders, which relative links without end make and nobody lays out.

A link `a/` on every page leads to /a/a/a/, and two of them to /a/b/b/a/ and so on. One path that repeats itself proves
nothing (/en/docs/en/), and neither do two orders of the same folders. A site is tangled when page after page came
from the third order or a later one: from a path that repeats itself, or without being new and to the judge's liking.
"""

from __future__ import annotations

import re
from collections import Counter

from salticid.drivers.url_shapes import text_number
from salticid.snapshots import in_snapshot
from salticid.urls import site

ORDERS = 2
"""The same folders may stand in so many orders, or so many times each."""
MOST_TANGLES = 10
"""So many pages beyond that, and the site is tangled."""
MOST_SETS = 50_000
"""Sets of folders, the last ones met."""
_MOST_THREADS = 10
"""Names of a path that are taken for threads of a tangle."""
_NUMBER = re.compile(r"[0-9]+")
_LETTER = re.compile(r"[A-Za-z%]")


@in_snapshot(_orders=dict[int, tuple[int, ...]], _tangles=Counter[str], _threads=dict[str, set[str]])
class Tangles:
    """What a crawl knows of tangled sites: a function of the pages it was shown, in their order."""

    def __init__(self) -> None:
        self._orders: dict[int, tuple[int, ...]] = {}
        self._tangles: Counter[str] = Counter()
        self._threads: dict[str, set[str]] = {}

    def hold(self, url: str) -> bool:
        """Whether a URL leads on into a tangle: it repeats itself, or all its names are of the tangle."""
        its_site = site(url)
        if self._tangles[its_site] < MOST_TANGLES:
            return False
        names = _names(url)
        return _repeats(names) or self._threads[its_site].issuperset(names)

    def observe(self, url: str, worthy: bool) -> None:
        """A page came, which was worth it or not."""
        names, its_site = _names(url), site(url)
        order = text_number("/".join(names))
        folders = text_number("/".join([its_site, *sorted(set(names))]))
        orders = self._orders.pop(folders, ())
        if order not in orders and len(orders) < ORDERS:
            orders += (order,)
        elif order not in orders and (_repeats(names) or not worthy):
            self._tangles[its_site] += 1
            self._threads.setdefault(its_site, set()).update(names[:_MOST_THREADS])
        if len(self._orders) >= MOST_SETS:
            del self._orders[next(iter(self._orders))]
        self._orders[folders] = orders


def _names(url: str) -> list[str]:
    """The folders of a URL that have a name, whatever numbers are in it.

    >>> _names("http://a.example/docs/2024/p12/p7/?q=x")
    ['docs', 'p#', 'p#']
    """
    path = url.partition("://")[2].partition("?")[0].partition("/")[2]
    return [folder for folder in _NUMBER.sub("#", path).split("/") if _LETTER.search(folder)]


def _repeats(names: list[str]) -> bool:
    return len(set(names)) < len(names)
