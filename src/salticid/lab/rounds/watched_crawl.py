"""A crawl of a daily web that is watched: rounds as `salticid watch` makes them, a day each, and nothing stored."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from hashlib import blake2b
from pathlib import Path

import numpy as np

from salticid.model import NO_SHARD, Page, Response
from salticid.runs import FateRule, Look, MemoryLog, PageFate, Recipe, RecordedCrawl
from salticid.store.news import PageVersion
from salticid.tables import Translation, excerpt
from salticid.text import SoftChanges
from salticid.topic import Topic
from salticid.watching import DAY, FINDINGS, Looks, Policy, RoundBrief, WatchedPages
from salticid.webs import REDIRECT, ROW, RecordedWeb
from salticid.worlds import labels_of
from salticid.worlds.generating import EPOCH

# A generated web that goes on from day to day, as one web to a crawl: one table of URLs and one of words.


class DailyWeb:
    """A world for each day, asked on the day that `day` says; pages are in the ids of the first day's tables."""

    def __init__(self, worlds: Sequence[Path]) -> None:
        self._webs = [RecordedWeb(world) for world in worlds]
        self._translations = [Translation(web.urls.__getitem__, web.words.__getitem__) for web in self._webs]
        self._last: dict[int, Page] = {}
        self.urls, self.words = self._webs[0].urls, self._webs[0].words
        self.day = 0

    def fetch(self, url: int) -> Response:
        """What this URL answers on the day."""
        response = self._webs[0].fetch(url) if self.day == 0 else self._later(url)
        if response.page is not None:
            self._last[url] = self._last[response.final] = response.page
        return response

    def page_at(self, url: int) -> Page | None:
        """The page as it was last fetched."""
        return self._last.get(url)

    def _later(self, url: int) -> Response:
        web = self._webs[self.day]
        response = web.fetch(web.urls.intern(self.urls[url]))
        page = response.page and self._translations[self.day].page(response.page, self.urls, self.words)
        return replace(response, url=url, final=self.urls.intern(web.urls[response.final]), page=page)


def signature(page: Page) -> bytes:
    """The same for two versions of a page that say the same."""
    return blake2b(page.title.encode() + b"\0" + page.packed_text, digest_size=8).digest()


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


# What is true of the subjects of a web day by day, and how much of one a crawl has.


@dataclass(frozen=True, slots=True)
class Shares:
    """Shares of the pages of a subject on a day: known at all, and known as they are."""

    known: float
    fresh: float


@dataclass(frozen=True, slots=True)
class SubjectDay:
    """The pages of a subject on a day: the signature of each by its URL; and where URLs of moved pages lead."""

    pages: Mapping[str, bytes]
    moved: Mapping[str, str]

    def shares(self, kept: Mapping[str, bytes]) -> Shares:
        """How much of it a crawl has that keeps these pages, by URL, as their signatures say.

        >>> SubjectDay({"a": b"new", "b": b"old"}, {"z": "b"}).shares({"a": b"old", "z": b"old", "c": b"old"})
        Shares(known=1.0, fresh=0.5)
        """
        there = [(self.moved.get(url, url), said) for url, said in kept.items()]
        known = {url for url, _ in there if url in self.pages}
        fresh = {url for url, said in there if self.pages.get(url) == said}
        return Shares(len(known) / len(self.pages), len(fresh) / len(self.pages))


def subject_days(worlds: Sequence[Path], labels: Sequence[str]) -> dict[str, list[SubjectDay]]:
    """By label, what is true on each day."""
    days: dict[str, list[SubjectDay]] = {label: [] for label in labels}
    for world in worlds:
        web, urls = RecordedWeb(world), labels_of(world)
        rows = np.flatnonzero(web.arrays[ROW.kind] == REDIRECT).tolist()
        moved = {web.urls[at]: web.urls[web.fetch(at).final] for at in rows}
        for label, of_label in days.items():
            found = ((url, web.page_at(web.urls.find(url))) for url in urls.get(label, ()))
            pages = {url: signature(page) for url, page in found if page is not None}
            of_label.append(SubjectDay(pages, moved))
    return days
