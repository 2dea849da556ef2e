"""Searches of system 5, and the tests of what they found: from other seeds, for longer, and elsewhere."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import islice
from pathlib import Path

import msgspec
import numpy as np

from salticid.evolve import (
    PAPER_TERMS,
    Checkpoint,
    Crawlers,
    CrawlTrial,
    Evolution,
    Figures,
    Goal,
    Interval,
    SearchPlan,
    Simulation,
    Stage,
    State,
    Weights,
    crawlers,
    digest_of,
    figures,
    in_groups,
    normalise,
    plain,
    prepare_worker,
    ranked_finalists,
    versions,
)
from salticid.lab.compare import Watch
from salticid.lab.reproduce.findings import Finding, finding_of, paper
from salticid.lab.reproduce.reproduction import FigureTable, Ground
from salticid.lab.search_report import SEARCH_REPORT, EvolvedStrategy, evidence_for, render_search, strategy_file
from salticid.lab.statistics import compare
from salticid.strategies.parts import Ranking
from salticid.topic import Topic
from salticid.webs import RecordedWeb
from salticid.worlds import labels_of

# Where strategies of system 5 are evolved and tested: a rare and a popular topic of each world.

MAX_PAGES = 10_000
SEEDS, OTHER_SEEDS = 139, (50, 250)
FEWEST_SEEDS, FEWEST_OTHERS = 10, (5, 20)
SMALL_ROOM = 20
"""On the small public collections a crawl is at most this part of the world."""
ENOUGH = 2
"""A rare topic has at least so many times more pages than are drawn to start from."""
GENERATED_WEB = "generated"


@dataclass(frozen=True, slots=True)
class Place:
    """A topic on a world. `starts` are the other seeds of the tests; `rare`: it has few pages."""

    ground: str
    world: Path
    topic: Topic
    pages: int
    starts: tuple[tuple[str, ...], ...]
    length: int
    rare: bool
    ranking: Ranking

    @property
    def name(self) -> str:
        """What people call it."""
        return f"{self.ground}, {self.topic.name}" + (", raw margins" if self.ranking.margin else "")

    @property
    def stage(self) -> Stage:
        """What its crawls are simulated on, as in the paper."""
        return Stage(self.world.absolute(), self.topic, ranking=self.ranking)

    def description(self) -> str:
        """The place with the web it is on; a generated one can be had again by what it was built from."""
        web = RecordedWeb(self.world)
        source = web.arrays.manifest.built_from if self.ground == GENERATED_WEB else f"{web.pages:,}"
        return f"{self.name}: {self.pages:,} pages on topic of {source}, crawls of {self.length:,}"


def places(ground: Ground, length: int, ranking: Ranking) -> tuple[Place, Place]:
    """The rarest topic that has pages enough, like the paper's dance, and the most popular one, like its baseball."""
    labels = labels_of(ground.world)
    if ground.name != GENERATED_WEB:
        length = min(length, RecordedWeb(ground.world).pages // SMALL_ROOM)
    by_size = sorted(labels, key=lambda label: (len(labels[label]), label))
    rare = next((label for label in by_size if _is_enough(labels, label, length)), by_size[-1])
    return (
        _place(ground, rare, labels[rare], length, ranking, rare=True),
        _place(ground, by_size[-1], labels[by_size[-1]], length, ranking, rare=False),
    )


def _is_enough(labels: Mapping[str, list[str]], label: str, length: int) -> bool:
    return len(labels[label]) >= ENOUGH * sum(_counts(length))


def _place(ground: Ground, label: str, urls: list[str], length: int, ranking: Ranking, *, rare: bool) -> Place:
    topic, others = topic_of(label, urls, length)
    return Place(ground.name, ground.world, topic, len(urls), others, length, rare, ranking)


def topic_of(label: str, urls: list[str], length: int) -> tuple[Topic, tuple[tuple[str, ...], ...]]:
    """A topic that is known by some of its pages, which are its seeds; and two other starts.

    All of them are drawn by chance, by the topic's name; no page is in two of them. They have as many pages for
    a crawl of this length as the paper has for its own, but a few at least.
    """
    digest = hashlib.blake2b(label.encode(), digest_size=8).digest()
    rng = np.random.default_rng(int.from_bytes(digest, "little"))
    order = iter([urls[at] for at in rng.permutation(len(urls))])
    seeds, *others = [tuple(islice(order, count)) for count in _counts(length)]
    return Topic(label, re.sub(r"[._]+", " ", label), seeds, examples=seeds), tuple(others)


def _counts(length: int) -> list[int]:
    sizes = zip((SEEDS, *OTHER_SEEDS), (FEWEST_SEEDS, *FEWEST_OTHERS), strict=True)
    return [max(fewest, round(count * length / MAX_PAGES)) for count, fewest in sizes]


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
        simulation = prepare_worker(stage, kind.terms, watch)
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
        (folder / SEARCH_REPORT).write_text(render_search(state, evidence), encoding="utf-8")
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
        rows = [[float(of(each)) for at in starts for each in self.crawls[name, at, length]] for name in strategies]
        return [sum(values) / len(values) for values in zip(*rows, strict=True)]

    def with_more(self, other: PlaceTests) -> PlaceTests:
        """These and others of the same place."""
        return PlaceTests(self.place, self.crawls | other.crawls)


def stage_of(place: Place, by_distance: bool) -> Stage:
    """The stage of a place, where rows of weights follow each other or are for distances."""
    stage = place.stage
    return Stage(stage.world, stage.topic, stage.judge, stage.least_good, Ranking(place.ranking.margin, by_distance))


def _test_crawls(
    place: Place, strategies: Mapping[str, Weights], pool: Crawlers, watch: Callable[[int, int], None]
) -> dict[tuple[str, int, int], list[Figures]]:
    seeds = _test_seeds()
    settings = [
        (name, start, length) for name in strategies for start in range(len(place.starts)) for length in LENGTHS
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


# What the paper of system 5 leaves to others: other goals, sub-strategies, beginnings and terms.

PLAIN = "as the paper"
PHASES = 3
SHORTER = 5
"""Injected are the best strategies of crawls so many times shorter."""


@dataclass(frozen=True, slots=True)
class Extended:
    """The tests of the plain search's best strategy and of each extension's, by name, at one place.

    `claims` names what the paper supposes of each.
    """

    plain: Found
    tests: PlaceTests
    claims: dict[str, tuple[str, dict[str, str]]]

    def lead(self, name: str, length: int) -> tuple[list[float], list[float]]:
        """The share of good pages of an extension and of the plain strategy, crawl by crawl from both starts."""
        mine, plain_values = (
            self.tests.values([each], None, length, lambda figures: figures.share) for each in (name, PLAIN)
        )
        return mine, plain_values


def extended(found: Found, workplace: Workplace) -> Extended:
    """Search in each other way at the same place, as long as before, and test the best of each."""
    place = found.place
    tests = workplace.test(place, {PLAIN: found.best[0]})
    claims: dict[str, tuple[str, dict[str, str]]] = {}
    for kind, claim, parts in _kinds():
        if kind.name == "injection":
            short = workplace.search(place, SearchKind("shorter", shorter=SHORTER))
            kind = SearchKind(kind.name, known=tuple(_searched(each, short) for each in short.best))
        other = workplace.search(place, kind)
        tests = tests.with_more(workplace.test(place, {kind.name: other.best[0]}, kind.by_distance))
        claims[kind.name] = claim, parts
    return Extended(found, tests, claims)


def _kinds() -> Iterator[tuple[SearchKind, str, dict[str, str]]]:
    """Each way with the claim it tries."""
    yield SearchKind("reward for hosts", goal=Goal(hosts=1.0)), "rewards", {"what": "new hosts"}
    yield SearchKind("reward for distance", goal=Goal(distance=1.0)), "rewards", {"what": "distance"}
    yield SearchKind("reward for length", goal=Goal(late=1.0)), "rewards", {"what": "good pages found late"}
    yield SearchKind("phases", phases=PHASES), "phases", {}
    yield SearchKind("phases by distance", phases=PHASES, by_distance=True), "distance", {}
    yield SearchKind("injection"), "injection", {}
    yield SearchKind("all terms", terms=Simulation.terms), "terms", {}


def extension_table(outcome: Extended) -> FigureTable:
    """The share of good pages by each way, and its lead over the plain search."""
    rows = []
    for name in (PLAIN, *outcome.claims):
        cells = []
        for length in LENGTHS:
            mine, plain_values = outcome.lead(name, length)
            share = f"{sum(mine) / len(mine):.3f}"
            cells += [share, "" if name == PLAIN else str(Interval.between(mine, plain_values))]
        rows.append([name, *cells])
    place = outcome.plain.place
    heads = [head for n in LENGTHS for head in (f"{n * place.length:,} pages", "ahead (95 %)")]
    return FigureTable(
        f"What the paper leaves to others, {place.name}: share of good pages from both starts",
        ["search", *heads],
        rows,
    )


def extension_findings(outcome: Extended) -> Iterator[Finding]:
    """Whether each does better than the plain search in the longest crawls."""
    longest, place = LENGTHS[-1], outcome.plain.place
    for name, (claim, parts) in outcome.claims.items():
        mine, plain_values = outcome.lead(name, longest)
        means = " against ".join(f"{sum(each) / len(each):.3f}" for each in (mine, plain_values))
        said = paper(5).claims[claim].about(pages=f"{longest * place.length:,}", **parts)
        test = compare("good pages", name, PLAIN, mine, plain_values, 0)
        yield finding_of(said, place.name, means, test)


def _searched(weights: Weights, found: Found) -> Weights:
    """Weights of all terms as those of the terms that are sought."""
    plan = found.state.plan
    places = [plan.terms.index(term) for term in plan.searched]
    return plain(normalise(np.array(weights)[:, places]))
