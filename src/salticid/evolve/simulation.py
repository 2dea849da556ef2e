"""Crawls of one world for one topic, simulated at speed: the visits of the ordinary loop, compiled."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import lru_cache, partial
from multiprocessing import get_context, parent_process
from pathlib import Path
from threading import Thread
from typing import Any, NamedTuple, Protocol, TypeVar

import numpy as np
import numpy.typing as npt

from salticid.crawl import MOST_HELD
from salticid.errors import SalticidError, UserError
from salticid.evolve.graph import ANSWERS, ArrayCache, Codes, Graph, LanguageSigns, link_words
from salticid.evolve.kernel_loops import FLOATS, WHOLES, Given, Visits, Work, World, restore, run_crawl
from salticid.evolve.optimizers import normalise
from salticid.evolve.scored_pages import LEARNING, good_pages, known_pages, page_scores
from salticid.judges.cosine import Cosine
from salticid.judges.svm import Svm
from salticid.languages import OtherLanguages
from salticid.metrics import community_cohesiveness, community_overall
from salticid.model import Bools, Floats, Ints, Links, Outcome
from salticid.runs import Recipe, prepare, url_ids
from salticid.strategies.linear_rank import LinearRank
from salticid.strategies.parts import CONTEXT, TERMS, USUAL_RANKING, Ranking, Singles, Weights
from salticid.topic import Limits, Scope, Topic
from salticid.webs import RecordedWeb


class Trace(NamedTuple):
    """All visits of a crawl in their order; `outcome` are codes of `graph.ANSWERS`, `page` is -1 for none."""

    url: Ints
    final: Ints
    outcome: Codes
    page: Ints
    depth: Ints

    @property
    def outcomes(self) -> list[Outcome]:
        """What became of each choice."""
        return [ANSWERS[code] for code in self.outcome.tolist()]


class Kernel:
    """Simulates crawls of one world with one judge; keeps its working memory between them.

    That memory is reserved for the whole world and taken only as far as crawls reach.
    """

    def __init__(self, graph: Graph, scores: Floats, line: float, ranking: Ranking = USUAL_RANKING) -> None:
        self._graph, self._scores, self._line = graph, scores, line
        self._by_distance = ranking.by_distance
        self._signed = _read_only(ranking.all_signed(scores))
        self._words: tuple[Singles, Singles] = np.zeros(0, np.float32), np.zeros(0, np.float32)
        self._work = _work(len(graph.final), graph)
        self.set_languages(LanguageSigns.none(len(graph.page_url)))

    def set_words(self, words: tuple[Singles, Singles]) -> None:
        """What anchor and context of each link of `Graph.out` say; before that they say nothing."""
        self._words = words
        self._set_world()

    def set_languages(self, signs: LanguageSigns) -> None:
        """What links say about their language; before that none leads to another language."""
        self._signs = signs
        roots = int(np.abs(signs.sign).max(initial=0)) + 1
        if roots > len(self._work.is_language):
            self._work = self._work._replace(is_language=np.zeros(roots, np.bool_))
        self._set_world()

    def _set_world(self) -> None:
        graph = self._graph
        given: tuple[npt.NDArray[Any], ...] = (*self._words, *self._signs)
        self._world = World(
            graph.final,
            graph.outcome,
            graph.page,
            graph.host,
            graph.canonical,
            graph.start,
            graph.out,
            self._scores,
            self._signed,
            *map(_read_only, given),
        )

    def crawl(
        self,
        weights: Floats,
        seeds: Ints,
        limits: Limits,
        rng: np.random.Generator,
        arrivals: tuple[int, int],
    ) -> Trace:
        """One crawl: a row of weights for each phase, seeds by URL id, arrivals by capacity and low mark."""
        highest = int(seeds.max(initial=-1)) + 1
        if highest > len(self._work.slot):
            self._work = _work(highest, self._graph)._replace(is_language=self._work.is_language)
        settings = Given(weights, seeds, limits.max_pages, limits.fetches, *arrivals, self._line, self._by_distance)
        visits, steps = self._work.visits, -1
        try:
            steps = run_crawl(self._world, self._work, settings, rng)
        finally:
            restore(self._world, self._work)
        return Trace(*(column[:steps].copy() for column in visits))


def _work(urls: int, graph: Graph) -> Work:
    """Working memory for a world of so many URLs."""
    hosts = int(graph.host.max(initial=-1)) + 1
    links = len(graph.out)
    return Work(
        slot=np.full(urls, -1, np.int32),
        whole=np.empty((urls, WHOLES), np.int32),
        floats=np.empty((urls, FLOATS), np.float64),
        count=np.zeros(16, np.int64),
        key=np.empty(2 * urls + 4096, np.float64),
        tag=np.empty(2 * urls + 4096, np.int64),
        link_page=np.empty(links, np.int32),
        link_before=np.empty(links, np.int32),
        host_pages=np.zeros(hosts, np.int32),
        host_good=np.zeros(hosts, np.int32),
        held=np.empty(min(urls, MOST_HELD), np.int32),
        held_depth=np.empty(min(urls, MOST_HELD), np.int32),
        is_language=np.zeros(1, np.bool_),
        visits=Visits(
            np.empty(urls, np.int32),
            np.empty(urls, np.int32),
            np.empty(urls, np.uint8),
            np.empty(urls, np.int32),
            np.empty(urls, np.int32),
        ),
    )


def _read_only(array: npt.NDArray[Any]) -> npt.NDArray[Any]:
    array.flags.writeable = False
    return array


CAPACITY, LOW = 100, 50
"""So many are downloaded at once, and when so few are left, others join them: the paper's numbers."""

