"""What a running crawl can say about itself that its log does not hold."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from itertools import islice
from typing import Any

from salticid.protocols import Strategy, UrlTable
from salticid.runs.reasons import reasons
from salticid.runs.run import Run
from salticid.ui.hunt_outlook import UNKNOWN

MOST_FETCHING, MOST_WAITING, MOST_HOSTS = 64, 20, 50
MOST_PLACES = 10_000
"""So many of the best waiting links are compared before and after a person's word."""
MOST_MOVES = 20


class Insight:
    """Looks into a running crawl; to be asked about once a second."""

    def __init__(self, run: Run) -> None:
        self._run = run
        self._since: dict[int, float] = {}
        self._at = run.clock()

    def stand_still(self) -> None:
        """The crawl is about to be paused, and its clock stands still."""
        self._at = self._run.clock()

    def now(self) -> dict[str, Any]:
        """What is being fetched, what waits, who is left alone."""
        run = self._run
        if not run.paused:
            self._at = run.clock()
        clock = self._at
        urls, doing = run.crawl.brief.urls, run.doing
        self._since = {url: self._since.get(url, clock) for url in doing if url >= 0}
        fetching = [
            {
                "url": urls[url],
                "site": _host(urls, url),
                "doing": doing[url],
                "seconds": round(clock - since, 1),
            }
            for url, since in list(self._since.items())[:MOST_FETCHING]
        ]
        size, best = run.crawl.strategy.waiting(MOST_WAITING)
        waiting = [
            {
                "url": urls[choice.link.url],
                "score": choice.score,
                "why": choice.why,
                "reasons": reasons(choice.why),
            }
            for choice in best
        ]
        pauses: dict[str, float] = {}
        for url, until in run.resting():
            pauses.setdefault(_host(urls, url), round(max(0.0, until - clock), 1))
        return {
            "fetching": fetching,
            "waiting": {"size": size, "best": waiting},
            "parked": [{"site": host, "until": pause} for host, pause in islice(pauses.items(), MOST_HOSTS)],
        }

    def advice(self) -> dict[str, Any]:
        """What seems to be left to find, if that can be told."""
        ahead = self._run.crawl.outlook()
        return UNKNOWN if ahead is None else asdict(ahead)


def places(strategy: Strategy) -> dict[int, int]:
    """The places of the links that wait, from 1: the best of them, by URL."""
    _, best = strategy.waiting(MOST_PLACES)
    return {choice.link.url: place for place, choice in enumerate(best, 1)}


@dataclass(frozen=True, slots=True)
class LinkMoves:
    """How many waiting links rose and fell, and those that did most, each with its places before and after.

    None stands for a place behind all we looked at.
    """

    rose: int
    fell: int
    up: list[dict[str, Any]]
    down: list[dict[str, Any]]

    @classmethod
    def between(cls, before: dict[int, int], after: dict[int, int], urls: UrlTable) -> LinkMoves:
        """What changed from some places to others."""
        behind = MOST_PLACES + 1
        changes = [(before.get(url, behind) - after.get(url, behind), url) for url in {**after, **before}]
        by_size = sorted((change for change in changes if change[0]), key=lambda change: -change[0])

        def facts(some: list[tuple[int, int]]) -> list[dict[str, Any]]:
            return [{"url": urls[url], "before": before.get(url), "after": after.get(url)} for _, url in some]

        rose = [change for change in by_size if change[0] > 0]
        fell = [change for change in reversed(by_size) if change[0] < 0]
        return cls(len(rose), len(fell), facts(rose[:MOST_MOVES]), facts(fell[:MOST_MOVES]))


def _host(urls: UrlTable, url: int) -> str:
    return urls.host_name(urls.host(url))
