"""A crawl of a daily web that is watched: rounds as `salticid watch` makes them, in virtual days, nothing stored."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from salticid.lab.rounds.daily_web import DailyWeb, signature
from salticid.messages import Message, Revision
from salticid.model import NO_SHARD, Glimpse, Ints, Limits, Page, Topic, Visit
from salticid.runs.order import Recipe
from salticid.runs.recorded import RecordedCrawl
from salticid.store.memory_log import MemoryLog
from salticid.watching.change_rate import DAY
from salticid.watching.policy import Policy
from salticid.watching.round_brief import CHANGED, GONE, SAME, UNKNOWN, Looks, RoundBrief, WatchedPages
from salticid.worlds.generating.ages import EPOCH

_NOON = EPOCH + DAY
"""When day 0 is over; a round is made at the end of its day."""
_GONE = (404, 410)


@dataclass(slots=True)
class _Kept:
    """A page that the crawl holds: where it was found, and what its last version said."""

    step: int
    url: int
    visited: float
    modified: float
    positive: bool
    score: float
    said: bytes
    links: frozenset[int]
    children: int = 0
    finds: int = 0


class _ScoreLog(MemoryLog):
    """Keeps what the judge thinks of visits by now, where it has changed its mind."""

    def __init__(self) -> None:
        super().__init__()
        self.scores: dict[int, float] = {}

    def add_message(self, message: Message) -> None:
        super().add_message(message)
        if isinstance(message, Revision):
            self.scores.update(message.scores)


class WatchedCrawl:
    """The first hunt on day 0, then a round a day, each with so many fetches."""

    def __init__(self, web: DailyWeb, topic: Topic, recipe: Recipe) -> None:
        self._web, self._judge = web, recipe.judge
        self._limits = recipe.limits
        self._log = _ScoreLog()
        self._runs = RecordedCrawl(topic, web, recipe, self._log)
        self.kept: list[_Kept] = []
        self._row_of: dict[int, int] = {}
        self._glimpsed: dict[int, int] = {}
        self._looks: list[tuple[int, float, int]] = []
        self._hunted: list[int] = []
        self._found: list[int] = []
        self._hunt(day=0)

    def round(self, day: int, policy: Policy, fetches: int) -> None:
        """Look again as the policy plans it, and hunt on."""
        self._web.day = day
        plan = policy.plan(self.brief(day, fetches))
        for step in plan.again.tolist():
            self._look(self._row_of[step], day)
        left = fetches - len(plan.again)
        crawl = self._runs.crawl
        crawl.extend(Limits(max_pages=10**9, max_fetches=crawl.fetches + left, max_buffer=self._limits.max_buffer))
        self._hunt(day)

    def brief(self, day: int, fetches: int) -> RoundBrief:
        """What a policy is told."""
        kept = self.kept
        for page in kept:
            if page.step in self._log.scores:
                page.score = self._log.scores.pop(page.step)
                page.positive = page.score >= self._judge.line
        pages = WatchedPages(
            step=np.array([page.step for page in kept], np.int32),
            host=np.array([self._web.urls.host(page.url) for page in kept], np.int32),
            visited=np.array([page.visited for page in kept]),
            modified=np.array([page.modified for page in kept]),
            score=np.array([page.score for page in kept]),
            positive=np.array([page.positive for page in kept], np.bool_),
            children=np.array([page.children for page in kept], np.int32),
            finds=np.array([page.finds for page in kept], np.int32),
        )
        page, wall, finding = zip(*self._looks, strict=True) if self._looks else ((), (), ())
        looks = Looks(np.array(page, np.int32), np.array(wall), np.array(finding, np.uint8))
        return RoundBrief(
            pages, looks, _NOON + day * DAY, fetches, np.array(self._hunted, np.int32), np.array(self._found, np.int32)
        )

    def _hunt(self, day: int) -> None:
        crawl = self._runs.crawl
        before, found = crawl.fetches, 0
        for visit in self._runs.visits():
            source = visit.choice.link.source
            if visit.page is not None and visit.good:
                self._keep(visit, visit.page, day)
                if visit.positive:
                    found += 1
                    if source in self._glimpsed:
                        self.kept[self._glimpsed[source]].finds += 1
                    elif source in self._row_of:
                        self.kept[self._row_of[source]].children += 1
        self._hunted.append(crawl.fetches - before)
        self._found.append(found)

    def _keep(self, visit: Visit, page: Page, day: int) -> None:
        self._row_of[visit.step] = len(self.kept)
        modified = np.nan if visit.modified is None else visit.modified
        links = frozenset(page.links.url.tolist())
        wall = _NOON + day * DAY
        self.kept.append(
            _Kept(visit.step, visit.final, wall, modified, visit.positive, visit.score, signature(page), links)
        )

    def _look(self, row: int, day: int) -> None:
        kept = self.kept[row]
        response = self._web.fetch(kept.url)
        finding = UNKNOWN
        if response.page is not None:
            finding = SAME
            if signature(response.page) != kept.said:
                finding = CHANGED
                kept.said = signature(response.page)
                self._show(row, response.page)
        elif response.status in _GONE:
            finding = GONE
        self._looks.append((row, _NOON + day * DAY, finding))

    def _show(self, row: int, page: Page) -> None:
        """Show the crawl the links that are new on a page."""
        kept, urls, words = self.kept[row], self._web.urls, self._web.words
        links = page.links
        kept.score = self._judge.score(page)
        kept.positive = kept.score >= self._judge.line
        new = [at for at, url in enumerate(links.url.tolist()) if url not in kept.links]
        if not new:
            return
        kept.links |= frozenset(links.url.tolist())
        self._glimpsed[self._runs.crawl.step] = row
        self._runs.crawl.glimpse(
            Glimpse(
                origin=NO_SHARD,
                step=self._runs.crawl.step,
                url=urls[page.url],
                title=page.title,
                words=tuple(words.spell(page.tokens.tolist())),
                links=tuple(
                    zip(
                        urls.spell(links.url[new].tolist()),
                        links.start[new].tolist(),
                        links.end[new].tolist(),
                        strict=True,
                    )
                ),
                score=kept.score,
                positive=kept.positive,
                depth=0,
            )
        )