Watch = Callable[[str, int, int], None]
"""Shown what is being prepared, and how many pages of all are done."""


class SimulatedCrawl(NamedTuple):
    """The pages a crawl downloaded, in their order; each of the others has a value for each of them.

    `pages` are numbers of the world. What is `good` the simulation says; `depth` counts links from a seed;
    `first_of_new_host` marks the first good page of a host that no seed is on.
    """

    pages: Ints
    good: Bools
    depth: Ints
    first_of_new_host: Bools


class Cohesion(NamedTuple):
    """How many links lead from a page into the community: of the community's pages, and of all downloaded."""

    community: float | None
    overall: float | None


class Simulation:
    """Crawls by `linear_rank` over one world, for one topic and one judge.

    A crawl gives the pages, in the order, that `RecordedCrawl` gives for `topic`, which is the topic given with
    the known pages settled, and `recipe`. What it needs of the world is worked out once and kept beside it, in
    `cache`, for all processes; `watch` is shown the progress of that.

    The judge `svm` is a linear SVM on words and pairs of words, learned from the topic's examples, or else its seeds,
    and its negatives, or else random pages of the world. The judge `cosine` goes by the topic's keywords. What a judge
    calls positive is good.

    With `least_good`, the judge of the crawls is that of `salticid crawl`, who knows no random pages of the world. The
    one above only says what is good, and at least so many pages are.
    """

    terms: tuple[str, ...] = TERMS
    """The names of the terms, in the order of the columns of weights."""

    def __init__(
        self,
        world: Path,
        topic: Topic,
        cache: Path | None = None,
        watch: Watch | None = None,
        judge: str = LEARNING,
        least_good: int | None = None,
        ranking: Ranking = USUAL_RANKING,
    ) -> None:
        if topic.scope != Scope():
            raise UserError(f"topic {topic.name!r} has a scope; crawls are simulated without one: leave it out")
        if topic.languages:
            raise UserError(
                f"topic {topic.name!r} names a language; simulated crawls cannot restrict pages to it: the "
                "language of a page depends on the pages of its site read before; leave `language` out"
            )
        self.web = RecordedWeb(world)
        self.digest = self.web.digest
        taught = known_pages(topic, self.web) if judge == LEARNING else topic
        self.topic = taught if least_good is None else topic
        self._cache = ArrayCache(world / "simulation" if cache is None else cache, self.digest)
        self._watch = watch
        self._brief = prepare(self.topic, self.web, Limits(), seed=0)
        self.graph = Graph.of(self.web, self._cache)
        self._judge = Svm() if judge == LEARNING else Cosine()
        self.scores = page_scores(self._judge, self._brief, self.web, self._cache, watch)
        teacher, brief = type(self._judge)(), prepare(taught, self.web, Limits(), seed=0)
        best = page_scores(teacher, brief, self.web, self._cache, watch)
        self.good = good_pages(best, teacher.line, least_good or 0)
        self._ranking = ranking
        self._kernel = Kernel(self.graph, self.scores, self._judge.line, ranking)
        self._has_words = False
        self._wanted: frozenset[str] | None = None

    def crawl(self, weights: Floats, seed: int, length: int, seeds: Sequence[str] | None = None) -> SimulatedCrawl:
        """One crawl of at most `length` pages, from the topic's seeds or from others.

        `weights` has a row for each phase and a column for each term; the rows take over one after another, in
        equal parts of `length`, or each ranks the links of its distance from the seeds.
        """
        start = self._seeds(seeds)
        return self._result(self.visits(weights, seed, length, seeds), start)

    def visits(self, weights: Floats, seed: int, length: int, seeds: Sequence[str] | None = None) -> Trace:
        """The same crawl with all that happened in it, failures among them."""
        table = np.array(weights, np.float64, ndmin=2)
        if table.shape[1] != len(TERMS) or not np.isfinite(table).all() or (table < 0).any():
            raise ValueError(f"weights are rows of {len(TERMS)} numbers from 0 on, not {table!r}")
        if table[:, CONTEXT - 1 : CONTEXT + 1].any() and not self._has_words:
            self._kernel.set_words(link_words(self._brief, self.web, self.graph, self._cache, self._watch))
            self._has_words = True
        start = self._seeds(seeds)
        other = OtherLanguages.of(replace(self._brief, seeds=Links.to(start.tolist())))
        if other.wanted != self._wanted:
            self._kernel.set_languages(LanguageSigns.of(other, self.web, self.graph, self._cache, self._watch))
            self._wanted = other.wanted
        rng = np.random.default_rng([seed, 1])
        return self._kernel.crawl(table, start, Limits(max_pages=length), rng, (CAPACITY, LOW))

    def cohesion(self, crawl: SimulatedCrawl, seeds: Sequence[str] | None = None) -> Cohesion:
        """The two cohesivenesses of the paper; the community are the good pages and the seeds."""
        community = crawl.good | np.isin(crawl.pages, self.graph.answering(self._seeds(seeds)))
        start, link = self.graph.among(crawl.pages)
        return Cohesion(community_cohesiveness(start, link, community), community_overall(start, link, community))

    def recipe(self, weights: Floats, seed: int, length: int) -> Recipe:
        """What makes the ordinary loop crawl the same pages."""
        limits = Limits(max_pages=length, max_buffer=None)
        return Recipe(
            strategy_of(weights, self._ranking),
            type(self._judge)(),
            limits,
            f"roulette:{CAPACITY}/{LOW}",
            seed,
        )

    def _seeds(self, seeds: Sequence[str] | None) -> Ints:
        return np.array(url_ids(tuple(seeds or self.topic.seeds), self.web.urls), np.int32)

    def _result(self, visits: Trace, seeds: Ints) -> SimulatedCrawl:
        has_page = visits.page >= 0
        pages = visits.page[has_page]
        good = self.good[pages]
        hosts = self.graph.host[self.graph.page_url[pages]]
        known_hosts = {self.web.urls.host(url) for url in seeds.tolist()}
        first = np.zeros(len(pages), np.bool_)
        for at in np.flatnonzero(good).tolist():
            if (host := int(hosts[at])) not in known_hosts:
                known_hosts.add(host)
                first[at] = True
        return SimulatedCrawl(pages, good, visits.depth[has_page], first)


