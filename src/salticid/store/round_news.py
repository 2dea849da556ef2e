"""What a round of watching brought: pages that are new, changed, gone and back again, as the log has it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence, Sized
from datetime import datetime
from math import inf

import msgspec

from salticid.errors import UserError
from salticid.messages import Revision, Round
from salticid.model import Page
from salticid.store.changes import Change, change
from salticid.store.crawl_folder import CrawlFolder
from salticid.store.findings import Findings, findings_of
from salticid.store.packing import unpack_page
from salticid.store.record import all_messages
from salticid.store.repeated_changes import told_once
from salticid.store.rounds import StoredRound, rounds
from salticid.store.schema import PAGE, RECHECK, VERSION
from salticid.store.stored_visit import StoredVisit
from salticid.store.times import time_of
from salticid.store.versions import Recheck
from salticid.text.sentences import sentences
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
    return [_news(crawl, stored, findings) for stored, findings in zip(wanted, found, strict=True)]


def _news(crawl: CrawlFolder, stored: StoredRound, findings: Findings) -> RoundNews:
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
    visits = _by_score(crawl, [*gone, *changed, *back], _ScoresThen(crawl, stored))
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


class _ScoresThen:
    """Pages as they were judged by the end of a round: those that changed may have been judged anew."""

    def __init__(self, crawl: CrawlFolder, stored: StoredRound) -> None:
        self._line = inf
        self._later: dict[int, float] = {}
        for _, message in all_messages(crawl.database):
            if isinstance(message, Round) and message.number > stored.number:
                break
            if isinstance(message, Revision):
                self._later.update(message.scores)
        if self._later:
            rows = (row for row in crawl.rows(-1) if row.step < stored.end_step and row.positive)
            self._line = min((row.score for row in rows), default=inf)

    def __call__(self, visit: StoredVisit) -> StoredVisit:
        score = self._later.get(visit.step)
        if score is None:
            return visit
        return msgspec.structs.replace(visit, score=score, positive=score >= self._line)


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
        for row in crawl.rows(stored.first_step - 1)
        if row.step < stored.end_step and row.good and row.positive and row.duplicate_of is None
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
