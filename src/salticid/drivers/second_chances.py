"""Second chances: hosts that were given up, and the links that were lost with them.

A host may be gone for a while, or our own network was. So each one that was given up is tried again with one of its
links: when a crawl goes on in a new run, and once more when nothing else is left. If it answers, the others are
offered again. Links to addresses that the crawl might not reach are, when it may reach more.
"""

from __future__ import annotations

from itertools import islice
from math import inf

from salticid.model import Outcome, Visit
from salticid.protocols import UrlTable
from salticid.snapshots import in_snapshot
from salticid.urls import origin

MOST_LINKS = 100_000
"""Links remembered, the first ones lost."""
AGAIN_AFTER = 60.0
"""Seconds between two chances for a host."""


@in_snapshot("_urls", "_last_try", _links=dict[str, dict[int, None]], _refused=dict[int, None], _count=int)
class SecondChances:
    """The links lost with hosts given up: a function of the visits it was shown, in their order."""

    def __init__(self, urls: UrlTable) -> None:
        self._urls = urls
        self._links: dict[str, dict[int, None]] = {}
        self._refused: dict[int, None] = {}
        self._count = 0
        self._last_try: dict[str, float] = {}

    def observe(self, visit: Visit) -> list[int]:
        """A visit was made: the links that may be offered again, because their host is there again."""
        if visit.outcome is Outcome.REFUSED_ADDRESS and len(self._refused) < MOST_LINKS:
            self._refused[visit.url] = None
        elif self._refused:
            self._refused.pop(visit.url, None)
        if visit.outcome is not Outcome.UNREACHABLE and not self._links:
            return []
        host = origin(self._urls[visit.final])
        if visit.outcome is Outcome.UNREACHABLE:
            if self._count < MOST_LINKS and visit.url not in (links := self._links.setdefault(host, {})):
                links[visit.url] = None
                self._count += 1
            return []
        if visit.revisit or not visit.outcome.fetched:
            return []
        back = self._links.pop(host, {})
        self._count -= len(back)
        return [url for url in back if url != visit.url]

    def refused(self) -> list[int]:
        """The links whose addresses were refused, each once; they are forgotten here."""
        links, self._refused = list(self._refused), {}
        return links

    def one_each(self, now: float) -> list[int]:
        """A link of each host given up, but for those that were tried again just now."""
        hosts = [host for host in self._links if now - self._last_try.get(host, -inf) >= AGAIN_AFTER]
        self._last_try.update(dict.fromkeys(hosts, now))
        return [url for host in hosts for url in islice(self._links[host], 1)]
