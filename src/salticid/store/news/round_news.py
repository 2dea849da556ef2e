"""What a round of watching brought: pages that are new, changed, gone and back again, as the log has it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence, Sized
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from itertools import takewhile
from math import inf

import msgspec

from salticid.errors import UserError
from salticid.messages import Move, Revision, Round
from salticid.model import Page
from salticid.store.crawl_folder import CrawlFolder
from salticid.store.news.changes import Change, Findings, StoredRound, change, findings_of, rounds, told_once
from salticid.store.news.versions import Recheck
from salticid.store.packing import unpack_page
from salticid.store.record import all_messages
from salticid.store.schema import PAGE, RECHECK, VERSION
from salticid.store.stored_visit import StoredVisit, WallClock, time_of
from salticid.text import sentences
from salticid.urls import host

MOST_COMPARED = 2_000
"""Pages of a round whose sentences are compared, the best first; of others it is only told that they changed."""
LONGEST_OPENING = 300
_WORDS_OF_A_SENTENCE = 5


class NewsPage(msgspec.Struct, frozen=True):
    """A page of which there is news: as it was judged by the end of the round, and when the news was read."""

    step: int
    url: str
    title: str
    score: float
    on_topic: bool
    read: datetime | None


class NewPage(NewsPage, frozen=True):
    """A page that was not known before; `source` linked to it, `opening` is how it begins."""

    source: str | None
    opening: str


class ChangedPage(NewsPage, frozen=True):
    """A page that says something else than when it was read `before`.

    `change` is None where nobody compared: there were too many, the version before is not kept any more, or nothing
    changed on a page that is back again.
    """

    before: datetime | None
    change: Change | None


class GonePage(NewsPage, frozen=True):
    """A page that is not there any more; the last copy of it was read `before`.

    `version` is the recheck that brought this copy, None if the visit did.
    """

    before: datetime | None
    status: int
    version: int | None


class RoundNews(msgspec.Struct, frozen=True):
    """What a round brought, the best pages first.

    `new` pages are on topic, by the judge, and neither near-duplicates of others nor held by another crawl. `back` are
    pages that had been gone, changed or not. Of the pages asked for again besides, `same` did not change, `still_gone`
    are as gone as before, and of `unknown` ones nothing could be learned.
    """

    round: int
    began: datetime | None
    new: list[NewPage]
    changed: list[ChangedPage]
    gone: list[GonePage]
    back: list[ChangedPage]
    same: int
    still_gone: int
    unknown: int

    @property
    def counts(self) -> dict[str, int]:
        """How many pages there are of each kind."""
        kinds: dict[str, Sized] = {
            "new": self.new,
            "changed": self.changed,
            "gone": self.gone,
            "back": self.back,
        }
        rest = {"same": self.same, "still_gone": self.still_gone, "unknown": self.unknown}
        return {name: len(pages) for name, pages in kinds.items()} | rest


def what_came(crawl: CrawlFolder, number: int) -> RoundNews:
    """The news of a round, which may still go on."""
    found = [each for each in rounds(crawl.database) if each.number == number]
    if not found:
        raise UserError(f"{crawl.folder} has no round {number}; salticid watch {crawl.folder} makes one")
    return news_of(crawl, found)[0]


def news_of(crawl: CrawlFolder, wanted: Sequence[StoredRound]) -> list[RoundNews]:
    """The news of some rounds, in their order: a function of the log up to the last of them, and of nothing else."""
    found = findings_of(crawl.database, wanted)
    then = _visits_then(crawl, wanted)
    return [_news(crawl, *each) for each in zip(wanted, found, then, strict=True)]


def _news(crawl: CrawlFolder, stored: StoredRound, findings: Findings, then: _VisitsThen) -> RoundNews:
    gone, changed, back = [], [], []
    same = still_gone = 0
    for step, was in findings.was.items():
        now = findings.now[step]
        if now.gone:
            still_gone += was.gone
            gone += [] if was.gone else [step]
        elif was.gone:
            back.append(step)
        elif now.version != was.version:
            changed.append(step)
        else:
            same += 1
    visits = _by_score(crawl, [*gone, *changed, *back], then)
    pages = _PagesThen(crawl, findings)
    return RoundNews(
        round=stored.number,
        began=time_of(stored.wall),
        new=list(_new_pages(crawl, stored)),
        changed=_told_once([pages.changed(visits[step]) for step in _in_order(visits, changed)]),
        gone=[pages.gone(visits[step]) for step in _in_order(visits, gone)],
        back=[pages.changed(visits[step]) for step in _in_order(visits, back)],
        same=same,
        still_gone=still_gone,
        unknown=findings.unknown,
    )


def _told_once(pages: list[ChangedPage]) -> list[ChangedPage]:
    changes = told_once([(host(page.url), page.change) for page in pages])
    return [msgspec.structs.replace(page, change=change) for page, change in zip(pages, changes, strict=True)]


class _VisitsThen:
    """Visits as they were seen by the end of a round: pages may have been judged anew, and may have moved."""

    def __init__(self, scores: dict[int, float], urls: dict[int, str], line: float) -> None:
        self._scores, self._urls, self._line = scores, urls, line

    def __call__(self, visit: StoredVisit) -> StoredVisit:
        score, url = self._scores.get(visit.step), self._urls.get(visit.step, visit.final_url)
        if score is None:
            return msgspec.structs.replace(visit, final_url=url)
        return msgspec.structs.replace(visit, final_url=url, score=score, positive=score >= self._line)


def _visits_then(crawl: CrawlFolder, wanted: Sequence[StoredRound]) -> list[_VisitsThen]:
    """One for each round, in one walk through what the crawl heard."""
    scores: dict[int, float] = {}
    urls: dict[int, str] = {}
    ends: dict[int, tuple[dict[int, float], dict[int, str]]] = {}
    following = {stored.number + 1: stored.number for stored in wanted}
    for _, message in all_messages(crawl.database):
        if isinstance(message, Revision):
            scores.update(message.scores)
        elif isinstance(message, Move):
            urls[message.step] = message.url
        elif isinstance(message, Round) and message.number in following:
            ends[following[message.number]] = scores.copy(), urls.copy()
    known = [ends.get(stored.number, (scores, urls)) for stored in wanted]
    lines = _lowest_positives(crawl, wanted) if scores else [inf] * len(wanted)
    return [_VisitsThen(*each, line) for each, line in zip(known, lines, strict=True)]


def _lowest_positives(crawl: CrawlFolder, wanted: Sequence[StoredRound]) -> list[float]:
    """For each round, the lowest score for which the judge called a page positive before its end."""
    lines: list[float] = []
    lowest = inf
    for row in crawl.rows(-1):
        while len(lines) < len(wanted) and wanted[len(lines)].end_step <= row.step:
            lines.append(lowest)
        if row.positive:
            lowest = min(lowest, row.score)
    return lines + [lowest] * (len(wanted) - len(lines))


def _by_score(
    crawl: CrawlFolder, steps: list[int], then: Callable[[StoredVisit], StoredVisit]
) -> dict[int, StoredVisit]:
    visits = map(then, crawl.visits_at(steps))
    best = sorted(visits, key=lambda visit: (not visit.positive, -visit.score, visit.step))
    return {visit.step: visit for visit in best}


def _in_order(visits: dict[int, StoredVisit], steps: list[int]) -> list[int]:
    wanted = frozenset(steps)
    return [step for step in visits if step in wanted]


def _new_pages(crawl: CrawlFolder, stored: StoredRound) -> Iterator[NewPage]:
    steps = [
        row.step
        for row in takewhile(lambda row: row.step < stored.end_step, crawl.rows(stored.first_step - 1))
        if row.good and row.positive and row.duplicate_of is None
    ]
    for visit in _by_score(crawl, steps, lambda visit: visit).values():
        if visit.known_in is not None:
            continue
        page = crawl.page(visit.step)
        yield NewPage(
            *_about(visit, visit.title or ""),
            time_of(visit.fetched),
            visit.source,
            "" if page is None else opening(page),
        )


class _PagesThen:
    """Pages of a round as they were before it and after it."""

    def __init__(self, crawl: CrawlFolder, findings: Findings) -> None:
        self._crawl, self._findings = crawl, findings
        self._compared = 0

    def changed(self, visit: StoredVisit) -> ChangedPage:
        step = visit.step
        old, new = self._findings.was[step].version, self._findings.now[step].version
        after = version_of(self._crawl, step, new)
        what = None
        if new != old and after is not None and self._compared < MOST_COMPARED:
            self._compared += 1
            before = version_of(self._crawl, step, old)
            what = None if before is None else change(before, after)
        title = visit.title if after is None else after.title
        read = self._recheck(self._findings.seen[step]).wall
        return ChangedPage(*_about(visit, title or ""), time_of(read), self._read_at(visit, old), what)

    def gone(self, visit: StoredVisit) -> GonePage:
        last = self._findings.now[visit.step].version
        page = version_of(self._crawl, visit.step, last)
        seen = self._recheck(self._findings.seen[visit.step])
        title = visit.title if page is None else page.title
        about = _about(visit, title or "")
        return GonePage(*about, time_of(seen.wall), self._read_at(visit, last), seen.status, last)

    def _read_at(self, visit: StoredVisit, place: int | None) -> datetime | None:
        return time_of(visit.fetched if place is None else self._recheck(place).wall)

    def _recheck(self, number: int) -> Recheck:
        return Recheck._make(self._crawl.database.row(RECHECK, number))


def version_of(crawl: CrawlFolder, step: int, version: int | None) -> Page | None:
    """The page of a visit as a recheck brought it, or the visit itself; None if it is not kept any more."""
    row = crawl.database.one(*((PAGE, step) if version is None else (VERSION, version)), body=True)
    return None if row is None else unpack_page(row[1:])


def _about(visit: StoredVisit, title: str) -> tuple[int, str, str, float, bool]:
    return visit.step, visit.final_url, title, visit.score, visit.positive


def opening(page: Page) -> str:
    """How a page begins, what is no sentence left out.

    >>> from salticid.testing.small import SmallWeb
    >>> web = SmallWeb({"a": "<title>Eyes</title><h1>Eyes</h1><p>By a friend. Spiders have eight eyes, or six."})
    >>> opening(web.page(web.id("a")))
    'Spiders have eight eyes, or six.'
    """
    told = ""
    for sentence in sentences(page):
        if len(sentence.split()) >= _WORDS_OF_A_SENTENCE:
            told = f"{told} {sentence}".lstrip()
        if len(told) >= LONGEST_OPENING:
            return f"{told[: LONGEST_OPENING - 1]}…"
    return told


# What is new since a date or since a round: which pages, and what of each.

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