def strategy_of(weights: Floats, ranking: Ranking = USUAL_RANKING) -> LinearRank:
    """The ordinary strategy with these weights, a row for each phase."""
    first, *later = (Weights(*row) for row in np.array(weights, np.float64, ndmin=2).tolist())
    return LinearRank(**first.settings(), later=tuple(later), by_distance=ranking.by_distance, margin=ranking.margin)


# The crawls of a search are made by this process, by processes beside it, or by another `Crawlers`.

T = TypeVar("T")
R = TypeVar("R")
GroupWatch = Callable[[int, int], None]
"""Called with the number of crawls that are made, and of how many."""


@dataclass(frozen=True, slots=True)
class Stage:
    """What crawls are simulated on; enough to open it in any process that sees the folder."""

    world: Path
    topic: Topic
    judge: str = LEARNING
    least_good: int | None = None
    ranking: Ranking = USUAL_RANKING

    def open(self, watch: Watch | None = None) -> Simulation:
        return Simulation(
            self.world,
            self.topic,
            watch=watch,
            judge=self.judge,
            least_good=self.least_good,
            ranking=self.ranking,
        )


class Crawlers(Protocol):
    """Does a piece of work many times, on a simulation that each process opens once.

    `work` is a function of a module, and what it takes and gives is plain data: both may travel. The results
    come in the order of the tasks, and are the same wherever they were made.
    """

    def map(self, work: Callable[[Simulation, T], R], tasks: Sequence[T]) -> Iterator[R]:
        """The result of each task."""
        ...


