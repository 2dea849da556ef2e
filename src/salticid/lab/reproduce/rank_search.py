"""One search of system 5 and its test: what was evolved against Best-First, from other seeds and for longer."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from salticid.evolve.checkpoint import Checkpoint
from salticid.evolve.crawl_figures import Figures, figures
from salticid.evolve.fitness import CrawlTrial
from salticid.evolve.known_starts import PARENT
from salticid.evolve.search import Evolution
from salticid.evolve.search_plan import PAPER_TERMS, SearchPlan, digest_of, versions
from salticid.evolve.workers import Crawlers, Stage, crawlers, in_groups, prepare
from salticid.lab.compare import Watch
from salticid.lab.search_report.evidence import EvolvedStrategy, with_evidence
from salticid.lab.search_report.page import render
from salticid.lab.search_report.strategy_file import strategy_file
from salticid.model import Topic

EVOLVED, BEST_FIRST = "evolved", "BestFirst"
LENGTHS = (1, 2, 3)
"""Tests are so many times as long as training."""


@dataclass(frozen=True, slots=True)
class SearchCase:
    """A topic to evolve a strategy for; `starts` are other seeds to test it from. `rare`: it has few pages."""

    ground: str
    world: Path
    topic: Topic
    pages: int
    starts: tuple[tuple[str, ...], ...]
    length: int
    rare: bool

    @property
    def name(self) -> str:
        """What people call it."""
        return f"{self.ground}, {self.topic.name}"


@dataclass(frozen=True, slots=True)
class CaseResult:
    """What came out: the strategy with its evidence, and the figures of all test crawls.

    `crawls` goes by strategy, start (its place in `SearchCase.starts`) and length; crawls of one random seed have the
    same place in every list.
    """

    case: SearchCase
    strategy: EvolvedStrategy
    crawls: dict[tuple[str, int, int], list[Figures]]

    def values(self, strategy: str, start: int, length: int, of: Callable[[Figures], float]) -> list[float]:
        """One figure of each crawl."""
        return [float(of(each)) for each in self.crawls[strategy, start, length]]


def try_case(
    case: SearchCase, size: tuple[int, int, int], out: Path, workers: int, watch: Watch
) -> CaseResult:
    """Search, or take what was found before; then test. `size` is population, generations and runs."""
    stage = Stage(case.world.absolute(), case.topic)

    def report(what: str, count: int, of: int) -> None:
        watch(f"{case.name}: {what}", count, of)

    simulation = prepare(stage, PAPER_TERMS, report)
    population, generations, runs = size
    plan = SearchPlan(
        simulation.digest,
        case.topic.name,
        digest_of(case.topic),
        case.topic.seeds,
        simulation.terms,
        PAPER_TERMS,
        population=population,
        generations=generations,
        crawl_length=case.length,
        runs=runs,
        versions=versions(),
    )
    folder = out / f"evolved-{case.ground}-{case.topic.name}-{case.length}"
    with crawlers(stage, workers) as crawler_pool:
        evolution = Evolution(plan, crawler_pool, Checkpoint(folder))
        state = evolution.run(lambda count: report("evolving", count, evolution.total))
        strategy = with_evidence(state, crawler_pool, report)
        (folder / "report.html").write_text(render(state, strategy), encoding="utf-8")
        (folder / "evolved.toml").write_text(strategy_file(strategy), encoding="utf-8")
        return CaseResult(case, strategy, _test_crawls(case, strategy, crawler_pool, report))


def _test_crawls(
    case: SearchCase, strategy: EvolvedStrategy, crawler_pool: Crawlers, watch: Watch
) -> dict[tuple[str, int, int], list[Figures]]:
    plan = strategy.plan
    weights = {EVOLVED: strategy.weights, BEST_FIRST: plan.alone(PARENT)}
    settings = [
        (name, start, length) for name in weights for start in range(len(case.starts)) for length in LENGTHS
    ]
    trials = [
        CrawlTrial(weights[name], seed, length * case.length, case.starts[start])
        for name, start, length in settings
        for seed in plan.held_back_seeds
    ]
    watch_crawls = partial(watch, "other seeds and lengths")
    groups = in_groups(crawler_pool, figures, trials, len(plan.held_back_seeds), watch_crawls)
    return dict(zip(settings, groups, strict=True))


def mean_counts(histograms: Iterable[list[int]]) -> list[float]:
    """Histograms averaged place by place.

    >>> mean_counts([[2, 4], [4, 0, 2]])
    [3.0, 2.0, 1.0]
    """
    rows = list(histograms)
    longest = max(map(len, rows), default=0)
    return [sum(row[at] for row in rows if at < len(row)) / len(rows) for at in range(longest)]
