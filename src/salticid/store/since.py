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
from salticid.store.times import day_of

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
    def of(cls, crawl: CrawlFolder, text: str) -> Since:
        """The beginning of a round, by its number, or of a day, or a time; UserError if it is none of these."""
        numbers = list(crawl.database.run(_TIMES))
        end = numbers[-1][0] + 1 if numbers else 0
        if text.isascii() and text.isdecimal():
            for stored in rounds(crawl.database):
                if stored.number == int(text):
                    return cls(stored.first_step, stored.first_recheck, end)
            raise UserError(
                f"{crawl.folder} has no round {text}; name one of its {len(rounds(crawl.database))}, or a date"
            )
        moment, clock = _moment(text), WallClock(crawl.database)
        steps = (visit.step for visit in crawl.rows(-1) if (clock(visit.at) or -inf) >= moment)
        rechecks = (number for number, wall in numbers if wall >= moment)
        return cls(next(steps, _NEVER), next(rechecks, end), end)


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


def _moment(text: str) -> float:
    """Seconds since 1970 when a day began, or a time was; in UTC, unless it says otherwise."""
    try:
        return day_of(text)[0]
    except ValueError:
        raise UserError(
            f"{text[:40]!r} is neither a round nor a date; write 3, 2026-11-16 or 2026-11-16T18:30"
        ) from None