@dataclass(frozen=True, slots=True)
class Here:
    """Crawls one after the other, in this process."""

    stage: Stage

    def map(self, work: Callable[[Simulation, T], R], tasks: Sequence[T]) -> Iterator[R]:
        """The result of each task, made when it is asked for."""
        return (run_task(self.stage, work, task) for task in tasks)


@dataclass(frozen=True, slots=True)
class Processes:
    """Crawls in processes of this machine, as many at once as there are."""

    stage: Stage
    pool: ProcessPoolExecutor

    def map(self, work: Callable[[Simulation, T], R], tasks: Sequence[T]) -> Iterator[R]:
        """The result of each task, as soon as those before it are done."""
        try:
            yield from self.pool.map(partial(run_task, self.stage, work), tasks)
        except BrokenProcessPool:
            raise SalticidError("a worker has died, perhaps for want of memory; try fewer --workers") from None


@contextmanager
def crawlers(stage: Stage, workers: int) -> Iterator[Crawlers]:
    """So many at work; all gone when this ends, however it ends."""
    if workers == 1:
        yield Here(stage)
        return
    pool = ProcessPoolExecutor(workers, mp_context=get_context("spawn"), initializer=_serve)
    try:
        yield Processes(stage, pool)
    finally:
        pool.shutdown(wait=True, cancel_futures=True)


def in_groups(
    crawlers: Crawlers, work: Callable[[Simulation, T], R], tasks: Sequence[T], size: int, watch: GroupWatch
) -> list[list[R]]:
    """The results of all tasks in groups of `size`, one after the other."""
    results: list[R] = []
    for result in crawlers.map(work, tasks):
        results.append(result)
        watch(len(results), len(tasks))
    return [results[at : at + size] for at in range(0, len(results), size)]


def run_task(stage: Stage, work: Callable[[Simulation, T], R], task: T) -> R:
    """One task done in this process, on the simulation it has opened."""
    return work(simulation_of(stage), task)


def prepare_worker(stage: Stage, terms: Sequence[str], watch: Watch) -> Simulation:
    """Work out what crawls by these terms need and keep it, so that no worker has to."""
    simulation = stage.open(watch)
    weights = [[1.0 if term in terms else 0.0 for term in simulation.terms]]
    simulation.crawl(normalise(np.array(weights)), seed=0, length=1)
    return simulation


@lru_cache(maxsize=1)
def simulation_of(stage: Stage) -> Simulation:
    """The simulation of a stage, opened once a process."""
    return stage.open()


def _serve() -> None:
    """Leave Ctrl-C to the process that was started, and end with it."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    Thread(target=_end_with_parent, daemon=True).start()


def _end_with_parent() -> None:
    parent = parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)
