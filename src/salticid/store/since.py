"""What is new since a date or since a round: which pages, and what of each."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from math import inf

from salticid.errors import UserError
from salticid.store.changes import Change, change
from salticid.store.crawl_folder import CrawlFolder
from salticid.store.findings import findings_of
from salticid.store.round_news import version_of
from salticid.store.rounds import rounds
from salticid.store.stored_visit import WallClock

_NEVER = 1 << 62
_TIMES = "SELECT id, wall FROM recheck ORDER BY id"


class NewsKind(StrEnum):
    """What became of a page."""

    NEW = "new"
    CHANGED = "changed"
    BACK = "back"


@dataclass(frozen=True, slots=True)
class Since:
    """A moment of a log: the first visit that came after it, and the first recheck."""

    first_step: int
    first_recheck: int
    end_recheck: int

    @classmethod
    def of_round(cls, crawl: CrawlFolder, number: int, until: float | None = None) -> Since:
        """The beginning of a round; what was found after another time is not told. UserError if there is none."""
        known = rounds(crawl.database)
        for stored in known:
            if stored.number == number:
                end = _first(_times(crawl), until)
                return cls(stored.first_step, stored.first_recheck, end)
        has = f"name one of its {len(known)}" if known else "salticid watch makes the first"
        raise UserError(f"{crawl.folder} has no round {number}; {has}, or give a date")

    @classmethod
    def of_time(cls, crawl: CrawlFolder, moment: float, until: float | None = None) -> Since:
        """A time, in seconds since 1970; what was found after another is not told."""
        clock, times = WallClock(crawl.database), _times(crawl)
        steps = (visit.step for visit in crawl.rows(-1) if (clock(visit.at) or -inf) >= moment)
        return cls(next(steps, _NEVER), _first(times, moment), _first(times, until))


class NewsSince:
    """The news of a crawl since a moment, page by page."""

    def __init__(self, crawl: CrawlFolder, since: Since) -> None:
        self._crawl, self._since = crawl, since
        self._findings = findings_of(crawl.database, [since])[0]

    def kind(self, step: int) -> NewsKind | None:
        """What became of the page of a visit; None if nothing did, or if it is gone."""
        if step >= self._since.first_step:
            return NewsKind.NEW
        was, now = self._findings.was.get(step), self._findings.now.get(step)
        if was is None or now is None or now.gone:
            return None
        if was.gone:
            return NewsKind.BACK
        return NewsKind.CHANGED if was.version != now.version else None

    def change(self, step: int) -> Change | None:
        """The sentences that came to a page known before, and went; None if there are none to tell."""
        if step >= self._since.first_step or step not in self._findings.was:
            return None
        places = self._findings.was[step].version, self._findings.now[step].version
        before, after = (version_of(self._crawl, step, place) for place in places)
        return None if before is None or after is None else change(before, after)


def _times(crawl: CrawlFolder) -> list[tuple[int, float]]:
    return list(crawl.database.run(_TIMES))


def _first(times: list[tuple[int, float]], moment: float | None) -> int:
    """The first recheck from a time on; one after the last if there is none, or no time."""
    found = (number for number, wall in times if moment is not None and wall >= moment)
    return next(found, times[-1][0] + 1 if times else 0)
