"""A crawl of a daily web that is watched: rounds as `salticid watch` makes them, a day each, and nothing stored."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace

import numpy as np

from salticid.lab.rounds.daily_web import DailyWeb, signature
from salticid.model import NO_SHARD, Page, Topic
from salticid.runs.order import Recipe
from salticid.runs.recorded import RecordedCrawl
from salticid.runs.refresh import FateRule, Look, PageFate
from salticid.store.memory_log import MemoryLog
from salticid.store.versions import PageVersion
from salticid.tables.excerpt import excerpt
from salticid.text.soft_changes import SoftChanges
from salticid.watching.change_rate import DAY
from salticid.watching.policy import Policy
from salticid.watching.round_brief import FINDINGS, Looks, RoundBrief, WatchedPages
from salticid.worlds.generating.ages import EPOCH

KeptPages = dict[str, bytes]
"""Pages by URL, with the signatures of what they said when they were last seen."""
_NO_BOUND = 1 << 30


@dataclass(slots=True)
class _KeptPage:
    """A page that the crawl holds: where it is by now, and how it was last seen."""

    step: int
    url: int
    day: int
    modified: float
    last: Page


class WatchedCrawl:
    """The first hunt, on day 0 and as the recipe says, and then rounds."""

    def __init__(self, web: DailyWeb, topic: Topic, recipe: Recipe) -> None:
        self._web, self._run = web, RecordedCrawl(topic, web, recipe, MemoryLog())
        self._kept: list[_KeptPage] = []
        self._row_of: dict[int, int] = {}
        self._row_at: dict[int, int] = {}
        self._shown: dict[int, int] = {}
        self._children, self._finds = Counter[int](), Counter[int]()
        self._looks: list[tuple[int, float, int]] = []
        self._hunted: list[int] = []
        self._found: list[int] = []
        soft_changes = SoftChanges(web.words, self._run.brief.own_words.of)
        self._fate_of = FateRule(soft_changes, lambda step, url: url in self._row_at)
        self._hunt()

    def kept(self) -> KeptPages:
        """The pages it holds by now."""
        return {self._web.urls[page.url]: signature(page.last) for page in self._kept}

    def round(self, day: int, policy: Policy, fetches: int) -> None:
        """Look again as the policy plans it, and hunt on."""
        self._web.day = day
        plan = policy.plan(self._brief(fetches))
        looked = [self._look(self._row_of[step]) for step in plan.again.tolist()]
        if scores := [score for score in looked if score is not None]:
            self._run.crawl.revise(scores, [])
        crawl, left = self._run.crawl, fetches - len(plan.again)
        crawl.extend(replace(crawl.limits, max_pages=_NO_BOUND, max_fetches=crawl.fetches + left))
        self._hunt()

    @property
    def _now(self) -> float:
        """The end of the day, in seconds since 1970."""
        return EPOCH + (self._web.day + 1) * DAY

    def _brief(self, fetches: int) -> RoundBrief:
        kept, crawl = self._kept, self._run.crawl
        steps = np.array([page.step for page in kept], np.int32)
        score = np.array([crawl.score_of(page.step) for page in kept])
        pages = WatchedPages(
            step=steps,
            host=np.array([self._web.urls.host(page.url) for page in kept], np.int32),
            visited=np.array([EPOCH + (page.day + 1) * DAY for page in kept]),
            modified=np.array([page.modified for page in kept]),
            score=score,
            positive=score >= crawl.judge.line,
            children=np.array([self._children[row] for row in range(len(kept))], np.int32),
            finds=np.array([self._finds[row] for row in range(len(kept))], np.int32),
        )
        page, wall, finding = zip(*self._looks, strict=True) if self._looks else ((), (), ())
        looks = Looks(np.array(page, np.int32), np.array(wall), np.array(finding, np.uint8))
        hunts = np.array(self._hunted, np.int32), np.array(self._found, np.int32)
        return RoundBrief(pages, looks, self._now, fetches, *hunts)

    def _hunt(self) -> None:
        crawl = self._run.crawl
        fetches, found = crawl.fetches, 0
        for visit in self._run.visits():
            if visit.page is None or not visit.good:
                continue
            self._row_of[visit.step] = self._row_at[visit.final] = len(self._kept)
            modified = np.nan if visit.modified is None else visit.modified
            self._kept.append(_KeptPage(visit.step, visit.final, self._web.day, modified, visit.page))
            if visit.positive:
                found += 1
                source = visit.choice.link.source
                if source in self._shown:
                    self._finds[self._shown[source]] += 1
                elif source in self._row_of:
                    self._children[self._row_of[source]] += 1
        self._hunted.append(crawl.fetches - fetches)
        self._found.append(found)

    def _look(self, row: int) -> tuple[int, float] | None:
        """Ask for a page again; its step and its new score, if it changed."""
        kept, crawl = self._kept[row], self._run.crawl
        response = self._web.fetch(kept.url)
        fate = self._fate_of(Look(kept.step, PageVersion(kept.modified, None, kept.last), response))
        self._looks.append((row, self._now, FINDINGS.index(fate)))
        if response.page is None or fate not in (PageFate.SAME, PageFate.CHANGED):
            return None
        if response.final not in self._row_at:
            self._row_at[response.final] = row
            kept.url = response.final
            crawl.move(kept.step, response.final)
        score = crawl.judge.score(response.page)
        self._show(row, response.page, score)
        kept.last = response.page
        return (kept.step, score) if fate is PageFate.CHANGED else None

    def _show(self, row: int, page: Page, score: float) -> None:
        """Show the crawl the links of a page that are new there."""
        kept, crawl, links = self._kept[row], self._run.crawl, page.links
        are_new = crawl.unchosen(links.url) & ~np.isin(links.url, kept.last.links.url) & ~links.nofollow
        if page.nofollow or not are_new.any():
            return
        self._shown[crawl.step] = row
        crawl.glimpse(
            excerpt(
                page, np.flatnonzero(are_new).tolist(), crawl.brief, origin=NO_SHARD, step=crawl.step, score=score,
                positive=score >= crawl.judge.line, depth=crawl.depth_of(kept.step),
            )
        )  # fmt: skip
