"""Searches of system 5, and the tests of what they found: from other seeds, for longer, and elsewhere."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import msgspec

from salticid.evolve.checkpoint import Checkpoint, State
from salticid.evolve.crawl_figures import Figures, figures
from salticid.evolve.finalists import ranked_finalists
from salticid.evolve.fitness import CrawlTrial, Goal
from salticid.evolve.optimizer import Weights
from salticid.evolve.search import Evolution
from salticid.evolve.search_plan import PAPER_TERMS, SearchPlan, digest_of, versions
from salticid.evolve.workers import Crawlers, Stage, crawlers, in_groups, prepare
from salticid.lab.compare import Watch
from salticid.lab.reproduce.search_places import Place
from salticid.lab.search_report.evidence import EvolvedStrategy, evidence_for
from salticid.lab.search_report.page import REPORT, render
from salticid.lab.search_report.strategy_file import strategy_file
from salticid.strategies.parts.rank_terms import Ranking

LENGTHS = (1, 2, 3)
"""Tests are so many times as long as training."""
BEST = 3
"""So many strategies of a search does the paper show."""


@dataclass(frozen=True, slots=True)
class SearchSize:
    """How large a search is."""

    population: int
    generations: int
    runs: int


class SearchKind(msgspec.Struct, frozen=True):
    """What a search looks for: nothing but the share of good pages, by the paper's terms, unless said otherwise.

    `shorter`: training crawls are so many times shorter.
    """

    name: str = ""
    goal: Goal = Goal()
    terms: tuple[str, ...] = PAPER_TERMS
    phases: int = 1
    by_distance: bool = False
    known: tuple[Weights, ...] = ()
    shorter: int = 1


PLAIN_SEARCH = SearchKind()


@dataclass(frozen=True, slots=True)
class Found:
    """What a search found: its best strategies, the best one first, and what is known of that one."""

    place: Place
    kind: SearchKind
    state: State
    best: tuple[Weights, ...]
    evidence: EvolvedStrategy

    def weight(self, term: str) -> float:
        """The weight of a term in the best strategy, in its first phase."""
        return self.evidence.weights[0][self.evidence.plan.terms.index(term)]


@dataclass(frozen=True, slots=True)
class Workplace:
    """Where and how searches are done: what they leave behind lies in `out`."""

    out: Path
    workers: int
    size: SearchSize
    watch: Watch

    def search(self, place: Place, kind: SearchKind = PLAIN_SEARCH) -> Found:
        """Search, or take what was found before."""
        stage, watch = stage_of(place, kind.by_distance), self.watching(f"{place.name}{_suffix(kind)}")
        simulation = prepare(stage, kind.terms, watch)
        plan = SearchPlan(
            simulation.digest, place.topic.name, digest_of(place.topic), place.topic.seeds, simulation.terms,
            kind.terms, population=self.size.population, generations=self.size.generations,
            crawl_length=place.length // kind.shorter, runs=self.size.runs, phases=kind.phases, goal=kind.goal,
            known=kind.known, versions=versions(), ranking=stage.ranking,
        )  # fmt: skip
        folder = self.out / f"evolved-{'-'.join(place.name.split(', '))}-{place.length}{_suffix(kind)}"
        with crawlers(stage, self.workers) as pool:
            evolution = Evolution(plan, pool, Checkpoint(folder))
            state = evolution.run(lambda count: watch("evolving", count, evolution.total))
            best = ranked_finalists(state, pool, partial(watch, "choosing"))[:BEST]
            evidence = evidence_for(state, best[0], pool, watch)
        (folder / REPORT).write_text(render(state, evidence), encoding="utf-8")
        (folder / "evolved.toml").write_text(strategy_file(evidence), encoding="utf-8")
        return Found(place, kind, state, tuple(map(plan.spread, best)), evidence)

    def test(self, place: Place, strategies: Mapping[str, Weights], by_distance: bool = False) -> PlaceTests:
        """Crawl with each strategy from both starts, three lengths, 15 random seeds each."""
        stage, watch = stage_of(place, by_distance), self.watching(place.name)
        with crawlers(stage, self.workers) as pool:
            return PlaceTests(place, _test_crawls(place, strategies, pool, partial(watch, "testing")))

    def watching(self, where: str) -> Watch:
        """The watch, told where."""
        return lambda what, count, of: self.watch(f"{where}: {what}", count, of)


@dataclass(frozen=True, slots=True)
class PlaceTests:
    """The figures of all test crawls of a place.

    `crawls` goes by strategy, start (its place in `Place.starts`) and length; crawls of one random seed have the same
    place in every list.
    """

    place: Place
    crawls: dict[tuple[str, int, int], list[Figures]]

    def values(
        self, strategies: Sequence[str], start: int | None, length: int, of: Callable[[Figures], float]
    ) -> list[float]:
        """One figure, seed by seed, in the mean over some strategies; without a start, those of all starts."""
        starts = range(len(self.place.starts)) if start is None else [start]
        rows = [
            [float(of(each)) for at in starts for each in self.crawls[name, at, length]]
            for name in strategies
        ]
        return [sum(values) / len(values) for values in zip(*rows, strict=True)]

    def with_more(self, other: PlaceTests) -> PlaceTests:
        """These and others of the same place."""
        return PlaceTests(self.place, self.crawls | other.crawls)


def stage_of(place: Place, by_distance: bool) -> Stage:
    """The stage of a place, where rows of weights follow each other or are for distances."""
    stage = place.stage
    return Stage(
        stage.world, stage.topic, stage.judge, stage.least_good, Ranking(place.ranking.margin, by_distance)
    )


def _test_crawls(
    place: Place, strategies: Mapping[str, Weights], pool: Crawlers, watch: Callable[[int, int], None]
) -> dict[tuple[str, int, int], list[Figures]]:
    seeds = _test_seeds()
    settings = [
        (name, start, length)
        for name in strategies
        for start in range(len(place.starts))
        for length in LENGTHS
    ]
    trials = [
        CrawlTrial(strategies[name], seed, length * place.length, place.starts[start])
        for name, start, length in settings
        for seed in seeds
    ]
    groups = in_groups(pool, figures, trials, len(seeds), watch)
    return dict(zip(settings, groups, strict=True))


def _test_seeds() -> list[int]:
    """The random seeds that every search holds back; they depend on nothing but a plan's own seed, here 0."""
    return SearchPlan("", "", "", (), (), ()).held_back_seeds


def _suffix(kind: SearchKind) -> str:
    return f"-{kind.name.replace(' ', '-')}" if kind.name else ""
