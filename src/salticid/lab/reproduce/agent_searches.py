"""Searches of paper 3: agents on a web of today, against an engine that read a part of it on an earlier day."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from salticid.judges import judges
from salticid.lab.reproduce.reproduction import LEAST_PAGES, Setup
from salticid.metrics import (
    PoolTerms,
    WorldTerms,
    bm25,
    cosines,
    estimated_recall,
    estimated_recency,
    mean_so_far,
    product,
)
from salticid.model import Floats, Ints
from salticid.runs import MemoryLog, Recipe, RecordedCrawl, strategy_of
from salticid.topic import Limits, Topic
from salticid.truth import Truth, load_topic
from salticid.webs import PAGE, ROW, URL, RecordedWeb
from salticid.worlds import TopicPlan, make_topics
from salticid.worlds.generating import WebEdition, build_generated

# A search engine as paper 3 knew them: it read a part of the web, and that long ago.

_WHOLE = 1 << 32


class SearchEngine:
    """Ranks by BM25 the pages it read of a web; `coverage` is the share of them, drawn by their URLs.

    Of two engines the one that covers more has all pages of the other.
    """

    def __init__(self, web: RecordedWeb, terms: WorldTerms, coverage: float) -> None:
        urls = [web.urls[int(at)] for at in web.arrays[PAGE.url]]
        read = [page for page, url in enumerate(urls) if _lot(url) < coverage]
        self._urls = [urls[page] for page in read]
        self._pages: Ints = np.array(read, np.int32)
        self._terms = terms

    def __len__(self) -> int:
        """How many pages it read."""
        return len(self._pages)

    def hits(self, query: str, count: int) -> list[str]:
        """The URLs that answer a query best, equal ones in the order of their names."""
        scores = bm25(self._index.counts, self._index.query(query)).round(9)
        order = sorted(np.flatnonzero(scores > 0).tolist(), key=lambda page: (-scores[page], self._urls[page]))
        return [self._urls[page] for page in order[:count]]

    @cached_property
    def _index(self) -> PoolTerms:
        return PoolTerms(self._terms, self._pages)


def _lot(url: str) -> float:
    """A number from 0 to 1 that a URL draws.

    >>> 0 <= _lot("http://a.example/") < 1
    True
    """
    digest = hashlib.blake2b(url.encode(), digest_size=4).digest()
    return int.from_bytes(digest, "little") / _WHOLE


ROOM, STARTS = 800, 10
"""How many times larger than a search the web is, and from how many hits the agents start."""
_SEED = 3
_DEEP = 10
"""So many times more hits are looked at than are shown: some pages have vanished since."""
_EPOCH = 1_767_225_600.0
"""Day 0 of generated webs, on which engines read them: 2026-01-01."""


@dataclass(frozen=True, slots=True, eq=False)
class Trail:
    """What one side fetched for a topic, page by page: likeness to the description, and recency."""

    precision: Floats
    recall: Floats
    recency: Floats

    @property
    def product(self) -> Floats:
        """Recency times recall."""
        return product(self.recency, self.recall)


@dataclass(frozen=True, slots=True, eq=False)
class Search:
    """The trails of all sides, topic by topic, the engine's last; `left_out` topics have too few hits."""

    coverage: float
    days: int
    trails: dict[str, list[Trail]]
    left_out: int

    @property
    def where(self) -> str:
        """Against which engine."""
        return f"generated, {self.coverage:.0%} read {self.days} days ago"


class SearchLaboratory:
    """A web on several days, with the same topics on all of them."""

    def __init__(self, setup: Setup, agents: Mapping[str, str], engine: str) -> None:
        """`agents` are strategies by what people call them, `engine` is what the engine is called."""
        self._setup, self._agents, self._engine = setup, agents, engine
        self.size = max(ROOM * setup.pages, LEAST_PAGES)
        self._old = self._snapshot(0)
        self._old_terms = WorldTerms(self._old)
        plan = TopicPlan(examples_per_topic=5)
        files = make_topics(self._old.folder, setup.out / "topics", plan).files
        self._topics = [load_topic(file) for file in files[: setup.topics]]
        self._days: dict[int, _Today] = {}
        self._engines: dict[float, SearchEngine] = {}

    def search(self, coverage: float, days: int) -> Search:
        """All topics, by each kind of agents and by an engine."""
        if days not in self._days:
            self._days = {days: _Today(self._snapshot(days))}
        if coverage not in self._engines:
            self._engines[coverage] = SearchEngine(self._old, self._old_terms, coverage)
        today, engine, pages = self._days[days], self._engines[coverage], self._setup.pages
        trails: dict[str, list[Trail]] = {name: [] for name in (*self._agents, self._engine)}
        for count, (topic, truth) in enumerate(self._topics, start=1):
            there = [url for url in engine.hits(topic.keywords, _DEEP * pages) if today.has(url)]
            starts, following = there[:STARTS], there[STARTS : STARTS + pages]
            if len(starts) == STARTS and len(following) == pages:
                for name, spec in self._agents.items():
                    trails[name].append(today.agents(spec, topic, truth, starts, pages))
                trails[self._engine].append(today.trail(following, truth, index_time=_EPOCH))
            self._setup.watch(f"searching, {coverage:.0%} read {days} days ago", count, len(self._topics))
        return Search(coverage, days, trails, len(self._topics) - len(trails[self._engine]))

    def _snapshot(self, day: int) -> RecordedWeb:
        out, pages, watch = self._setup.out, self.size, self._setup.watch
        world = out / f"world-{pages}-day-{day}"
        if not world.exists():
            out.mkdir(parents=True, exist_ok=True)
            edition = WebEdition(pages, seed=_SEED, day=day)
            build_generated(world, edition, watch=lambda count, _: watch(f"building day {day}", count, pages))
        return RecordedWeb(world)


class _Today:
    """The web on the day of the search, and what is found there."""

    def __init__(self, web: RecordedWeb) -> None:
        self._web, self._terms = web, WorldTerms(web)

    def has(self, url: str) -> bool:
        """Whether there is a page at a URL."""
        at = self._web.urls.find(url)
        return at >= 0 and self._web.number_at(at) >= 0

    def agents(self, spec: str, topic: Topic, truth: Truth, starts: list[str], pages: int) -> Trail:
        """What MySpiders find from the start pages, those left out."""
        limits = Limits(max_pages=pages + len(starts), max_buffer=100_000)
        recipe = Recipe(strategy_of(spec)[1], judges.make("cosine"), limits)
        log = MemoryLog()
        RecordedCrawl(replace(topic, seeds=tuple(starts), examples=()), self._web, recipe, log).run()
        good = [visit for visit in log.visits if visit.good]
        urls = [self._web.urls[visit.final] for visit in good]
        return self.trail([url for url in urls if url not in starts][:pages], truth, index_time=np.inf)

    def trail(self, urls: Sequence[str], truth: Truth, index_time: float) -> Trail:
        """Estimated precision, recall and recency, page by page."""
        ids = [self._web.urls.find(url) for url in urls]
        numbers = np.array([self._web.number_at(at) for at in ids], np.int32)
        pool = PoolTerms(self._terms, np.unique(numbers), [truth.description])
        like = cosines(pool.counts, pool.query(truth.description))[pool.places(numbers)]
        dates = self._web.arrays[ROW.modified][self._web.arrays[URL.row][ids]]
        return Trail(mean_so_far(like), estimated_recall(like), estimated_recency(dates, index_time))
