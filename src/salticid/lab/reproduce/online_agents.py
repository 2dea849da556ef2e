"""System 3 again: agents that search online, against the next hits of a search engine whose index is old."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from salticid.judges import judges
from salticid.lab.compare import Watch
from salticid.lab.reproduce.findings import SURE, FigureTable, Finding, Reproduction, Verdict, finding_of
from salticid.lab.reproduce.worlds import LEAST_PAGES
from salticid.lab.statistics import compare, curve
from salticid.metrics.parts.bm25 import bm25
from salticid.metrics.parts.estimates import (
    estimated_recall,
    estimated_recency,
    product,
    product_se,
)
from salticid.metrics.parts.pool_terms import PoolTerms, WorldTerms
from salticid.metrics.parts.similarity import cosines, mean_so_far
from salticid.model import Floats, Limits, Topic
from salticid.runs.order import Recipe
from salticid.runs.recorded import RecordedCrawl
from salticid.store.memory_log import MemoryLog
from salticid.strategies import strategies
from salticid.truth import Truth, load_topic
from salticid.webs.recorded import RecordedWeb
from salticid.webs.world_arrays import PAGE, ROW, URL
from salticid.worlds.generating.building import WebEdition, build_generated
from salticid.worlds.topics import TopicPlan, make_topics

PAPER = (
    'Menczer, "Complementing search engines with online web mining agents", Decision Support Systems 35, 2003'
)
ROOM, INDEX_DAY, TODAY = 800, 0, 60
"""How many times larger than a search the web is, the day on which the engine read it, and the day of the search."""
MAX_PAGES, MOST_TOPICS, STARTS = 100, 100, 10
_DEEP = 10
"""So many times more hits are looked at than are shown: some pages have vanished since."""
_DAY = 86_400.0
_EPOCH = 1_767_225_600.0
"""Day 0 of generated webs: 2026-01-01."""


@dataclass(frozen=True, slots=True, eq=False)
class _Trail:
    """What one side fetched for a topic, page by page: likeness to the description, and recency."""

    precision: Floats
    recall: Floats
    recency: Floats


def reproduce(
    data: Path | None, out: Path, workers: int, watch: Watch, pages: int = MAX_PAGES
) -> Reproduction:
    """Run the experiment on two days of a generated web; nobody has a recording of a web on two days."""
    size = max(ROOM * pages, LEAST_PAGES)
    old, new = (_snapshot(out, size, day, watch) for day in (INDEX_DAY, TODAY))
    files = make_topics(old.folder, out / "topics", TopicPlan(examples_per_topic=5)).files[:MOST_TOPICS]
    search = _Engine(old)
    here = _Web(new)
    agents: list[_Trail] = []
    engine: list[_Trail] = []
    for count, file in enumerate(files, start=1):
        topic, truth = load_topic(file)
        hits = [url for url in search.hits(topic.keywords, _DEEP * pages) if here.has(url)]
        starts, following = hits[:STARTS], hits[STARTS : STARTS + pages]
        if len(starts) == STARTS and len(following) == pages:
            agents.append(here.agents(topic, truth, starts, pages))
            engine.append(here.trail(following, truth, index_time=_EPOCH + INDEX_DAY * _DAY))
        watch("searching", count, len(files))
    return Reproduction(
        number=3,
        paper=PAPER,
        data=f"a generated web of {size:,} pages, indexed on day {INDEX_DAY} and searched on day {TODAY}",
        settings={
            "topics": str(len(agents)),
            "pages": str(pages),
            "start pages": f"the engine's first {STARTS} hits that are still there",
            "the engine": "BM25 over the old day; its next hits, judged as they are now",
        },
        tables=[_table(agents, engine, pages)],
        findings=_findings(agents, engine, pages),
    )


def _snapshot(out: Path, pages: int, day: int, watch: Watch) -> RecordedWeb:
    world = out / f"world-{pages}-day-{day}"
    if not world.exists():
        out.mkdir(parents=True, exist_ok=True)
        edition = WebEdition(pages, seed=3, day=day)
        build_generated(world, edition, watch=lambda count, _: watch(f"building day {day}", count, pages))
    return RecordedWeb(world)


class _Engine:
    """A search engine whose index was made on an earlier day."""

    def __init__(self, web: RecordedWeb) -> None:
        self._web = web
        self._terms = WorldTerms(web)
        self._all = PoolTerms(self._terms, np.arange(web.pages, dtype=np.int32))

    def hits(self, query: str, count: int) -> list[str]:
        """The URLs that answer a query best, equal ones in the order of their names."""
        scores = bm25(self._all.counts, self._all.query(query)).round(9)
        urls = [self._web.urls[int(at)] for at in self._web.arrays[PAGE.url]]
        order = sorted(np.flatnonzero(scores > 0).tolist(), key=lambda page: (-scores[page], urls[page]))
        return [urls[page] for page in order[:count]]


class _Web:
    """The web of today, and what is found there."""

    def __init__(self, web: RecordedWeb) -> None:
        self._web, self._terms = web, WorldTerms(web)

    def has(self, url: str) -> bool:
        """Whether there is a page at a URL."""
        at = self._web.urls.find(url)
        return at >= 0 and self._web.number_at(at) >= 0

    def agents(self, topic: Topic, truth: Truth, starts: list[str], pages: int) -> _Trail:
        """What MySpiders find from the start pages, those left out."""
        limits = Limits(max_pages=pages + len(starts), max_buffer=100_000)
        recipe = Recipe(strategies.make("myspiders"), judges.make("cosine"), limits)
        log = MemoryLog()
        RecordedCrawl(replace(topic, seeds=tuple(starts), examples=()), self._web, recipe, log).run()
        good = [visit for visit in log.visits if visit.good]
        urls = [self._web.urls[visit.final] for visit in good]
        return self.trail([url for url in urls if url not in starts][:pages], truth, index_time=np.inf)

    def trail(self, urls: Sequence[str], truth: Truth, index_time: float) -> _Trail:
        """Estimated precision, recall and recency, page by page."""
        ids = [self._web.urls.find(url) for url in urls]
        numbers = np.array([self._web.number_at(at) for at in ids], np.int32)
        pool = PoolTerms(self._terms, np.unique(numbers), [truth.description])
        like = cosines(pool.counts, pool.query(truth.description))[pool.places(numbers)]
        dates = self._web.arrays[ROW.modified][self._web.arrays[URL.row][ids]]
        return _Trail(mean_so_far(like), estimated_recall(like), estimated_recency(dates, index_time))


def _table(agents: list[_Trail], engine: list[_Trail], pages: int) -> FigureTable:
    rows = []
    for name, trails in (("MySpiders", agents), ("the engine's next hits", engine)):
        for at in sorted({5, pages // 4, pages // 2, 4 * pages // 5, pages}):
            p, r, t = (
                [getattr(trail, part) for trail in trails] for part in ("precision", "recall", "recency")
            )
            (mp, sp), (mr, sr), (mt, st) = (_after(part, at) for part in (p, r, t))
            both = product(np.array([mt]), np.array([mr]))[0]
            error = product_se(np.array([mt]), np.array([st]), np.array([mr]), np.array([sr]))[0]
            rows.append(
                [
                    name,
                    str(at),
                    *(f"{m:.3f} ± {s:.3f}" for m, s in ((mp, sp), (mr, sr), (mt, st), (both, error))),
                ]
            )
    return FigureTable(
        "Estimated precision, recall, recency, and recency times recall",
        ["who", "pages", "P", "R", "T", "T*R"],
        rows,
    )


def _after(curves: list[Floats], pages: int) -> tuple[float, float]:
    """Mean and standard error after so many pages."""
    means = curve([each[:pages] for each in curves])
    return means.mean[-1], means.se[-1]


def _findings(agents: list[_Trail], engine: list[_Trail], pages: int) -> list[Finding]:
    late = 4 * pages // 5
    claims = [
        ("Agents are more precise early, after 5 pages", "precision", 5),
        (f"and late, after {late} pages", "precision", late),
        ("Their recall is higher early, after 5 pages", "recall", 5),
        (f"and late, after {pages} pages", "recall", pages),
        (f"Their pages are more recent, after {pages} pages", "recency", pages),
    ]
    findings = [_difference(claim, part, at, agents, engine) for claim, part, at in claims]
    ratio = _after([t.recency for t in agents], pages)[0] / _after([t.recency for t in engine], pages)[0]
    by_far = Verdict.HOLDS if ratio >= 10**1.5 else Verdict.DOES_NOT_HOLD
    for name, side, rising in (("Agents'", agents, True), ("The engine's", engine, False)):
        findings.append(_trend(name, side, rising, 7 * pages // 10, pages))
    findings.append(
        Finding(
            "more recent by more than 1.5 orders of magnitude",
            f"{ratio:.2f} times as recent; so many times is only possible where most of the index is long outdated",
            by_far,
        )
    )
    return findings


def _trend(whose: str, side: list[_Trail], rising: bool, early: int, late: int) -> Finding:
    """Whether recency times recall grows, or falls, from one number of pages to a larger one."""
    before, after = (
        [float(product(t.recency, t.recall)[min(at, len(t.recall)) - 1]) for t in side]
        for at in (early, late)
    )
    claim = f"{whose} recency times recall {'keeps growing' if rising else 'falls'} after {early} pages"
    test = compare(claim, "after", "before", after, before, 0)
    means = f"{np.mean(before):.2f} after {early} pages, {np.mean(after):.2f} after {late}"
    return finding_of(claim, means, test, lambda diff, p: (diff > 0) is rising and p < SURE)


def _difference(claim: str, part: str, at: int, agents: list[_Trail], engine: list[_Trail]) -> Finding:
    ours, theirs = (
        [float(getattr(trail, part)[min(at, len(getattr(trail, part))) - 1]) for trail in side]
        for side in (agents, engine)
    )
    test = compare(claim, "agents", "engine", ours, theirs, 0)
    means = f"agents {np.mean(ours):.3f}, engine {np.mean(theirs):.3f}"
    return finding_of(claim, means, test, lambda diff, p: diff > 0 and p < SURE)
